// What the client makes of objects that can be read only in part; see api/broken_objects.h.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "client/watch_events.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename T>
Received Receive(std::string json) {
  std::ranges::replace(json, '\'', '"');
  return ReceiveItem(json, WireForm::kJson, CodecOf<T>());
}

template <typename T>
const T& Seen(const Received& received) {
  EXPECT_TRUE(received.object.has_value()) << received.object.error().message;
  return *std::get<api::Ref<T>>(*received.object);
}

TEST(BrokenObjects, PendingPodIsNotSeenIfItsSpecIsIncomplete) {
  const auto pod = [](const char* rest) {
    return Receive<api::Pod>(std::string("{'metadata':{'name':'a','uid':'u'") + rest + "}");
  };
  const Received incomplete = pod("},'spec':{'nodeSelector':{'disk':1}}");
  ASSERT_FALSE(incomplete.object.has_value());
  EXPECT_THAT(incomplete.object.error().message,
              HasSubstr("Pod \"default/a\": spec.nodeSelector.disk: expected a string"));
  EXPECT_EQ(incomplete.meta.uid, "u");
  EXPECT_FALSE(pod(",'labels':{'app':1}},'spec':{}").object.has_value());
  EXPECT_TRUE(pod(",'annotations':{'app':1}},'spec':{}").object.has_value());
  EXPECT_TRUE(pod("},'spec':{'priority':99999999999}").object.has_value());
}

TEST(BrokenObjects, ObjectWithoutItsNamespaceIsNotSeen) {
  const char* rest = "'spec':{'nodeName':'n','volumeName':'v'}}";
  const auto json = [&](const char* space) {
    return std::string("{'metadata':{'name':'a','namespace':") + space + "}," + rest;
  };
  EXPECT_FALSE(Receive<api::Pod>(json("5")).object.has_value());
  EXPECT_FALSE(Receive<api::PersistentVolumeClaim>(json("{}")).object.has_value());
  EXPECT_TRUE(Receive<api::PersistentVolume>(json("[]")).object.has_value());
  EXPECT_TRUE(Receive<api::Pod>(json("null")).object.has_value());
}

TEST(BrokenObjects, NodeWhoseTaintsAreIncompleteIsUnschedulable) {
  const auto node = [](const char* rest) {
    return Receive<api::Node>(std::string("{'metadata':{'name':'n'},") + rest + "}");
  };
  EXPECT_TRUE(Seen<api::Node>(node("'spec':{'taints':[{'key':5}]}")).spec.unschedulable);
  EXPECT_TRUE(Seen<api::Node>(node("'spec':{'unschedulable':'yes'}")).spec.unschedulable);
  const Received capacity = node("'spec':{},'status':{'allocatable':{'cpu':'4','memory':'x'}}");
  EXPECT_FALSE(Seen<api::Node>(capacity).spec.unschedulable);
  EXPECT_EQ(Seen<api::Node>(capacity).status.allocatable.size(), 1u);
}

TEST(BrokenObjects, VolumeWhoseNodeAffinityIsIncompleteIsAccessibleFromNoNode) {
  const Received received = Receive<api::PersistentVolume>(
      "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'1Gi'},'nodeAffinity':{'required':{"
      "'nodeSelectorTerms':[{'matchExpressions':[{'key':'a','operator':'Exists'},7]}]}}}}");
  const auto& volume = Seen<api::PersistentVolume>(received);
  ASSERT_TRUE(volume.node_affinity.has_value());
  EXPECT_THAT(volume.node_affinity->terms, IsEmpty());
}

TEST(BrokenObjects, OffersOfDevicesAreNotSeenIfTheirSpecIsIncomplete) {
  const auto slice = [](const char* rest) {
    return Receive<api::ResourceSlice>(std::string("{'metadata':{'name':'s'},'spec':{") + rest +
                                       "}}");
  };
  EXPECT_TRUE(slice("'devices':[{'name':'d'}]").object.has_value());
  EXPECT_FALSE(slice("'devices':[{'name':'d','taints':[5]}]").object.has_value());
  EXPECT_FALSE(slice("'devices':[{'name':'d','capacity':{'memory':{'value':'x'}}}]").object);
  const Received device_class = Receive<api::DeviceClass>(
      "{'metadata':{'name':'c'},'spec':{'selectors':[{'cel':{'expression':5}}]}}");
  ASSERT_FALSE(device_class.object.has_value());
  EXPECT_THAT(device_class.object.error().message,
              HasSubstr("DeviceClass \"c\": spec.selectors[0].cel.expression: expected a string"));
}

TEST(BrokenObjects, GroupIsNotSeenIfItsSpecIsIncomplete) {
  const auto group = [](const char* policy) {
    return Receive<api::PodGroup>(
        std::string("{'metadata':{'name':'g'},'spec':{'schedulingPolicy':{") + policy + "}}}");
  };
  EXPECT_TRUE(group("'gang':{'minCount':3}").object.has_value());
  EXPECT_FALSE(group("'gang':{'minCount':'many'}").object.has_value());
  EXPECT_FALSE(group("'gang':5").object.has_value());
}

TEST(BrokenObjects, IncompleteClaimIsNotSeenUnlessItIsAllocated) {
  const auto claim = [](const char* status) {
    return Receive<api::ResourceClaim>(
        std::string("{'metadata':{'name':'c'},'spec':{'devices':{'requests':5}},'status':{") +
        status + "}}");
  };
  EXPECT_FALSE(claim("").object.has_value());
  const Received allocated = claim("'allocation':{'devices':{'results':[{'device':'d'}]}}");
  const auto& allocation = Seen<api::ResourceClaim>(allocated).status.allocation;
  ASSERT_TRUE(allocation.has_value());
  EXPECT_EQ(allocation->results.size(), 1u);
  EXPECT_FALSE(allocation->node_selector.has_value());
}

TEST(BrokenObjects, ClaimWhoseStatusIsIncompleteIsAllocatedForNoNode) {
  for (const char* status :
       {"'status':{'allocation':5}", "'status':[]",
        "'status':{'allocation':{'devices':{'results':[{'device':'d'},{'device':5}]}}}"}) {
    const Received received =
        Receive<api::ResourceClaim>(std::string("{'metadata':{'name':'c'},") + status + "}");
    const auto& allocation = Seen<api::ResourceClaim>(received).status.allocation;
    ASSERT_TRUE(allocation.has_value()) << status;
    ASSERT_TRUE(allocation->node_selector.has_value()) << status;
    EXPECT_THAT(allocation->node_selector->terms, IsEmpty()) << status;
  }
}

TEST(BrokenObjects, BoundPodLosesClaimsWithoutNames) {
  const Received received = Receive<api::Pod>(
      "{'metadata':{'name':'a'},'spec':{'nodeName':'n','volumes':[{'name':'v',"
      "'persistentVolumeClaim':{'claimName':5}},{'name':'w','persistentVolumeClaim':{"
      "'claimName':'data'}}]}}");
  const auto& volumes = Seen<api::Pod>(received).spec.volumes;
  ASSERT_EQ(volumes.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<api::OtherSource>(volumes[0].source));
  EXPECT_TRUE(std::holds_alternative<api::PersistentVolumeClaimSource>(volumes[1].source));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
