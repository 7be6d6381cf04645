#include "simulation/invariants.h"

#include <fmt/format.h>

#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"
#include "scheduler/reference/evaluate.h"
#include "simulation/population.h"

namespace berth::simulation {
namespace {

using Place = scheduler::queue::QueueEntry::Place;

bool IsOurs(const api::Pod& pod) { return pod.spec.scheduler_name == kOurScheduler; }

bool Waits(const api::Pod& pod) {
  return IsOurs(pod) && pod.spec.node_name.empty() && !pod.finished() &&
         !pod.metadata.deletion_timestamp;
}

std::string NameOf(const scheduler::model::PodRecord& pod) {
  return fmt::format("pod {} ({})", pod.object->metadata.name, pod.uid());
}

const char* ToString(scheduler::model::PodState state) {
  switch (state) {
    case scheduler::model::PodState::kPending:
      return "pending";
    case scheduler::model::PodState::kAssumed:
      return "assumed";
    case scheduler::model::PodState::kBound:
      return "bound";
  }
  return "";
}

}  // namespace

Invariants::Invariants(const ApiModel& api, const Watch& watch, const ReservationBook& book,
                       const FaultPlan& plan, const scheduler::framework::ProfileConfig& profile)
    : api_(api),
      watch_(watch),
      book_(book),
      plan_(plan),
      rules_(scheduler::reference::ReferenceProfileOf(profile)) {}

void Invariants::Break(const char* invariant, std::string what) {
  if (!broken_) broken_ = Violation{invariant, std::move(what)};
}

// --- what happens ---

// Judged by what the scheduler knows: pods that it was told of, and those that it has placed.
void Invariants::PodPlaced(const std::string& uid, const std::string& node_name) {
  uids_.insert(uid);
  const auto node = watch_.Delivered<api::Node>({"", node_name});
  if (node == nullptr) {
    return Break(kNoOvercommit, fmt::format("{} was placed on {}, which is gone", uid, node_name));
  }
  auto placed_here = [&](const std::map<std::string, std::string>& placed, const std::string& pod) {
    const auto found = placed.find(pod);
    return found != placed.end() && found->second == node_name;
  };
  UsedCapacity used;
  api::Ref<api::Pod> placed;
  for (const auto& [id, object] : watch_.told()) {
    const auto pod = As<api::Pod>(object);
    if (pod == nullptr || pod->finished()) continue;
    const std::string& other = pod->metadata.uid;
    const bool on_its_way =
        Waits(*pod) && (placed_here(book_.reserved, other) || placed_here(book_.bound, other));
    if (other == uid) {
      placed = pod;
    } else if (pod->spec.node_name == node_name || on_its_way) {
      used.Take(*pod);
    }
  }
  if (placed == nullptr) return Break(kOnePlace, uid + " was placed, but is gone");
  if (!used.Take(*placed)) {
    Break(kNoOvercommit,
          fmt::format("{} was placed on {}: its host port is taken", uid, node_name));
  }
  if (const std::string excess = used.Excess(*node); !excess.empty()) {
    Break(kNoOvercommit, fmt::format("{} was placed on {}: {}", uid, node_name, excess));
  }
}

void Invariants::Decided(const scheduler::engine::Decision& decision,
                         const scheduler::engine::Engine& engine) {
  // A failure may be that of an earlier pod of this name.
  if (decision.kind == scheduler::engine::Decision::Kind::kUnschedulable) {
    messages_.insert_or_assign(decision.key, decision.message);
  }
  if (decision.kind != scheduler::engine::Decision::Kind::kFailed) return;
  // A pod that the plugin, which wants to hear of everything, has let down is not parked if
  // something happened since it was reserved for: that was not lost on it.
  const scheduler::model::PodId id =
      engine.cluster().pods().Find(decision.key.namespace_, decision.key.name);
  if (!id.valid() || !Waits(*engine.cluster().pod(id).object)) return;
  const std::string& uid = engine.cluster().pod(id).uid();
  const auto since = book_.rejected.find(uid);
  if (uid != book_.last_rejected || since == book_.rejected.end()) return;
  if (since->second == book_.loud_events) return;
  if (engine.queue().PlaceOf(id) != Place::kUnschedulable) return;
  Break(kNotLeftUnschedulable,
        NameOf(engine.cluster().pod(id)) + " was parked, though something happened");
}

void Invariants::CommandSent(const scheduler::engine::Command& command) {
  const auto* bind = std::get_if<scheduler::framework::BindPod>(&command.write);
  if (bind == nullptr) return;
  for (const auto& [id, uid] : binds_) {
    if (uid == bind->uid) Break(kBoundOnce, uid + " is being bound already");
  }
  if (bound_.contains(bind->uid)) Break(kBoundOnce, bind->uid + " is bound already");
  const auto reserved = book_.reserved.find(bind->uid);
  if (reserved == book_.reserved.end() || reserved->second != bind->node) {
    Break(kReserve, fmt::format("{} is bound to {} without a reservation", bind->uid, bind->node));
  }
  binds_.emplace(command.id, bind->uid);
}

void Invariants::WriteEnded(const scheduler::engine::WriteDone& done) {
  auto bind = binds_.extract(done.id);
  if (!bind.empty() && done.result.ok()) bound_.insert(bind.mapped());
}

void Invariants::EngineDied() {
  binds_.clear();
  bound_.clear();
}

// --- after every step ---

std::optional<Violation> Invariants::AfterStep(const scheduler::engine::Engine& engine) {
  if (broken_) return broken_;
  if (!book_.mistake.empty()) return Violation{kReserve, book_.mistake};
  if (engine.bindings_under_way() != book_.reserved.size()) {
    return Violation{kReserve, fmt::format("{} bindings are under way, {} pods are reserved for",
                                           engine.bindings_under_way(), book_.reserved.size())};
  }
  if (auto broken = PodsAreInPlace(engine)) return broken;
  if (auto broken = NominationsHaveOwners(engine)) return broken;
  return TruthHolds();
}

std::optional<Violation> Invariants::PodsAreInPlace(const scheduler::engine::Engine& engine) const {
  size_t told = 0, queued = 0, in_flight = 0;
  for (const auto& [id, object] : watch_.told()) {
    const auto pod = As<api::Pod>(object);
    if (pod == nullptr || pod->finished()) continue;
    ++told;
    const scheduler::model::PodId known =
        engine.cluster().pods().Find(id.key.namespace_, id.key.name);
    if (!known.valid() || engine.cluster().pod(known).uid() != pod->metadata.uid) {
      return Violation{kOnePlace,
                       fmt::format("pod {} ({}) is not known", id.key.name, pod->metadata.uid)};
    }
    if (engine.queue().PlaceOf(known) != Place::kNowhere) ++queued;
    if (auto broken = CheckPlace(engine, engine.cluster().pod(known))) return broken;
  }
  if (engine.cluster().pods().size() != told) {
    return Violation{kOnePlace, fmt::format("{} pods were told of, {} are known", told,
                                            engine.cluster().pods().size())};
  }
  for (const auto& [uid, node] : book_.reserved) in_flight += engine.queue().InFlightNow(uid);
  const scheduler::queue::SchedulingQueue::Sizes sizes = engine.queue().sizes();
  if (sizes.in_flight != in_flight) {
    return Violation{kOnePlace, fmt::format("{} pods are in flight, {} of them are reserved for",
                                            sizes.in_flight, in_flight)};
  }
  const size_t waiting = sizes.active + sizes.backoff + sizes.unschedulable + sizes.gated;
  if (waiting != queued) {
    return Violation{
        kOnePlace, fmt::format("{} pods are in the queue, {} of them are known", waiting, queued)};
  }
  return std::nullopt;
}

std::optional<Violation> Invariants::CheckPlace(const scheduler::engine::Engine& engine,
                                                const scheduler::model::PodRecord& pod) const {
  const bool queued = engine.queue().PlaceOf(pod.id) != Place::kNowhere;
  const auto reserved = book_.reserved.find(pod.uid());
  const auto bound = book_.bound.find(pod.uid());
  if (queued && (pod.state != scheduler::model::PodState::kPending || !IsOurs(*pod.object))) {
    return Violation{kOnePlace,
                     fmt::format("{} is {} and in the queue", NameOf(pod), ToString(pod.state))};
  }
  if (pod.state == scheduler::model::PodState::kAssumed) {
    const auto& owner = reserved != book_.reserved.end() ? reserved : bound;
    const bool owned = reserved != book_.reserved.end() || bound != book_.bound.end();
    const std::string& node = engine.cluster().nodes().name(pod.node);
    if (owned && owner->second == node) return std::nullopt;
    return Violation{kOwners,
                     fmt::format("{} is assumed on {}, and no one binds it", NameOf(pod), node)};
  }
  if (pod.state != scheduler::model::PodState::kPending || !Waits(*pod.object)) return std::nullopt;
  if (queued && reserved != book_.reserved.end()) {
    return Violation{kOnePlace, NameOf(pod) + " is in the queue and being bound"};
  }
  if (!queued) return Violation{kOnePlace, NameOf(pod) + " is nowhere"};
  const bool gated = engine.queue().Find(pod.id)->gate != nullptr;
  const bool has_reason = !pod.object->spec.scheduling_gates.empty() ||
                          engine.cluster().preemptions().UnderWay(pod.uid());
  if (gated && !has_reason)
    return Violation{kNotLeftUnschedulable, NameOf(pod) + " waits at an open gate"};
  return std::nullopt;
}

std::optional<Violation> Invariants::NominationsHaveOwners(
    const scheduler::engine::Engine& engine) const {
  for (const auto& [node, pods] : engine.cluster().nominations().by_node()) {
    for (scheduler::model::PodId id : pods) {
      const bool known = engine.cluster().pods().Contains(id);
      if (known && engine.cluster().pod(id).state == scheduler::model::PodState::kPending) continue;
      return Violation{kOwners, fmt::format("{} is nominated to {}, and does not wait",
                                            known ? NameOf(engine.cluster().pod(id)) : "no pod",
                                            engine.cluster().symbols().Text(node))};
    }
  }
  return std::nullopt;
}

std::optional<Violation> Invariants::TruthHolds() const {
  if (!plan_.all_changes_are_delivered()) return std::nullopt;
  std::map<std::string, UsedCapacity> used_by_node;
  for (const auto& pod : api_.All<api::Pod>()) {
    const std::string& node = pod->spec.node_name;
    if (node.empty() || pod->finished() || used_by_node[node].Take(*pod)) continue;
    return Violation{kNoOvercommit, fmt::format("in truth, {}: a host port is taken twice", node)};
  }
  for (const auto& [name, used] : used_by_node) {
    const auto node = api_.Find<api::Node>({"", name});
    if (node == nullptr) continue;
    if (const std::string excess = used.Excess(*node); !excess.empty()) {
      return Violation{kNoOvercommit, fmt::format("in truth, {}: {}", name, excess)};
    }
  }
  return std::nullopt;
}

// --- when quiet ---

// Nothing tells when a volume that was taken is free again, or when a plugin would let a pod pass;
// but the latter has the pod tried again whenever anything happens. And there are things that
// kube-scheduler does not think of: other pods' anti-affinity when a node comes or changes its
// labels, anti-affinity to pods whose node goes, and that a pod with affinity to its like may be
// the first of them once all others are gone.
bool Invariants::MayWait(const api::Pod& pod) const {
  if (!pod.spec.volumes.empty()) return true;
  const auto message = messages_.find(KeyOf(pod.metadata));
  if (message != messages_.end() && message->second.contains("affinity rules")) return true;
  const auto rejected = book_.rejected.find(pod.metadata.uid);
  return rejected != book_.rejected.end() && rejected->second == book_.loud_events;
}

std::optional<Violation> Invariants::NoneLeftUnschedulable(const scheduler::engine::Engine& engine,
                                                           Instant now, bool early) const {
  scheduler::reference::Snapshot world;
  for (const auto& [id, object] : api_.objects()) world.Put(object);
  for (const auto& pod : api_.All<api::Pod>()) {
    if (!Waits(*pod) || !pod->spec.scheduling_gates.empty()) continue;
    if (early && MayWait(*pod)) continue;
    const scheduler::reference::Evaluation answer =
        scheduler::reference::Evaluate(world, *pod, rules_, now);
    if (answer.best_nodes.empty()) continue;
    const api::ObjectKey key = KeyOf(pod->metadata);
    const scheduler::model::PodId id = engine.cluster().pods().Find(key.namespace_, key.name);
    const Place place = id.valid() ? engine.queue().PlaceOf(id) : Place::kNowhere;
    constexpr const char* kPlaces[] = {"nowhere", "ready", "backing off",
                                       "backing off after errors", "parked"};
    return Violation{kNotLeftUnschedulable,
                     fmt::format("pod {} ({}) fits on {}, but is {}", key.name, pod->metadata.uid,
                                 answer.best_nodes[0], kPlaces[static_cast<size_t>(place)])};
  }
  return std::nullopt;
}

std::optional<Violation> Invariants::WhenQuiet(const scheduler::engine::Engine& engine) const {
  std::optional<Violation> broken;
  engine.cluster().pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    if (broken || pod.state != scheduler::model::PodState::kAssumed) return;
    broken = Violation{kOwners, NameOf(pod) + " is assumed, and nothing is under way for it"};
  });
  if (broken) return broken;
  if (engine.bindings_under_way() != 0 || !engine.waiting_pods().all().empty()) {
    return Violation{kOwners,
                     fmt::format("{} bindings never end, {} pods wait for a permit for ever",
                                 engine.bindings_under_way(), engine.waiting_pods().all().size())};
  }
  const scheduler::queue::SchedulingQueue::Sizes sizes = engine.queue().sizes();
  if (sizes.in_flight != 0 || sizes.in_flight_events != 0) {
    return Violation{kBounded, fmt::format("{} pods and {} events are in flight", sizes.in_flight,
                                           sizes.in_flight_events)};
  }
  for (const auto& pod : api_.All<api::Pod>()) {
    if (engine.cluster().preemptions().UnderWay(pod->metadata.uid)) {
      return Violation{kBounded, fmt::format("pod {} is still preempting", pod->metadata.name)};
    }
  }
  return std::nullopt;
}

std::optional<Violation> Invariants::KnowsTheTruth(const scheduler::engine::Engine& engine) const {
  std::optional<Violation> broken;
  engine.cluster().pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    const auto truth = api_.Find<api::Pod>(pod.key());
    const bool same = truth != nullptr &&
                      truth->metadata.resource_version == pod.object->metadata.resource_version;
    if (!same) broken = Violation{kOnePlace, NameOf(pod) + " is not as the API has it"};
  });
  return broken;
}

std::optional<Violation> Invariants::WhenEmpty(const scheduler::engine::Engine& engine) const {
  const scheduler::model::Cluster& cluster = engine.cluster();
  for (const std::string& uid : uids_) {
    if (!cluster.preemptions().UnderWay(uid)) continue;
    return Violation{kBounded, fmt::format("{} is gone and still preempting", uid)};
  }
  const size_t pods = cluster.pods().size(), nodes = cluster.nodes().present_count();
  const size_t labels = cluster.pod_labels().size();
  if (pods == 0 && nodes == 0 && labels == 0 && cluster.nominations().empty()) return std::nullopt;
  return Violation{kBounded, fmt::format("{} pods, {} nodes and {} label sets are left of nothing",
                                         pods, nodes, labels)};
}

}  // namespace berth::simulation
