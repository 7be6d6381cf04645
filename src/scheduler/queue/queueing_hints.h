// QueueingHintMap says which plugins of a profile want to hear of which events, because they may
// make pods schedulable that those plugins rejected.
//
// Immutable. The profile must outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::framework {
class Profile;
}

namespace berth::scheduler::queue {

class QueueingHintMap {
 public:
  struct Registration {
    const framework::Plugin* plugin = nullptr;
    framework::ClusterEventWithHint event;
  };

  // The events of all plugins that may reject a pod: those that have one of the roles
  // PreEnqueue, PreFilter, Filter, Reserve and Permit. A plugin that wants to hear of new nodes,
  // but not of their taints, hears of those too: a node that is new, and tainted until it is ready,
  // counts as new when the taint goes.
  explicit QueueingHintMap(const framework::Profile& profile);

  // In the order of the profile's plugins.
  std::span<const Registration> registrations() const { return registrations_; }
  // Those of the registrations that may cover an event about `resource`, in the same order. Whether
  // one does is up to its actions.
  std::span<const Registration> RegistrationsFor(framework::Resource resource) const {
    return by_resource_[static_cast<size_t>(resource)];
  }

  // Whether some registration covers `event`. Of the wildcard everyone wants to hear.
  bool IsEventOfInterest(framework::EventType event) const;

  // What the plugin wants to hear of; empty if it has no registrations.
  std::vector<framework::EventType> EventsRegisteredBy(std::string_view plugin) const;

 private:
  static constexpr size_t kResources = static_cast<size_t>(framework::Resource::kAny) + 1;

  std::vector<Registration> registrations_;
  std::array<std::vector<Registration>, kResources> by_resource_;
};

}  // namespace berth::scheduler::queue
