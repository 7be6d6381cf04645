// WakeRules says which plugins of a profile want to hear of which events, because they may make
// pods schedulable that those plugins rejected.
//
// Immutable. The profile must outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "framework/cluster_event.h"
#include "framework/profile.h"

namespace berth {

class WakeRules {
 public:
  struct Rule {
    const Plugin* plugin = nullptr;
    Interest interest;
  };

  // The interests of all plugins that may reject a pod: those that have one of the roles
  // PreEnqueue, PreFilter, Filter, Reserve and Permit. A plugin that wants to hear of new nodes,
  // but not of their taints, hears of those too: a node that is new, and tainted until it is ready,
  // counts as new when the taint goes.
  explicit WakeRules(const Profile& profile);

  // In the order of the profile's plugins.
  std::span<const Rule> rules() const { return rules_; }
  // Those of the rules that may cover an event about `resource`, in the same order. Whether one
  // does is up to its actions.
  std::span<const Rule> RulesAbout(Resource resource) const {
    return by_resource_[static_cast<size_t>(resource)];
  }

  // Whether some rule covers `event`. Of the wildcard everyone wants to hear.
  bool AnyoneCares(EventType event) const;

  // What the plugin wants to hear of; empty if it has no rules.
  std::vector<EventType> EventsOf(std::string_view plugin) const;

 private:
  static constexpr size_t kResources = static_cast<size_t>(Resource::kAny) + 1;

  std::vector<Rule> rules_;
  std::array<std::vector<Rule>, kResources> by_resource_;
};

}  // namespace berth
