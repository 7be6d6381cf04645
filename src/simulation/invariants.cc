#include "simulation/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"
#include "scheduler/reference/evaluate.h"
#include "simulation/device_population.h"
#include "simulation/population.h"

namespace berth::simulation {
namespace {

using Place = scheduler::queue::QueueEntry::Place;

bool IsOurs(const api::Pod& pod) { return pod.spec.scheduler_name == kOurScheduler; }

bool IsPending(const api::Pod& pod) {
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
                       const FaultPlan& plan, scheduler::reference::ReferenceProfile rules)
    : api_(api),
      watch_(watch),
      book_(book),
      plan_(plan),
      rules_(std::move(rules)),
      devices_(api, plan),
      groups_(api, watch, book, devices_) {}

void Invariants::Break(const char* invariant, std::string what) {
  if (!broken_) broken_ = Violation{invariant, std::move(what)};
}

// --- observations ---

void Invariants::PodReserved(const std::string& uid, const std::string& node) {
  if (plan_.groups) {
    for (const auto& [id, object] : watch_.delivered()) {
      const auto pod = As<api::Pod>(object);
      if (pod != nullptr && pod->metadata.uid == uid && pod->spec.pod_group_name) return;
    }
  }
  PodPlaced(uid, node);
}

// Counts what the scheduler knows: the pods that were delivered, and those that it has placed.
void Invariants::PodPlaced(const std::string& uid, const std::string& node_name) {
  uids_.insert(uid);
  const auto node = watch_.Delivered<api::Node>({"", node_name});
  if (node == nullptr) {
    return Break(kNoOvercommit,
                 fmt::format("{} was placed on {}, which does not exist", uid, node_name));
  }
  auto placed_here = [&](const std::map<std::string, std::string>& placed, const std::string& pod) {
    const auto found = placed.find(pod);
    return found != placed.end() && found->second == node_name;
  };
  UsedCapacity used;
  api::Ref<api::Pod> placed;
  for (const auto& [id, object] : watch_.delivered()) {
    const auto pod = As<api::Pod>(object);
    if (pod == nullptr || pod->finished()) continue;
    const std::string& other = pod->metadata.uid;
    const bool reserved_or_bound =
        IsPending(*pod) && (placed_here(book_.reserved, other) || placed_here(book_.bound, other));
    if (other == uid) {
      placed = pod;
    } else if (pod->spec.node_name == node_name || reserved_or_bound) {
      used.Add(*pod);
    }
  }
  if (placed == nullptr) return Break(kOnePlace, uid + " was placed, but does not exist");
  if (!used.Add(*placed)) {
    Break(kNoOvercommit,
          fmt::format("{} was placed on {}: its host port is in use", uid, node_name));
  }
  if (const std::string excess = used.Excess(*node); !excess.empty()) {
    Break(kNoOvercommit, fmt::format("{} was placed on {}: {}", uid, node_name, excess));
  }
}

void Invariants::Decided(const scheduler::engine::Decision& decision,
                         const scheduler::engine::Engine& engine) {
  // A failure may be that of an earlier pod of the same name.
  if (decision.kind == scheduler::engine::Decision::Kind::kUnschedulable) {
    messages_.insert_or_assign(decision.key, decision.message);
  }
  if (decision.kind == scheduler::engine::Decision::Kind::kPlaced) {
    if (auto broken = groups_.Placed(decision.key); broken && !broken_) broken_ = std::move(broken);
    const auto pod = watch_.Delivered<api::Pod>(decision.key);
    const bool in_group = pod != nullptr && pod->spec.pod_group_name.has_value();
    if (plan_.groups && in_group) PodPlaced(pod->metadata.uid, decision.node);
  }
  if (decision.kind != scheduler::engine::Decision::Kind::kFailed) return;
  // A pod that the plugin rejected after Reserve must not become unschedulable if an event that
  // requeues all such pods arrived since.
  const scheduler::model::PodId id =
      engine.cluster().pods().Find(decision.key.namespace_, decision.key.name);
  if (!id.valid() || !IsPending(*engine.cluster().pod(id).object)) return;
  const std::string& uid = engine.cluster().pod(id).uid();
  const auto since = book_.rejected.find(uid);
  if (uid != book_.last_rejected || since == book_.rejected.end()) return;
  if (since->second == book_.requeue_all_events) return;
  if (engine.queue().PlaceOf(id) != Place::kUnschedulable) return;
  if (engine.queue().Find(id)->gate != nullptr) return;  // Its claim is gone.
  Break(kNotLeftUnschedulable, NameOf(engine.cluster().pod(id)) +
                                   " became unschedulable, though an event should requeue it");
}

void Invariants::CommandSent(const scheduler::engine::Command& command,
                             const scheduler::engine::Engine& engine) {
  if (auto broken = devices_.CommandSent(command, engine); broken && !broken_)
    broken_ = std::move(broken);
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

void Invariants::EngineStopped() {
  binds_.clear();
  bound_.clear();
}

// --- after every step ---

std::optional<Violation> Invariants::AfterStep(const scheduler::engine::Engine& engine,
                                               const WriteChannel& writes, Instant now) {
  if (broken_) return broken_;
  if (writes.late_writes() > 0) {
    return Violation{kOneLeader, "a write was executed after the lease of its sender had ended"};
  }
  if (auto broken = BackoffsEndInTime(engine, now)) return broken;
  if (!book_.mistake.empty()) return Violation{kReserve, book_.mistake};
  // The members of a group are reserved for while others are tried.
  const auto tried = static_cast<size_t>(
      std::ranges::count_if(engine.pods_in_cycle(),
                            [&](const std::string& uid) { return book_.reserved.contains(uid); }));
  if (engine.bindings_under_way() + tried != book_.reserved.size()) {
    return Violation{kReserve, fmt::format("{} bindings are under way, {} pods are reserved for",
                                           engine.bindings_under_way(), book_.reserved.size())};
  }
  if (auto broken = PodsAreInPlace(engine)) return broken;
  if (auto broken = NominationsHaveOwners(engine)) return broken;
  if (auto broken = devices_.AfterStep()) return broken;
  return ApiIsNotOvercommitted();
}

// The engine asks to be called when the next pod leaves the backoff queue, at the latest.
std::optional<Violation> Invariants::BackoffsEndInTime(const scheduler::engine::Engine& engine,
                                                       Instant now) const {
  if (engine.queue().sizes().backoff == 0 || engine.cycle_waits()) return std::nullopt;
  const Instant limit =
      now + scheduler::queue::BackoffPolicy().max + scheduler::queue::BackoffTicks::kInterval;
  const std::optional<Instant> wake = engine.next_wake();
  if (wake && *wake <= limit) return std::nullopt;
  return Violation{kOnTime, "pods back off for longer than the longest backoff"};
}

std::optional<Violation> Invariants::PodsAreInPlace(const scheduler::engine::Engine& engine) const {
  size_t delivered = 0, queued = 0, in_flight = 0;
  for (const auto& [id, object] : watch_.delivered()) {
    const auto pod = As<api::Pod>(object);
    if (pod == nullptr || pod->finished()) continue;
    ++delivered;
    const scheduler::model::PodId known =
        engine.cluster().pods().Find(id.key.namespace_, id.key.name);
    if (!known.valid() || engine.cluster().pod(known).uid() != pod->metadata.uid) {
      return Violation{kOnePlace,
                       fmt::format("pod {} ({}) is not known", id.key.name, pod->metadata.uid)};
    }
    if (engine.queue().PlaceOf(known) != Place::kNowhere) ++queued;
    if (auto broken = CheckPlace(engine, engine.cluster().pod(known))) return broken;
  }
  if (engine.cluster().pods().size() != delivered) {
    return Violation{kOnePlace, fmt::format("{} pods were delivered, {} are known", delivered,
                                            engine.cluster().pods().size())};
  }
  for (const auto& [uid, node] : book_.reserved) in_flight += engine.queue().InFlightNow(uid);
  for (const std::string& uid : engine.pods_in_cycle()) {
    if (!book_.reserved.contains(uid)) in_flight += engine.queue().InFlightNow(uid);
  }
  const scheduler::queue::SchedulingQueue::Sizes sizes = engine.queue().sizes();
  if (sizes.in_flight != in_flight) {
    return Violation{kOnePlace,
                     fmt::format("{} pods are in flight, {} of them are reserved for or tried",
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
                     fmt::format("{} is assumed on {}, but has no binding", NameOf(pod), node)};
  }
  if (pod.state != scheduler::model::PodState::kPending || !IsPending(*pod.object))
    return std::nullopt;
  if (queued && reserved != book_.reserved.end()) {
    return Violation{kOnePlace, NameOf(pod) + " is in the queue and being bound"};
  }
  const std::vector<std::string> in_cycle = engine.pods_in_cycle();
  if (std::ranges::find(in_cycle, pod.uid()) != in_cycle.end()) {
    if (!queued) return std::nullopt;
    return Violation{kOnePlace, NameOf(pod) + " is in the queue and being tried"};
  }
  if (!queued) return Violation{kOnePlace, NameOf(pod) + " is neither queued nor being bound"};
  const bool gated = engine.queue().Find(pod.id)->gate != nullptr;
  const bool has_reason = !pod.object->spec.scheduling_gates.empty() ||
                          !pod.object->spec.resource_claims.empty() ||
                          (plan_.groups && pod.object->spec.pod_group_name) ||
                          engine.cluster().preemptions().UnderWay(pod.uid());
  if (gated && !has_reason)
    return Violation{kNotLeftUnschedulable, NameOf(pod) + " is gated without a reason"};
  return std::nullopt;
}

std::optional<Violation> Invariants::NominationsHaveOwners(
    const scheduler::engine::Engine& engine) const {
  for (const auto& [node, pods] : engine.cluster().nominations().by_node()) {
    for (scheduler::model::PodId id : pods) {
      const bool known = engine.cluster().pods().Contains(id);
      if (known && engine.cluster().pod(id).state == scheduler::model::PodState::kPending) continue;
      return Violation{kOwners, fmt::format("{} is nominated to {}, but not pending",
                                            known ? NameOf(engine.cluster().pod(id)) : "no pod",
                                            engine.cluster().symbols().Text(node))};
    }
  }
  return std::nullopt;
}

std::optional<Violation> Invariants::ApiIsNotOvercommitted() const {
  // Pods that overflow a node are not the scheduler's.
  if (!plan_.all_changes_are_delivered() || plan_.overflowing) return std::nullopt;
  std::map<std::string, UsedCapacity> used_by_node;
  for (const auto& pod : api_.All<api::Pod>()) {
    const std::string& node = pod->spec.node_name;
    if (node.empty() || pod->finished() || used_by_node[node].Add(*pod)) continue;
    return Violation{kNoOvercommit, fmt::format("in the API, {}: a host port is used twice", node)};
  }
  for (const auto& [name, used] : used_by_node) {
    const auto node = api_.Find<api::Node>({"", name});
    if (node == nullptr) continue;
    if (const std::string excess = used.Excess(*node); !excess.empty()) {
      return Violation{kNoOvercommit, fmt::format("in the API, {}: {}", name, excess)};
    }
  }
  return std::nullopt;
}

// --- idle worlds ---

// No event announces that a volume is free again, that devices of a deleted claim are, or that a
// plugin would now accept a pod, although the latter retries the pod on any event. And
// kube-scheduler misses some events: other pods'
// anti-affinity when a node is added or relabelled, anti-affinity to pods whose node is deleted,
// and that a pod with affinity to its own labels may become the first of its kind.
bool Invariants::MayWait(const api::Pod& pod) const {
  if (!pod.spec.volumes.empty() || UsesDevices(pod) || MayMissAffinity(pod)) return true;
  const auto rejected = book_.rejected.find(pod.metadata.uid);
  return rejected != book_.rejected.end() && rejected->second == book_.requeue_all_events;
}

bool Invariants::MayMissAffinity(const api::Pod& pod) const {
  const auto message = messages_.find(KeyOf(pod.metadata));
  return message != messages_.end() && message->second.contains("affinity rules");
}

std::optional<Violation> Invariants::NoneLeftUnschedulable(const scheduler::engine::Engine& engine,
                                                           Instant now, bool early) const {
  scheduler::reference::Snapshot snapshot;
  for (const auto& [id, object] : api_.objects()) snapshot.Put(object);
  for (const auto& pod : api_.All<api::Pod>()) {
    if (!IsPending(*pod) || !pod->spec.scheduling_gates.empty()) continue;
    if (plan_.groups && pod->spec.pod_group_name) continue;
    if ((early && MayWait(*pod)) || !devices_.HasItsClaims(*pod)) continue;
    const scheduler::reference::Evaluation evaluation =
        scheduler::reference::Evaluate(snapshot, *pod, rules_, now);
    if (evaluation.best_nodes.empty()) continue;
    const api::ObjectKey key = KeyOf(pod->metadata);
    const scheduler::model::PodId id = engine.cluster().pods().Find(key.namespace_, key.name);
    const Place place = id.valid() ? engine.queue().PlaceOf(id) : Place::kNowhere;
    constexpr const char* kPlaces[] = {"nowhere", "ready", "backing off",
                                       "backing off after errors", "unschedulable"};
    return Violation{kNotLeftUnschedulable,
                     fmt::format("pod {} ({}) fits on {}, but is {}", key.name, pod->metadata.uid,
                                 evaluation.best_nodes[0], kPlaces[static_cast<size_t>(place)])};
  }
  if (plan_.groups && !early) return groups_.NoneLeftWaiting(rules_, now);
  return std::nullopt;
}

std::optional<Violation> Invariants::NominationsAreCurrent(bool early) const {
  const auto pods = api_.All<api::Pod>();
  for (const auto& pod : pods) {
    const std::string& node = pod->status.nominated_node_name;
    if (!IsPending(*pod) || node.empty() || !devices_.HasItsClaims(*pod)) continue;
    // As in kube-scheduler; the engine reserves nothing for it.
    if (plan_.groups && groups_.IsHeld(*pod)) continue;
    // No event announces that its victim's end has helped.
    if (early && MayMissAffinity(*pod)) continue;
    const bool waits = std::ranges::any_of(pods, [&](const auto& other) {
      return other->spec.node_name == node && other->metadata.deletion_timestamp &&
             other->priority() < pod->priority();
    });
    if (waits) continue;
    return Violation{kNominations,
                     fmt::format("pod {} ({}) is nominated to {}, but waits for no victims there",
                                 pod->metadata.name, pod->metadata.uid, node)};
  }
  return std::nullopt;
}

std::optional<Violation> Invariants::WhenIdle(const scheduler::engine::Engine& engine) const {
  if (auto broken = devices_.WhenIdle(engine)) return broken;
  std::optional<Violation> broken;
  engine.cluster().pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    if (broken || pod.state != scheduler::model::PodState::kAssumed) return;
    broken = Violation{kOwners, NameOf(pod) + " is assumed, but has no binding"};
  });
  if (broken) return broken;
  if (engine.bindings_under_way() != 0 || !engine.waiting_pods().all().empty()) {
    return Violation{kOwners,
                     fmt::format("{} bindings never end, {} pods wait for a permit forever",
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
  return NominationsAreCurrent(/*early=*/false);
}

std::optional<Violation> Invariants::CacheMatchesApi(
    const scheduler::engine::Engine& engine) const {
  std::optional<Violation> broken;
  engine.cluster().pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    const auto current = api_.Find<api::Pod>(pod.key());
    const bool same = current != nullptr &&
                      current->metadata.resource_version == pod.object->metadata.resource_version;
    if (!same) broken = Violation{kOnePlace, NameOf(pod) + " differs from the API's version"};
  });
  return broken ? broken : devices_.CacheMatchesApi(engine);
}

std::optional<Violation> Invariants::WhenEmpty(const scheduler::engine::Engine& engine) const {
  const scheduler::model::Cluster& cluster = engine.cluster();
  for (const std::string& uid : uids_) {
    if (!cluster.preemptions().UnderWay(uid)) continue;
    return Violation{kBounded, fmt::format("{} is deleted and still preempting", uid)};
  }
  const size_t pods = cluster.pods().size(), nodes = cluster.nodes().present_count();
  const size_t labels = cluster.pod_labels().size();
  if (pods == 0 && nodes == 0 && labels == 0 && cluster.nominations().empty()) return std::nullopt;
  return Violation{
      kBounded,
      fmt::format("{} pods, {} nodes and {} label sets remain, though all objects are deleted",
                  pods, nodes, labels)};
}

}  // namespace berth::simulation
