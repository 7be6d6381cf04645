// QueueingHintMap holds which plugins of a profile registered for which events, because the events
// may make pods schedulable that those plugins rejected.
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

  // Collects the registrations of all plugins that may reject a pod: those at PreEnqueue,
  // PreFilter, Filter, Reserve and Permit. A plugin that registers for new nodes, but not for their
  // taints, gets those too: a new node that is tainted until it is ready counts as new when the
  // taint is removed.
  explicit QueueingHintMap(const framework::Profile& profile);

  // In the order of the profile's plugins.
  std::span<const Registration> registrations() const { return registrations_; }
  // The registrations that may cover an event about `resource`, in the same order. Whether one does
  // depends on its actions.
  std::span<const Registration> RegistrationsFor(framework::Resource resource) const {
    return by_resource_[static_cast<size_t>(resource)];
  }

  // Reports whether some registration covers `event`. Every one covers the wildcard.
  bool IsEventOfInterest(framework::EventType event) const;

  // Returns the events of the plugin; empty if it has no registrations.
  std::vector<framework::EventType> EventsRegisteredBy(std::string_view plugin) const;

 private:
  static constexpr size_t kResources = static_cast<size_t>(framework::Resource::kAny) + 1;

  std::vector<Registration> registrations_;
  std::array<std::vector<Registration>, kResources> by_resource_;
};

}  // namespace berth::scheduler::queue
