#include "runtime/shadow_timeline.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "api/object.h"
#include "scheduler/engine/what_if.h"
#include "scheduler/model/cluster.h"

namespace berth::runtime {
namespace {

const api::PodCondition* ScheduledCondition(const api::Pod& pod) {
  const auto& conditions = pod.status.conditions;
  const auto found = std::ranges::find(conditions, "PodScheduled", &api::PodCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

// Reports whether the status shows a failed attempt.
bool HasFailed(const api::Pod& pod) {
  const api::PodCondition* condition = ScheduledCondition(pod);
  return condition != nullptr && condition->status == "False" &&
         condition->reason != "SchedulingGated";
}

bool ShowsNewFailure(const api::Pod& before, const api::Pod& after) {
  if (!HasFailed(after)) return false;
  return !HasFailed(before) ||
         ScheduledCondition(before)->message != ScheduledCondition(after)->message;
}

// Returns the pod on the node that it is nominated for.
api::Ref<api::Pod> OnNominatedNode(const api::Pod& pod) {
  auto placed = api::CopyToChange(pod);
  placed->spec.node_name = pod.status.nominated_node_name;
  return placed;
}

// Reports whether the change of a pod may change decisions about other pods.
bool Changes(const api::Pod& before, const api::Pod& after) {
  const bool was_placed = !before.spec.node_name.empty();
  if (before.metadata.uid != after.metadata.uid) return false;  // Cannot be undone.
  if (after.finished()) return was_placed;
  if (!was_placed && after.spec.node_name.empty()) {
    return before.status.nominated_node_name != after.status.nominated_node_name;
  }
  // The first statuses of containers repeat what the spec says.
  const bool resized = !before.status.container_statuses.empty() &&
                       (before.status.container_statuses != after.status.container_statuses ||
                        before.status.resources != after.status.resources);
  return resized || before.spec != after.spec || before.metadata.labels != after.metadata.labels ||
         before.metadata.deletion_timestamp.has_value() !=
             after.metadata.deletion_timestamp.has_value();
}

// Reports whether the event says that a pod has started, and when.
bool Starts(const scheduler::engine::Event& event, const std::optional<api::Object>& replaced) {
  const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
  if (put == nullptr || !replaced) return false;
  const auto* after = std::get_if<api::Ref<api::Pod>>(&put->object);
  const auto* before = std::get_if<api::Ref<api::Pod>>(&*replaced);
  return after != nullptr && before != nullptr && !(*after)->spec.node_name.empty() &&
         (*before)->metadata.uid == (*after)->metadata.uid &&
         (*before)->status.start_time != (*after)->status.start_time;
}

template <typename T>
bool Changes(const T& before, const T& after) {
  T same_version = before;
  same_version.metadata.resource_version = after.metadata.resource_version;
  return !(same_version == after);
}

}  // namespace

const api::Object* ObjectOf(const scheduler::engine::Event& event) {
  if (const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event)) return &put->object;
  const auto* deleted = std::get_if<scheduler::engine::ObjectDeleted>(&event);
  return deleted == nullptr ? nullptr : &deleted->object;
}

bool Matters(const scheduler::engine::Event& event, const std::optional<api::Object>& replaced) {
  const auto pod_of = [](const api::Object& object) {
    const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
    return pod == nullptr ? nullptr : pod->get();
  };
  const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
  if (put == nullptr) {
    if (!replaced) return false;
    const api::Pod* pod = pod_of(*replaced);
    return pod == nullptr || !pod->spec.node_name.empty() ||
           !pod->status.nominated_node_name.empty();
  }
  if (!replaced) {
    const api::Pod* pod = pod_of(put->object);
    return pod == nullptr || (!pod->spec.node_name.empty() && !pod->finished());
  }
  return std::visit(
      [&]<typename T>(const std::shared_ptr<const T>& after) {
        return Changes(*std::get<api::Ref<T>>(*replaced), *after);
      },
      put->object);
}

void ShadowTimeline::Add(scheduler::engine::Event event, Instant now, bool judges) {
  judges_ = judges;
  Moment moment{++last_position_, now, std::move(event)};
  const api::Object* object = ObjectOf(moment.event);
  if (object != nullptr) {
    if (const auto* pod = std::get_if<api::Ref<api::Pod>>(object)) {
      if (std::holds_alternative<scheduler::engine::ObjectDeleted>(moment.event)) {
        waiting_.erase(api::KeyOf(*object));
      } else {
        moment.decision = SeePod(*pod, moment);
      }
    }
  }
  if (!judges) moment.decision.reset();
  if (moment.decision) last_decision_at_ = now;
  held_.push_back(std::move(moment));
}

std::optional<ObservedDecision> ShadowTimeline::SeePod(const api::Ref<api::Pod>& pod,
                                                       const Moment& moment) {
  const uint64_t position = moment.position;
  const api::ObjectKey key{pod->metadata.namespace_, pod->metadata.name};
  const auto known = waiting_.find(key);
  const bool waits = pod->spec.node_name.empty() && !pod->finished() && engine_.Serves(*pod);
  if (known == waiting_.end() || known->second.pod->metadata.uid != pod->metadata.uid) {
    if (known != waiting_.end()) waiting_.erase(known);
    if (waits)
      waiting_.emplace(
          key, WaitingPod{pod, position, moment.arrived, !HasFailed(*pod), !judges_, position});
    return std::nullopt;
  }

  WaitingPod& waiting = known->second;
  const api::Ref<api::Pod> before = std::exchange(waiting.pod, pod);
  if (waiting.failed > waiting.since && moment.arrived - waiting.failed_at >= settle_time_) {
    waiting.since = waiting.failed;
    waiting.since_at = waiting.failed_at;
  }
  std::optional<ObservedDecision> decision;
  const auto kind = KindOfDecision(*before, *pod);
  if (kind) NoteStart(moment.arrived);
  // A nomination without a failure, such as a preemptor's, announces a bind that takes long: the
  // attempt goes on.
  const bool is_bound_soon = kind == Judgement::Kind::kNominated && !ShowsNewFailure(*before, *pod);
  if (kind || (waits && before->status.nominated_node_name != pod->status.nominated_node_name)) {
    const std::string& node =
        kind == Judgement::Kind::kPlaced ? pod->spec.node_name : pod->status.nominated_node_name;
    decision = {.position = position,
                .since = waiting.since,
                .since_at = waiting.since_at,
                .first = waiting.first,
                .unordered = waiting.unordered,
                .created = waiting.created,
                .kind = kind.value_or(Judgement::Kind::kUnschedulable),
                .node = node,
                // A bind that was announced was decided, and judged, then.
                .judged = kind && (kind != Judgement::Kind::kPlaced || node != waiting.announced),
                .before = before,
                .after = pod,
                .assumed = is_bound_soon ? OnNominatedNode(*pod) : nullptr};
  }
  if (is_bound_soon) waiting.announced = pod->status.nominated_node_name;
  if (!waits) {
    waiting_.erase(known);
  } else if ((kind && !is_bound_soon) || ShowsNewFailure(*before, *pod)) {
    waiting.first = false;
    waiting.announced.clear();
    waiting.failed = position;
    waiting.failed_at = moment.arrived;
  } else if (!before->spec.scheduling_gates.empty() && pod->spec.scheduling_gates.empty()) {
    waiting.since = position;
    waiting.since_at = moment.arrived;
  }
  return decision;
}

void ShadowTimeline::NoteStart(Instant now) {
  constexpr Duration kSilence = Duration::Seconds(1);  // A scheduler that runs decides in less.
  if (now - last_decision_at_ < kSilence) return;
  const auto waits_long = [&](const auto& waiting) {
    return waiting.second.first && waiting.second.pod->spec.scheduling_gates.empty() &&
           now - waiting.second.since_at >= kSilence;
  };
  if (!std::ranges::any_of(waiting_, waits_long)) return;
  for (auto& [key, waiting] : waiting_) waiting.unordered = true;
}

bool ShadowTimeline::FollowsOther(size_t index) const {
  const std::string& uid = held_[index].decision->before->metadata.uid;
  return std::any_of(held_.begin(), held_.begin() + static_cast<ptrdiff_t>(index),
                     [&](const Moment& moment) {
                       const api::Object* object = ObjectOf(moment.event);
                       return object != nullptr && api::MetaOf(*object).uid == uid;
                     });
}

void ShadowTimeline::Pass(const PassOn& pass, size_t index) {
  Moment moment = std::move(held_[index]);
  held_.erase(held_.begin() + static_cast<ptrdiff_t>(index));
  if (const api::Object* object = ObjectOf(moment.event)) {
    moment.replaced = scheduler::engine::FindObject(engine_.cluster(), *object);
    // A decision that leaves the cluster as it is, such as a failure, need not be undone.
    const bool matters = moment.decision ? moment.decision->ChangesCluster()
                                         : Matters(moment.event, moment.replaced);
    moment.only_starts = !matters && Starts(moment.event, moment.replaced);
    if (matters || moment.only_starts) past_.push_back(moment);
    if (past_.size() > past_limit_) past_.pop_front();
  }
  pass(moment.event);
}

}  // namespace berth::runtime
