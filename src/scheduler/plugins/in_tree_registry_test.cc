// The events that each in-tree plugin registers for, as a table.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr bool kAlways = false;  // Else on condition.

const std::map<std::string, std::vector<framework::ClusterEventWithHint>> kInterests = {
    {"SchedulingGates",
     {{{framework::Resource::kPod, framework::kUpdatePodSchedulingGatesEliminated}}}},
    {"PrioritySort", {}},
    {"NodeUnschedulable",
     {{{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeTaint}},
      {{framework::Resource::kPod, framework::kUpdatePodToleration}}}},
    {"NodeName", {{{framework::Resource::kNode, framework::kAdd}, kAlways}}},
    {"TaintToleration",
     {{{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeTaint}},
      {{framework::Resource::kPod, framework::kUpdatePodToleration}}}},
    {"NodeAffinity",
     {{{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeLabel}}}},
    {"NodePorts",
     {{{framework::Resource::kPod, framework::kDelete}},
      {{framework::Resource::kNode, framework::kAdd}, kAlways}}},
    {"NodeResourcesFit",
     {{{framework::Resource::kPod, framework::kDelete | framework::kUpdatePodScaleDown}},
      {{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeAllocatable}},
      {{framework::Resource::kDeviceClass, framework::kAdd | framework::kUpdate}}}},
    {"VolumeRestrictions",
     {{{framework::Resource::kPod, framework::kDelete}},
      {{framework::Resource::kNode, framework::kAdd}, kAlways},
      {{framework::Resource::kPersistentVolumeClaim, framework::kAdd}}}},
    {"NodeVolumeLimits",
     {{{framework::Resource::kCsiNode, framework::kAdd}, kAlways},
      {{framework::Resource::kCsiNode, framework::kUpdate}},
      {{framework::Resource::kPod, framework::kDelete}},
      {{framework::Resource::kPersistentVolumeClaim, framework::kAdd}},
      {{framework::Resource::kVolumeAttachment, framework::kDelete}}}},
    {"VolumeBinding",
     {{{framework::Resource::kStorageClass, framework::kAdd | framework::kUpdate}},
      {{framework::Resource::kPersistentVolumeClaim, framework::kAdd | framework::kUpdate}},
      {{framework::Resource::kPersistentVolume, framework::kAdd | framework::kUpdate}, kAlways},
      {{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeLabel}, kAlways},
      {{framework::Resource::kCsiNode, framework::kAdd | framework::kUpdate}},
      {{framework::Resource::kCsiDriver, framework::kUpdate}},
      {{framework::Resource::kCsiStorageCapacity, framework::kAdd | framework::kUpdate}}}},
    {"VolumeZone",
     {{{framework::Resource::kStorageClass, framework::kAdd}},
      {{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeLabel}, kAlways},
      {{framework::Resource::kPersistentVolumeClaim, framework::kAdd | framework::kUpdate}},
      {{framework::Resource::kPersistentVolume, framework::kAdd | framework::kUpdate}}}},
    {"PodTopologySpread",
     {{{framework::Resource::kPod, framework::kAdd | framework::kUpdatePodLabel |
                                       framework::kUpdatePodToleration | framework::kDelete}},
      {{framework::Resource::kNode, framework::kAdd | framework::kDelete |
                                        framework::kUpdateNodeLabel |
                                        framework::kUpdateNodeTaint}}}},
    {"InterPodAffinity",
     {{{framework::Resource::kPod,
        framework::kAdd | framework::kUpdatePodLabel | framework::kDelete}},
      {{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeLabel}}}},
    {"DynamicResources",
     {{{framework::Resource::kNode,
        framework::kAdd | framework::kUpdateNodeLabel | framework::kUpdateNodeAllocatable},
       kAlways},
      {{framework::Resource::kResourceClaim, framework::kAdd | framework::kUpdate}},
      {{framework::Resource::kPod, framework::kUpdatePodGeneratedResourceClaim}},
      {{framework::Resource::kDeviceClass, framework::kAdd | framework::kUpdate}, kAlways},
      {{framework::Resource::kResourceSlice, framework::kAdd | framework::kUpdate}, kAlways}}},
    {"DefaultPreemption", {{{framework::Resource::kPod, framework::kDelete}}}},
    {"NodeResourcesBalancedAllocation", {}},
    {"ImageLocality", {}},
    {"DefaultBinder", {}},
    {"NodeDeclaredFeatures",
     {{{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeDeclaredFeature}},
      {{framework::Resource::kPod, framework::kUpdate}}}},
    {"GangScheduling",
     {{{framework::Resource::kPod, framework::kAdd}},
      {{framework::Resource::kPodGroup, framework::kAdd}}}},
};

TEST(EventsToRegister, AreKubeSchedulers) {
  for (const auto& [name, want] : kInterests) {
    EXPECT_EQ(MakePlugin(name)->EventsToRegister(), want) << name;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
