#include "scheduler/queue/queueing_hints.h"

#include <algorithm>

#include "scheduler/framework/profile.h"

namespace berth::scheduler::queue {
namespace {

template <typename Role>
bool HasRole(const framework::Plugin& plugin) {
  return dynamic_cast<const Role*>(&plugin) != nullptr;
}

bool MayReject(const framework::Plugin& plugin) {
  return HasRole<framework::PreEnqueuePlugin>(plugin) ||
         HasRole<framework::PreFilterPlugin>(plugin) || HasRole<framework::FilterPlugin>(plugin) ||
         HasRole<framework::ReservePlugin>(plugin) || HasRole<framework::PermitPlugin>(plugin);
}

bool RegistersForNode(const std::vector<framework::ClusterEventWithHint>& events,
                      framework::Actions action) {
  return std::ranges::any_of(events, [&](const framework::ClusterEventWithHint& event) {
    return event.type.resource == framework::Resource::kNode && (event.type.actions & action) != 0;
  });
}

std::vector<framework::ClusterEventWithHint> RegisteredEvents(const framework::Plugin& plugin) {
  std::vector<framework::ClusterEventWithHint> events = plugin.EventsToRegister();
  if (RegistersForNode(events, framework::kAdd) &&
      !RegistersForNode(events, framework::kUpdateNodeTaint)) {
    events.push_back(
        {{framework::Resource::kNode, framework::kUpdateNodeTaint}, /*conditional=*/false});
  }
  return events;
}

}  // namespace

QueueingHintMap::QueueingHintMap(const framework::Profile& profile) {
  for (const auto& plugin : profile.plugins()) {
    if (!MayReject(*plugin)) continue;
    for (const framework::ClusterEventWithHint& event : RegisteredEvents(*plugin)) {
      registrations_.push_back({plugin.get(), event});
    }
  }
  for (size_t i = 0; i < kResources; ++i) {
    // One matching action is enough here.
    auto may_cover = [&](const Registration& registration) {
      const framework::EventType type = registration.event.type;
      return type.Covers({static_cast<framework::Resource>(i), type.actions});
    };
    std::ranges::copy_if(registrations_, std::back_inserter(by_resource_[i]), may_cover);
  }
}

bool QueueingHintMap::IsEventOfInterest(framework::EventType event) const {
  return event.wildcard() || std::ranges::any_of(RegistrationsFor(event.resource),
                                                 [&](const Registration& registration) {
                                                   return registration.event.type.Covers(event);
                                                 });
}

std::vector<framework::EventType> QueueingHintMap::EventsRegisteredBy(
    std::string_view plugin) const {
  std::vector<framework::EventType> events;
  for (const Registration& registration : registrations_) {
    if (registration.plugin->name() == plugin) events.push_back(registration.event.type);
  }
  return events;
}

}  // namespace berth::scheduler::queue
