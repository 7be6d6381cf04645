// What each in-tree plugin wants to hear of, as a table.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "plugins/testing.h"

namespace berth {
namespace BERTH_TEST_FILE {

constexpr bool kAlways = false;  // Else on condition.

const std::map<std::string, std::vector<Interest>> kInterests = {
    {"SchedulingGates", {{{Resource::kPod, kUpdatePodSchedulingGatesEliminated}}}},
    {"PrioritySort", {}},
    {"NodeUnschedulable",
     {{{Resource::kNode, kAdd | kUpdateNodeTaint}}, {{Resource::kPod, kUpdatePodToleration}}}},
    {"NodeName", {{{Resource::kNode, kAdd}, kAlways}}},
    {"TaintToleration",
     {{{Resource::kNode, kAdd | kUpdateNodeTaint}}, {{Resource::kPod, kUpdatePodToleration}}}},
    {"NodeAffinity", {{{Resource::kNode, kAdd | kUpdateNodeLabel}}}},
    {"NodePorts", {{{Resource::kPod, kDelete}}, {{Resource::kNode, kAdd}, kAlways}}},
    {"NodeResourcesFit",
     {{{Resource::kPod, kDelete | kUpdatePodScaleDown}},
      {{Resource::kNode, kAdd | kUpdateNodeAllocatable}},
      {{Resource::kDeviceClass, kAdd | kUpdate}}}},
    {"VolumeRestrictions",
     {{{Resource::kPod, kDelete}},
      {{Resource::kNode, kAdd}, kAlways},
      {{Resource::kPersistentVolumeClaim, kAdd}}}},
    {"NodeVolumeLimits",
     {{{Resource::kCsiNode, kAdd}, kAlways},
      {{Resource::kCsiNode, kUpdate}},
      {{Resource::kPod, kDelete}},
      {{Resource::kPersistentVolumeClaim, kAdd}},
      {{Resource::kVolumeAttachment, kDelete}}}},
    {"VolumeBinding",
     {{{Resource::kStorageClass, kAdd | kUpdate}},
      {{Resource::kPersistentVolumeClaim, kAdd | kUpdate}},
      {{Resource::kPersistentVolume, kAdd | kUpdate}, kAlways},
      {{Resource::kNode, kAdd | kUpdateNodeLabel}, kAlways},
      {{Resource::kCsiNode, kAdd | kUpdate}},
      {{Resource::kCsiDriver, kUpdate}},
      {{Resource::kCsiStorageCapacity, kAdd | kUpdate}}}},
    {"VolumeZone",
     {{{Resource::kStorageClass, kAdd}},
      {{Resource::kNode, kAdd | kUpdateNodeLabel}, kAlways},
      {{Resource::kPersistentVolumeClaim, kAdd | kUpdate}},
      {{Resource::kPersistentVolume, kAdd | kUpdate}}}},
    {"PodTopologySpread",
     {{{Resource::kPod, kAdd | kUpdatePodLabel | kUpdatePodToleration | kDelete}},
      {{Resource::kNode, kAdd | kDelete | kUpdateNodeLabel | kUpdateNodeTaint}}}},
    {"InterPodAffinity",
     {{{Resource::kPod, kAdd | kUpdatePodLabel | kDelete}},
      {{Resource::kNode, kAdd | kUpdateNodeLabel}}}},
    {"DynamicResources",
     {{{Resource::kNode, kAdd | kUpdateNodeLabel | kUpdateNodeAllocatable}, kAlways},
      {{Resource::kResourceClaim, kAdd | kUpdate}},
      {{Resource::kPod, kUpdatePodGeneratedResourceClaim}},
      {{Resource::kDeviceClass, kAdd | kUpdate}, kAlways},
      {{Resource::kResourceSlice, kAdd | kUpdate}, kAlways}}},
    {"DefaultPreemption", {{{Resource::kPod, kDelete}}}},
    {"NodeResourcesBalancedAllocation", {}},
    {"ImageLocality", {}},
    {"DefaultBinder", {}},
    {"NodeDeclaredFeatures",
     {{{Resource::kNode, kAdd | kUpdateNodeDeclaredFeature}}, {{Resource::kPod, kUpdate}}}},
};

TEST(Interests, AreKubeSchedulers) {
  for (const auto& [name, want] : kInterests) {
    EXPECT_EQ(MakePlugin(name)->Interests(), want) << name;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
