#include "framework/wake_rules.h"

#include <algorithm>

namespace berth {
namespace {

template <typename Role>
bool Plays(const Plugin& plugin) {
  return dynamic_cast<const Role*>(&plugin) != nullptr;
}

bool MayReject(const Plugin& plugin) {
  return Plays<PreEnqueuePlugin>(plugin) || Plays<PreFilterPlugin>(plugin) ||
         Plays<FilterPlugin>(plugin) || Plays<ReservePlugin>(plugin) || Plays<PermitPlugin>(plugin);
}

bool WantsNode(const std::vector<Interest>& interests, Actions action) {
  return std::ranges::any_of(interests, [&](const Interest& interest) {
    return interest.type.resource == Resource::kNode && (interest.type.actions & action) != 0;
  });
}

std::vector<Interest> InterestsOf(const Plugin& plugin) {
  std::vector<Interest> interests = plugin.Interests();
  if (WantsNode(interests, kAdd) && !WantsNode(interests, kUpdateNodeTaint)) {
    interests.push_back({{Resource::kNode, kUpdateNodeTaint}, /*conditional=*/false});
  }
  return interests;
}

}  // namespace

WakeRules::WakeRules(const Profile& profile) {
  for (const auto& plugin : profile.plugins()) {
    if (!MayReject(*plugin)) continue;
    for (const Interest& interest : InterestsOf(*plugin)) {
      rules_.push_back({plugin.get(), interest});
    }
  }
  for (size_t i = 0; i < kResources; ++i) {
    // Any action of the interest will do here.
    auto may_cover = [&](const Rule& rule) {
      const EventType type = rule.interest.type;
      return type.Covers({static_cast<Resource>(i), type.actions});
    };
    std::ranges::copy_if(rules_, std::back_inserter(by_resource_[i]), may_cover);
  }
}

bool WakeRules::AnyoneCares(EventType event) const {
  return event.wildcard() || std::ranges::any_of(RulesAbout(event.resource), [&](const Rule& rule) {
           return rule.interest.type.Covers(event);
         });
}

std::vector<EventType> WakeRules::EventsOf(std::string_view plugin) const {
  std::vector<EventType> events;
  for (const Rule& rule : rules_) {
    if (rule.plugin->name() == plugin) events.push_back(rule.interest.type);
  }
  return events;
}

}  // namespace berth
