// The status of claims: allocation, consumers and the status of devices.
#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

using registry::ApiFixture;
using registry::CausesOf;
using registry::ErrorOf;

constexpr const char* kClaims = "resourceclaims.resource.k8s.io";
constexpr const char* kClaim =
    "{'metadata':{'name':'c'},'spec':{'devices':{'requests':[{'name':'r','exactly':{"
    "'deviceClassName':'gpu'}}]}}}";

constexpr const char* kAllocation =
    "'allocation':{'devices':{'results':[{'request':'r','driver':'d.com','pool':'p','device':'a',"
    "'consumedCapacity':{'m':'0.5'}}]}}";

class ClaimStatus : public ::testing::Test {
 protected:
  ClaimStatus() { fixture_.Make(kClaims, kClaim); }

  std::string Set(const std::string& status) {
    return CausesOf(fixture_.Merge(kClaims, "c", "{'status':{" + status + "}}", "status"));
  }

  ApiFixture fixture_;
};

TEST_F(ClaimStatus, IsClearedOnCreateAndKeptOnUpdate) {
  ApiFixture fixture;
  EXPECT_HOLDS(fixture.Make(kClaims, "{'metadata':{'name':'c'},'status':{'reservedFor':[]}}"),
               "{'status':{}}");
  EXPECT_EQ(Set(kAllocation), "");
  EXPECT_EQ(
      ErrorOf(fixture_.Merge(kClaims, "c", "{'status':null,'metadata':{'labels':{'a':'b'}}}")),
      "ok");
  EXPECT_HOLDS(fixture_.Get(kClaims, "c"),
               "{'metadata':{'labels':{'a':'b'}},'status':{'allocation':{'devices':{'results':[{"
               "'consumedCapacity':{'m':'500m'}}]}}}}");
}

TEST_F(ClaimStatus, AllocationIsSetOnceAndCleared) {
  EXPECT_EQ(Set(kAllocation), "");
  EXPECT_EQ(Set("'allocation':{'devices':{'results':[]}}"),
            "status.allocation: Invalid value: {\"devices\":{\"results\":[]}}: field is immutable");
  EXPECT_EQ(Set("'reservedFor':[{'resource':'pods','name':'a','uid':'u'}]"), "");
  EXPECT_EQ(Set("'allocation':null"),
            "status.reservedFor: Forbidden: may not be specified when `allocated` is not set");
  EXPECT_EQ(Set("'allocation':null,'reservedFor':null"), "");
}

TEST_F(ClaimStatus, AllocationIsChecked) {
  EXPECT_EQ(
      Set("'allocation':{'devices':{'results':[{'request':'x','driver':'','pool':'A','device':"
          "'d','shareID':'1'}],'config':[{'source':'Me','opaque':{'driver':'d','parameters':{}}}]}"
          "}"),
      "status.allocation.devices.results[0].request: Invalid value: \"x\": "
      "must be the name of a request in the claim or the name of a request and a subrequest "
      "separated "
      "by '/'"
      "\nstatus.allocation.devices.results[0].driver: Required value\n"
      "status.allocation.devices.results[0].pool: Invalid value: \"A\": a lowercase RFC 1123 "
      "subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
      "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n"
      "status.allocation.devices.results[0].shareID: Invalid value: \"1\": error validating uid: "
      "invalid UUID length: 1\n"
      "status.allocation.devices.config[0].source: Unsupported value: \"Me\": supported values: "
      "\"FromClaim\", \"FromClass\"");
  EXPECT_EQ(Set("'allocation':{'devices':{'results':[{'request':'r','driver':'d.com','pool':'p',"
                "'device':'a','adminAccess':true}]}}"),
            "status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices "
            "requires the `resource.kubernetes.io/admin-access: true` label on the containing "
            "namespace");
}

TEST_F(ClaimStatus, ConsumersAreUniqueAndComplete) {
  std::string many = "{'resource':'pods','name':'p','uid':'x'}";
  for (int i = 0; i < 256; ++i)
    many += ",{'resource':'pods','name':'p','uid':'" + std::to_string(i) + "'}";
  EXPECT_EQ(Set(std::string(kAllocation) +
                ",'reservedFor':[{'name':'a','uid':'u'},{'resource':'pods','name':'b','uid':'u'}]"),
            "status.reservedFor[0].resource: Required value\n"
            "status.reservedFor[1]: Duplicate value: \"u\"");
  EXPECT_EQ(Set(std::string(kAllocation) + ",'reservedFor':[" + many + "]"),
            "status.reservedFor: Too many: 257: must have at most 256 items");
}

TEST_F(ClaimStatus, NoNewConsumersWhileItIsDeleted) {
  EXPECT_EQ(
      Set(std::string(kAllocation) + ",'reservedFor':[{'resource':'pods','name':'a','uid':'u'}]"),
      "");
  fixture_.Merge(kClaims, "c", "{'metadata':{'finalizers':['a/b']}}");
  ASSERT_TRUE(fixture_.Delete(kClaims, "c").has_value());
  EXPECT_EQ(Set("'reservedFor':[{'resource':'pods','name':'b','uid':'v'}]"),
            "status.reservedFor: Forbidden: new entries may not be added while "
            "`deallocationRequested` or `deletionTimestamp` are set");
  EXPECT_EQ(Set("'reservedFor':[]"), "");
}

TEST_F(ClaimStatus, DevicesMustBeAllocatedAndGoWithTheAllocation) {
  const std::string device = "{'driver':'d.com','pool':'p','device':'a'";
  EXPECT_EQ(
      Set("'devices':[" + device + "}]"),
      "status.devices[0]: Invalid value: d.com/p/a: must be an allocated device in the claim");
  EXPECT_EQ(Set(std::string(kAllocation) + ",'devices':[" + device +
                ",'conditions':[{'type':'Ready','status':'Maybe'}],'networkData':{'ips':['1']}}]"),
            "status.devices[0].conditions[0].status: Unsupported value: \"Maybe\": supported "
            "values: \"False\", \"True\", \"Unknown\"\n"
            "status.devices[0].conditions[0].lastTransitionTime: Required value: must be set\n"
            "status.devices[0].conditions[0].reason: Required value: must be set\n"
            "status.devices[0].networkData.ips[0]: Invalid value: \"1\": must be a valid address "
            "in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
  EXPECT_EQ(Set(std::string(kAllocation) + ",'devices':[" + device + ",'data':{'a':1}}]"), "");
  EXPECT_EQ(Set("'allocation':null"), "");
  EXPECT_HOLDS(fixture_.Get(kClaims, "c"), "{'status':{'devices':null}}");
}

TEST_F(ClaimStatus, DriversApplyTheStatusOfTheirDevices) {
  EXPECT_EQ(Set(kAllocation), "");
  registry::WriteOptions options;
  options.field_manager = "driver";
  const api::Json status = registry::Doc(
      "{'apiVersion':'resource.k8s.io/v1','kind':'ResourceClaim','metadata':{'name':'c'},"
      "'status':{'devices':[{'driver':'d.com','pool':'p','device':'a','conditions':[{'type':"
      "'Ready','status':'True','reason':'Done','lastTransitionTime':'2026-01-01T00:00:00Z',"
      "'message':''}]}]}}");
  for (int i = 0; i < 2; ++i) {
    const auto applied = fixture_.api.Patch(api::scheme::KindOf(kClaims), {"default", "c"},
                                            "status", patch::PatchType::kApply, status, options);
    EXPECT_EQ(ErrorOf(applied), "ok");
  }
  EXPECT_HOLDS(fixture_.Get(kClaims, "c"),
               "{'status':{'allocation':{},'devices':[{'device':'a','conditions':[{}]}]}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
