// Asks plugins whether events may help a pod that waits, in tables: a pod, an object before and
// after, and the answer.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "framework/cluster_event.h"
#include "plugins/testing.h"

namespace berth {

// What an event about the object is about.
struct ResourceOf {
  Resource operator()(const api::Ref<api::Pod>& pod) const {
    return pod->spec.node_name.empty() ? Resource::kUnschedulablePod : Resource::kAssignedPod;
  }
  Resource operator()(const api::Ref<api::Node>&) const { return Resource::kNode; }
  Resource operator()(const api::Ref<api::PersistentVolume>&) const {
    return Resource::kPersistentVolume;
  }
  Resource operator()(const api::Ref<api::PersistentVolumeClaim>&) const {
    return Resource::kPersistentVolumeClaim;
  }
  Resource operator()(const api::Ref<api::StorageClass>&) const { return Resource::kStorageClass; }
  Resource operator()(const api::Ref<api::CsiNode>&) const { return Resource::kCsiNode; }
  Resource operator()(const api::Ref<api::CsiDriver>&) const { return Resource::kCsiDriver; }
  Resource operator()(const api::Ref<api::CsiStorageCapacity>&) const {
    return Resource::kCsiStorageCapacity;
  }
  Resource operator()(const api::Ref<api::VolumeAttachment>&) const {
    return Resource::kVolumeAttachment;
  }
  Resource operator()(const api::Ref<api::ResourceClaim>&) const {
    return Resource::kResourceClaim;
  }
  Resource operator()(const api::Ref<api::DeviceClass>&) const { return Resource::kDeviceClass; }
  Resource operator()(const auto&) const { return Resource::kAny; }
};

// The event that turned one object into the other, both in YAML: an empty text means that there is
// none.
inline ClusterEvent EventOf(const std::string& before, const std::string& after) {
  ClusterEvent event;
  if (!before.empty()) event.before = DecodeOrFail(before).at(0);
  if (!after.empty()) event.after = DecodeOrFail(after).at(0);
  event.type.resource = std::visit(ResourceOf(), event.after ? *event.after : *event.before);
  event.type.actions = before.empty() ? kAdd : after.empty() ? kDelete : kUpdate;
  return event;
}

// "Queue", "Skip" or "error".
inline std::string Hint(World& world, const Plugin& plugin, const std::string& pod_yaml,
                        const ClusterEvent& event) {
  const api::Object pod = DecodeOrFail(pod_yaml).at(0);
  const PodRecord visitor = world.cluster().MakeVisitor(std::get<api::Ref<api::Pod>>(pod));
  const Result<bool> answer = plugin.MayHelp(world.cluster(), visitor, event);
  world.cluster().Release(visitor);
  return !answer ? "error" : *answer ? "Queue" : "Skip";
}

struct HintCase {
  const char* name;
  std::string pod;            // The one that waits.
  std::string before, after;  // The object of the event; empty if there was none.
  const char* want;           // "Queue", "Skip" or "error".
};

inline void CheckHints(const Plugin& plugin, std::initializer_list<HintCase> cases) {
  World world;
  for (const HintCase& c : cases) {
    EXPECT_EQ(Hint(world, plugin, c.pod, EventOf(c.before, c.after)), c.want) << c.name;
  }
}

}  // namespace berth
