#include "scheduler/engine/failure.h"

#include <algorithm>

#include "scheduler/engine/attempt_report.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"

namespace berth::scheduler::engine {

std::string Failure::Note() const {
  constexpr size_t kLimit = 1024;
  constexpr std::string_view kCut = " ...";
  if (message.size() <= kLimit) return message;
  return message.substr(0, kLimit - kCut.size()).append(kCut);
}

std::optional<framework::PatchPodStatus> StatusAfter(const Failure& failure, const api::Pod& pod,
                                                     std::string_view nominated_node, Instant now) {
  framework::PatchPodStatus patch{
      {pod.metadata.namespace_, pod.metadata.name}, pod.metadata.uid, {}, {}};
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
  const std::string& written =
      failure.announced.empty() ? pod.status.nominated_node_name : failure.announced;
  if (failure.nomination.replace && written != nominated_node) {
    patch.nominated_node_name = std::string(nominated_node);
  }
  if (!patch.condition && !patch.nominated_node_name) return std::nullopt;
  return patch;
}

bool FailureCache::IsSpecial(const model::PodRecord& pod) const {
  return !pod.object->status.nominated_node_name.empty() ||
         cluster_.nominations().NodeOf(pod.id).valid() || queue::HasOwnObjects(pod.object->spec) ||
         !pod.object->spec.resource_claims.empty() ||
         (!cluster_.devices().extended_resources().empty() &&
          !cluster_.class_of(pod).requests.scalars.empty());
}

void FailureCache::Clear() {
  failures_.clear();
  bytes_ = 0;
}

const Failure* FailureCache::Find(const model::PodRecord& pod, size_t profile) {
  if (version_ != cluster_.version()) Clear();
  if (failures_.empty() || IsSpecial(pod)) return nullptr;
  const auto found = failures_.find(queue::SignatureOf(pod, profile));
  return found == failures_.end() ? nullptr : &found->second;
}

void FailureCache::Add(const model::PodRecord& pod, size_t profile, const Failure& failure) {
  if (!failure.rejected || IsSpecial(pod) || failure.nomination.node.valid()) return;
  if (version_ != cluster_.version() || bytes_ > kMaxBytes) Clear();
  version_ = cluster_.version();
  bytes_ += sizeof(failure) + failure.message.size();
  if (failure.account != nullptr) bytes_ += failure.account->bytes();
  failures_.insert_or_assign(queue::SignatureOf(pod, profile), failure);
}

}  // namespace berth::scheduler::engine
