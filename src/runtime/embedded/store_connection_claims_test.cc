// Writes of ResourceClaims: they preserve the fields that the engine does not decode.
#include <gmock/gmock.h>

#include "api/json/decode.h"
#include "runtime/embedded/store_connection_testing.h"
#include "runtime/embedded/store_writer.h"

namespace berth::runtime::embedded {
namespace BERTH_TEST_FILE {

using Kind = scheduler::framework::WriteResult::Kind;

constexpr const char* kClaims = "resourceclaims.resource.k8s.io";

class ClaimWrites : public ::testing::Test {
 protected:
  ClaimWrites() {
    cluster.Create("deviceclasses.resource.k8s.io", "{'metadata':{'name':'gpu'},'spec':{}}");
    cluster.Create(kClaims,
                   "{'metadata':{'name':'c','annotations':{'note':'kept'}},'spec':{'devices':"
                   "{'requests':[{'name':'one','exactly':{'deviceClassName':'gpu'}}]}}}");
  }
  scheduler::framework::WriteResult Execute(const scheduler::framework::ApiWrite& write) {
    return writer.Execute(write);
  }
  // The claim as it is stored, to be changed and written.
  std::shared_ptr<api::ResourceClaim> Claim() {
    const auto result = Execute(scheduler::framework::GetResourceClaim{{"default", "c"}});
    EXPECT_EQ(result.kind, Kind::kOk) << result.message;
    return std::make_shared<api::ResourceClaim>(*result.claim);
  }
  scheduler::framework::WriteResult Allocate() {
    const auto claim = Claim();
    api::DeviceRequestAllocationResult device;
    device.request = "one";
    device.driver = "gpu.example.com";
    device.pool = "n1";
    device.device = "gpu-0";
    claim->status.allocation.emplace().results.push_back(device);
    for (const char* pod : {"a", "b"})
      claim->status.reserved_for.push_back({"", "pods", pod, fmt::format("uid-of-{}", pod)});
    return Execute(scheduler::framework::UpdateResourceClaimStatus{claim});
  }

  EmbeddedCluster cluster;
  StoreWriter writer{cluster.api};
};

TEST_F(ClaimWrites, TheFinalizerIsWritten) {
  const auto claim = Claim();
  claim->metadata.finalizers.emplace_back("resource.kubernetes.io/delete-protection");
  const auto result = Execute(scheduler::framework::UpdateResourceClaim{claim});
  ASSERT_EQ(result.kind, Kind::kOk) << result.message;
  EXPECT_THAT(result.claim->metadata.finalizers,
              ::testing::ElementsAre("resource.kubernetes.io/delete-protection"));
  EXPECT_NE(result.claim->metadata.resource_version, claim->metadata.resource_version);
  EXPECT_EQ(result.resource_version, result.claim->metadata.resource_version);
  EXPECT_HOLDS(cluster.Get(kClaims, "c"),
               "{'metadata':{'annotations':{'note':'kept'},"
               "'finalizers':['resource.kubernetes.io/delete-protection']}}");
  EXPECT_EQ(Execute(scheduler::framework::UpdateResourceClaim{claim}).kind, Kind::kConflict);
}

TEST_F(ClaimWrites, TheStatusIsWrittenAndAReservationRemoved) {
  const auto result = Allocate();
  ASSERT_EQ(result.kind, Kind::kOk) << result.message;
  EXPECT_EQ(result.claim->status.reserved_for.size(), 2u);
  EXPECT_HOLDS(cluster.Get(kClaims, "c"),
               "{'metadata':{'annotations':{'note':'kept'}},'status':{'allocation':{'devices':"
               "{'results':[{'request':'one','driver':'gpu.example.com','pool':'n1',"
               "'device':'gpu-0'}]}}}}");

  const std::string uid = result.claim->metadata.uid;
  const auto removed =
      Execute(scheduler::framework::UnreserveResourceClaim{{"default", "c"}, uid, "uid-of-a"});
  ASSERT_EQ(removed.kind, Kind::kOk) << removed.message;
  ASSERT_EQ(removed.claim->status.reserved_for.size(), 1u);
  EXPECT_EQ(removed.claim->status.reserved_for[0].uid, "uid-of-b");
  EXPECT_TRUE(removed.claim->status.allocation.has_value());
  EXPECT_EQ(
      Execute(scheduler::framework::UnreserveResourceClaim{{"default", "c"}, "another", "uid-of-b"})
          .kind,
      Kind::kConflict);
}

TEST_F(ClaimWrites, AClaimIsCreatedAndDeleted) {
  auto special = std::make_shared<api::ResourceClaim>();
  special->metadata.name = "<extended-resources>";
  special->metadata.namespace_ = "default";
  special->spec = Claim()->spec;
  const auto created =
      Execute(scheduler::framework::CreateResourceClaim{special, "web-extended-resources-"});
  ASSERT_EQ(created.kind, Kind::kOk) << created.message;
  const std::string name = created.claim->metadata.name;
  EXPECT_THAT(name, ::testing::StartsWith("web-extended-resources-"));
  EXPECT_EQ(Execute(scheduler::framework::DeleteResourceClaim{{"default", name}}).kind, Kind::kOk);
  EXPECT_EQ(Execute(scheduler::framework::GetResourceClaim{{"default", name}}).kind,
            Kind::kNotFound);
  EXPECT_EQ(Execute(scheduler::framework::DeleteResourceClaim{{"default", name}}).kind,
            Kind::kNotFound);
}

TEST_F(ClaimWrites, APodGetsItsDevice) {
  cluster.Node("n1");
  cluster.Create("resourceslices.resource.k8s.io",
                 "{'metadata':{'name':'s'},'spec':{'driver':'gpu.example.com','nodeName':'n1',"
                 "'pool':{'name':'n1','generation':1,'resourceSliceCount':1},"
                 "'devices':[{'name':'gpu-0'}]}}");
  cluster.Create(
      kClaims,
      "{'metadata':{'name':'mine'},'spec':{'devices':{'requests':[{'name':'one',"
      "'exactly':{'deviceClassName':'gpu','allocationMode':'ExactCount','count':1}}]}}}");
  cluster.Pod("web", "1", ",'resourceClaims':[{'name':'gpu','resourceClaimName':'mine'}]");
  cluster.Run();
  EXPECT_EQ(cluster.NodeOf("web"), "n1");
  EXPECT_HOLDS(cluster.Get(kClaims, "mine"),
               "{'metadata':{'finalizers':['resource.kubernetes.io/delete-protection']},"
               "'status':{'allocation':{'devices':{'results':[{'request':'one',"
               "'driver':'gpu.example.com','pool':'n1','device':'gpu-0'}]},"
               "'allocationTimestamp':'2026-01-01T00:00:00Z'}}}");
  const auto stored = Execute(scheduler::framework::GetResourceClaim{{"default", "mine"}});
  ASSERT_EQ(stored.claim->status.reserved_for.size(), 1u);
  EXPECT_EQ(stored.claim->status.reserved_for[0].name, "web");
}

TEST_F(ClaimWrites, ThePodShowsItsClaimForExtendedResources) {
  cluster.Pod("web");
  const api::Json pod = cluster.Get("pods", "web");
  const std::string uid(api::StringAt(api::ObjectAt(api::AsObject(pod), "metadata"), "uid"));
  scheduler::framework::PatchPodStatus patch{{"default", "web"}, uid, std::nullopt, std::nullopt};
  patch.extended_resource_claim_status = {{{"c", "example.com/gpu", "container-0-request-0"}},
                                          "web-x"};
  ASSERT_EQ(Execute(patch).kind, Kind::kOk);
  EXPECT_HOLDS(cluster.Get("pods", "web"),
               "{'status':{'extendedResourceClaimStatus':{'resourceClaimName':'web-x',"
               "'requestMappings':[{'containerName':'c','resourceName':'example.com/gpu',"
               "'requestName':'container-0-request-0'}]}}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime::embedded
