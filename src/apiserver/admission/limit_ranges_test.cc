#include "apiserver/admission/limit_ranges.h"

#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

using registry::ApiFixture;
using registry::ErrorOf;
using registry::kPodA;

std::string Range(std::string_view limits) {
  return fmt::format("{{'metadata':{{'name':'range'}},'spec':{{'limits':[{}]}}}}", limits);
}
std::string Pod(std::string_view resources) {
  return fmt::format(
      "{{'metadata':{{'name':'a'}},'spec':{{'containers':[{{'name':'c','image':'i',"
      "'resources':{}}}]}}}}",
      resources);
}

TEST(LimitRanges, SetDefaults) {
  ApiFixture fixture;
  fixture.Make("limitranges", Range("{'type':'Container','default':{'cpu':'500m','memory':'1Gi'},"
                                    "'defaultRequest':{'cpu':'100m'}}"));
  const api::Json pod = fixture.Make(
      "pods",
      "{'metadata':{'name':'a'},'spec':{'initContainers':[{'name':'i','image':'i'}],"
      "'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'200m'}}}]}}");
  EXPECT_HOLDS(pod,
               "{'metadata':{'annotations':{'kubernetes.io/limit-ranger':'LimitRanger plugin set: "
               "memory request for container c; cpu, memory limit for container c; cpu, memory "
               "request for init container i; cpu, memory limit for init container i'}},"
               "'spec':{'containers':[{'resources':{'requests':{'cpu':'200m','memory':'1Gi'},"
               "'limits':{'cpu':'500m','memory':'1Gi'}}}],'initContainers':[{'resources':{"
               "'requests':{'cpu':'100m','memory':'1Gi'}}}]},'status':{'qosClass':'Burstable'}}");
  // Only in its namespace.
  fixture.Make("namespaces", "{'metadata':{'name':'other'}}");
  const auto elsewhere = fixture.Create("pods", kPodA, "other");
  ASSERT_EQ(ErrorOf(elsewhere), "ok");
  EXPECT_HOLDS(store::Parse(*elsewhere->object), "{'metadata':{'annotations':null}}");
}

struct BoundCase {
  const char* name;
  const char* limits;
  const char* resources;
  const char* want;
};

class LimitRangeBounds : public testing::TestWithParam<BoundCase> {};

TEST_P(LimitRangeBounds, AreEnforced) {
  ApiFixture fixture;
  fixture.Make("limitranges", Range(GetParam().limits));
  EXPECT_EQ(ErrorOf(fixture.Create("pods", Pod(GetParam().resources))), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, LimitRangeBounds,
    testing::Values(
        BoundCase{"Fits", "{'type':'Container','min':{'cpu':'1'},'max':{'cpu':'2'}}",
                  "{'requests':{'cpu':'1'},'limits':{'cpu':'2'}}", "ok"},
        BoundCase{"Min", "{'type':'Container','min':{'cpu':'1'},'max':{'cpu':'2'}}",
                  "{'requests':{'cpu':'500m'},'limits':{'cpu':'1'}}",
                  "403 Forbidden: pods \"a\" is forbidden: minimum cpu usage per Container is 1, "
                  "but request is 500m"},
        BoundCase{"Max", "{'type':'Container','max':{'cpu':'2'}}",
                  "{'requests':{'cpu':'1'},'limits':{'cpu':'3'}}",
                  "403 Forbidden: pods \"a\" is forbidden: maximum cpu usage per Container is 2, "
                  "but limit is 3"},
        BoundCase{
            "MaxOfPod", "{'type':'Pod','max':{'memory':'1Gi'}}",
            "{'requests':{'memory':'1Gi'},'limits':{'memory':'2Gi'}}",
            "403 Forbidden: pods \"a\" is forbidden: maximum memory usage per Pod is 1Gi, but "
            "limit is 2Gi"},
        BoundCase{
            "NoLimit", "{'type':'Pod','max':{'memory':'1Gi'}}", "{}",
            "403 Forbidden: pods \"a\" is forbidden: maximum memory usage per Pod is 1Gi.  No "
            "limit is specified"},
        BoundCase{"Ratio", "{'type':'Container','maxLimitRequestRatio':{'cpu':'2'}}",
                  "{'requests':{'cpu':'1'},'limits':{'cpu':'3'}}",
                  "403 Forbidden: pods \"a\" is forbidden: cpu max limit to request ratio per "
                  "Container is 2, but provided ratio is 3.000000"},
        BoundCase{"Several", "{'type':'Pod','min':{'cpu':'1'},'max':{'memory':'1Gi'}}",
                  "{'requests':{'cpu':'1m'},'limits':{'memory':'2Gi'}}",
                  "403 Forbidden: pods \"a\" is forbidden: [minimum cpu usage per Pod is 1, but "
                  "request is 1m, maximum memory usage per Pod is 1Gi, but limit is 2Gi]"}),
    [](const auto& row) { return row.param.name; });

TEST(LimitRanges, BoundClaims) {
  ApiFixture fixture;
  fixture.Make("limitranges", Range("{'type':'PersistentVolumeClaim','min':{'storage':'1Gi'},"
                                    "'max':{'storage':'5Gi'}}"));
  const auto claim = [&](std::string_view storage) {
    return ErrorOf(fixture.Create(
        "persistentvolumeclaims",
        fmt::format("{{'metadata':{{'name':'c'}},'spec':{{'accessModes':['ReadWriteOnce'],"
                    "'resources':{{'requests':{{'storage':'{}'}}}}}}}}",
                    storage)));
  };
  EXPECT_EQ(claim("10Gi"),
            "403 Forbidden: persistentvolumeclaims \"c\" is forbidden: maximum storage usage per "
            "PersistentVolumeClaim is 5Gi, but request is 10Gi");
  EXPECT_EQ(claim("2Gi"), "ok");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
