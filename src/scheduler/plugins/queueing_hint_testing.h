// A harness for tables of queueing hints: a pod, an object before and after, and the hint.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scheduler/framework/cluster_event.h"
#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {

// The resource of an event about the object.
struct ResourceOf {
  framework::Resource operator()(const api::Ref<api::Pod>& pod) const {
    return pod->spec.node_name.empty() ? framework::Resource::kUnschedulablePod
                                       : framework::Resource::kAssignedPod;
  }
  framework::Resource operator()(const api::Ref<api::Node>&) const {
    return framework::Resource::kNode;
  }
  framework::Resource operator()(const api::Ref<api::PersistentVolume>&) const {
    return framework::Resource::kPersistentVolume;
  }
  framework::Resource operator()(const api::Ref<api::PersistentVolumeClaim>&) const {
    return framework::Resource::kPersistentVolumeClaim;
  }
  framework::Resource operator()(const api::Ref<api::StorageClass>&) const {
    return framework::Resource::kStorageClass;
  }
  framework::Resource operator()(const api::Ref<api::CsiNode>&) const {
    return framework::Resource::kCsiNode;
  }
  framework::Resource operator()(const api::Ref<api::CsiDriver>&) const {
    return framework::Resource::kCsiDriver;
  }
  framework::Resource operator()(const api::Ref<api::CsiStorageCapacity>&) const {
    return framework::Resource::kCsiStorageCapacity;
  }
  framework::Resource operator()(const api::Ref<api::VolumeAttachment>&) const {
    return framework::Resource::kVolumeAttachment;
  }
  framework::Resource operator()(const api::Ref<api::ResourceClaim>&) const {
    return framework::Resource::kResourceClaim;
  }
  framework::Resource operator()(const api::Ref<api::DeviceClass>&) const {
    return framework::Resource::kDeviceClass;
  }
  framework::Resource operator()(const auto&) const { return framework::Resource::kAny; }
};

// The event of a change, with both objects in YAML: an empty text means that there is none.
inline framework::ClusterEvent EventOf(const std::string& before, const std::string& after) {
  framework::ClusterEvent event;
  if (!before.empty()) event.before = DecodeOrFail(before).at(0);
  if (!after.empty()) event.after = DecodeOrFail(after).at(0);
  event.type.resource = std::visit(ResourceOf(), event.after ? *event.after : *event.before);
  event.type.actions = before.empty()  ? framework::kAdd
                       : after.empty() ? framework::kDelete
                                       : framework::kUpdate;
  return event;
}

// "Queue", "Skip" or "error".
inline std::string Hint(TestCluster& world, const framework::Plugin& plugin,
                        const std::string& pod_yaml, const framework::ClusterEvent& event) {
  const api::Object pod = DecodeOrFail(pod_yaml).at(0);
  const model::PodRecord visitor =
      world.cluster().MakeHypotheticalPod(std::get<api::Ref<api::Pod>>(pod));
  const Result<bool> hint = plugin.QueueingHint(world.cluster(), visitor, event);
  world.cluster().Release(visitor);
  return !hint ? "error" : *hint ? "Queue" : "Skip";
}

struct HintCase {
  const char* name;
  std::string pod;            // The unschedulable one.
  std::string before, after;  // The object of the event; empty if there was none.
  const char* want;           // "Queue", "Skip" or "error".
};

inline void CheckHints(const framework::Plugin& plugin, std::initializer_list<HintCase> cases) {
  TestCluster world;
  for (const HintCase& c : cases) {
    EXPECT_EQ(Hint(world, plugin, c.pod, EventOf(c.before, c.after)), c.want) << c.name;
  }
}

}  // namespace berth::scheduler::plugins
