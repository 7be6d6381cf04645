#include "engine/failure.h"

#include <algorithm>

namespace berth {

std::string Failure::Note() const {
  constexpr size_t kLimit = 1024;
  constexpr std::string_view kCut = " ...";
  if (message.size() <= kLimit) return message;
  return message.substr(0, kLimit - kCut.size()).append(kCut);
}

std::optional<PatchPodStatus> StatusAfter(const Failure& failure, const api::Pod& pod,
                                          std::string_view nominated_node, Instant now) {
  PatchPodStatus patch{{pod.metadata.namespace_, pod.metadata.name}, pod.metadata.uid, {}, {}};
  const auto& conditions = pod.status.conditions;
  const auto old = std::ranges::find(conditions, "PodScheduled", &api::PodCondition::type);
  api::PodCondition condition{.type = "PodScheduled",
                              .status = "False",
                              .reason = std::string(failure.Reason()),
                              .message = failure.message,
                              .last_transition_time = now,
                              .observed_generation = pod.metadata.generation};
  const bool was_false = old != conditions.end() && old->status == condition.status;
  if (was_false) condition.last_transition_time = old->last_transition_time;
  if (!was_false || old->reason != condition.reason || old->message != condition.message) {
    patch.condition = std::move(condition);
  }
  const std::string& told =
      failure.announced.empty() ? pod.status.nominated_node_name : failure.announced;
  if (failure.nomination.replace && told != nominated_node) {
    patch.nominated_node_name = std::string(nominated_node);
  }
  if (!patch.condition && !patch.nominated_node_name) return std::nullopt;
  return patch;
}

}  // namespace berth
