#include "simulation/group_invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "base/check.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/reference/evaluate.h"
#include "simulation/population.h"

namespace berth::simulation {
namespace {

// The living members of a group in the API.
struct Members {
  int64_t on_nodes = 0;
  int64_t waiting = 0;
  std::vector<api::Ref<api::Pod>> ready;  // Of those that wait: no gate holds them.
};

Members MembersOf(const ApiModel& api, const api::ObjectKey& group) {
  Members members;
  for (const auto& pod : api.All<api::Pod>()) {
    if (pod->finished() || scheduler::model::GroupNamedBy(*pod) != group) continue;
    if (!pod->spec.node_name.empty()) {
      ++members.on_nodes;
    } else if (pod->spec.scheduler_name == kOurScheduler) {
      ++members.waiting;
      if (pod->spec.scheduling_gates.empty() && !pod->metadata.deletion_timestamp)
        members.ready.push_back(pod);
    }
  }
  return members;
}

}  // namespace

std::optional<Violation> GroupInvariants::Placed(const api::ObjectKey& key) const {
  const auto pod = watch_.Delivered<api::Pod>(key);
  const auto name = pod == nullptr ? std::nullopt : scheduler::model::GroupNamedBy(*pod);
  const auto group = name ? watch_.Delivered<api::PodGroup>(*name) : nullptr;
  if (group == nullptr || !group->min_count) return std::nullopt;
  int64_t on_nodes = 0;
  for (const auto& [id, object] : watch_.delivered()) {
    const auto other = As<api::Pod>(object);
    if (other == nullptr || other->finished() || scheduler::model::GroupNamedBy(*other) != name)
      continue;
    const std::string& uid = other->metadata.uid;
    if (!other->spec.node_name.empty() || book_.reserved.contains(uid) || book_.bound.contains(uid))
      ++on_nodes;
  }
  if (on_nodes >= *group->min_count) return std::nullopt;
  return Violation{kGang, fmt::format("{} is bound, with {} of {} members of {} on nodes", key.name,
                                      on_nodes, *group->min_count, name->name)};
}

bool GroupInvariants::IsHeld(const api::Pod& pod) const {
  const auto key = scheduler::model::GroupNamedBy(pod);
  if (!key) return false;
  const auto group = api_.Find<api::PodGroup>(*key);
  const Members members = MembersOf(api_, *key);
  return group == nullptr || members.on_nodes + members.waiting < group->min_count.value_or(1);
}

std::optional<Violation> GroupInvariants::NoneLeftWaiting(
    const scheduler::reference::ReferenceProfile& rules, Instant now) const {
  scheduler::reference::Snapshot snapshot;
  for (const auto& [id, object] : api_.objects()) snapshot.Put(object);
  for (const auto& group : api_.All<api::PodGroup>()) {
    const Members members = MembersOf(api_, KeyOf(group->metadata));
    const int64_t wanted = group->min_count.value_or(1);
    // Members of a group in one domain may fit outside of it.
    if (!group->topology_keys.empty() || members.on_nodes + 1 < wanted) continue;
    if (members.on_nodes + members.waiting < wanted) continue;
    for (const auto& pod : members.ready) {
      if (!devices_.HasItsClaims(*pod)) continue;
      const auto evaluation = scheduler::reference::Evaluate(snapshot, *pod, rules, now);
      if (evaluation.best_nodes.empty()) continue;
      return Violation{kGroupProgress,
                       fmt::format("{} of {} fits on {}, and waits", pod->metadata.name,
                                   group->metadata.name, evaluation.best_nodes[0])};
    }
  }
  return std::nullopt;
}

std::optional<Violation> GroupInvariants::NoneLeftByOthers(
    const scheduler::framework::ProfileConfig& profile, const scheduler::model::Features& features,
    Instant now) const {
  ReservationBook book(/*seed=*/0);
  book.calm = true;
  scheduler::engine::EngineOptions options;
  options.profiles = {profile};
  options.features = features;
  const scheduler::framework::Registry registry = RegistryWith(book);
  auto engine = scheduler::engine::Engine::Make(options, registry);
  CHECK(engine.has_value());
  for (const bool pods : {false, true}) {
    for (const auto& [id, object] : api_.objects()) {
      if (std::holds_alternative<api::Ref<api::Pod>>(object) == pods)
        (*engine)->Handle(scheduler::engine::ObjectPut{object}, now);
    }
  }
  (*engine)->Schedule(now);
  for (const scheduler::engine::Command& command : (*engine)->TakeCommands()) {
    const auto* bind = std::get_if<scheduler::framework::BindPod>(&command.write);
    const auto pod = bind == nullptr ? nullptr : api_.Find<api::Pod>(bind->pod);
    if (pod == nullptr || !pod->spec.pod_group_name) continue;
    // Members without their claims are not tried. The other scheduler reads all objects as they
    // are.
    const auto members = MembersOf(api_, *scheduler::model::GroupNamedBy(*pod)).ready;
    if (!std::ranges::all_of(members,
                             [&](const auto& member) { return devices_.HasItsClaims(*member); }))
      continue;
    return Violation{kGroupProgress,
                     fmt::format("another scheduler would place {} of {} on {}", bind->pod.name,
                                 *pod->spec.pod_group_name, bind->node)};
  }
  return std::nullopt;
}

}  // namespace berth::simulation
