#include "scheduler/queue/failure.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "scheduler/framework/status_patches.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"

namespace berth::scheduler::queue {

FailureAccount AccountOf(const framework::Diagnosis& diagnosis, uint64_t id) {
  FailureAccount account;
  account.id = id;
  account.evaluated = diagnosis.judged();
  std::ranges::set_union(diagnosis.rejected_by, diagnosis.pending_on,
                         std::back_inserter(account.plugins));
  std::map<std::pair<std::string_view, std::string_view>, size_t> counts;
  diagnosis.ForEachVerdict([&](const framework::Verdict& verdict, size_t nodes) {
    for (const std::string& reason : verdict.reasons()) counts[{verdict.plugin(), reason}] += nodes;
  });
  std::vector<std::pair<size_t, const decltype(counts)::key_type*>> largest;
  for (const auto& [reason, nodes] : counts) largest.emplace_back(nodes, &reason);
  std::ranges::stable_sort(largest, std::greater(), [](const auto& group) { return group.first; });
  if (largest.size() > FailureAccount::kMaxGroups) largest.resize(FailureAccount::kMaxGroups);
  for (const auto& [nodes, reason] : largest)
    account.groups.push_back({std::string(reason->first), std::string(reason->second), nodes});
  return account;
}

size_t FailureAccount::bytes() const {
  size_t bytes = sizeof(*this);
  for (const std::string& plugin : plugins) bytes += sizeof(plugin) + plugin.size();
  for (const Group& group : groups)
    bytes += sizeof(group) + group.plugin.size() + group.reason.size();
  return bytes;
}

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
  patch.condition =
      framework::ConditionOver(framework::FindCondition(pod.status.conditions, "PodScheduled"),
                               {.type = "PodScheduled",
                                .status = "False",
                                .reason = std::string(failure.Reason()),
                                .message = failure.message,
                                .last_transition_time = now,
                                .observed_generation = pod.metadata.generation});
  const std::string& written =
      failure.announced.empty() ? pod.status.nominated_node_name : failure.announced;
  if (failure.nomination.replace && written != nominated_node) {
    patch.nominated_node_name = std::string(nominated_node);
  }
  if (framework::IsEmpty(patch)) return std::nullopt;
  return patch;
}

bool FailureCache::IsSpecial(const model::PodRecord& pod) const {
  return !pod.object->status.nominated_node_name.empty() ||
         cluster_.nominations().NodeOf(pod.id).valid() || HasOwnObjects(pod.object->spec) ||
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
  const auto found = failures_.find(SignatureOf(pod, profile));
  return found == failures_.end() ? nullptr : &found->second;
}

void FailureCache::Add(const model::PodRecord& pod, size_t profile, const Failure& failure) {
  if (!failure.rejected || IsSpecial(pod) || failure.nomination.node.valid()) return;
  if (version_ != cluster_.version() || bytes_ > kMaxBytes) Clear();
  version_ = cluster_.version();
  bytes_ += sizeof(failure) + failure.message.size();
  if (failure.account != nullptr) bytes_ += failure.account->bytes();
  failures_.insert_or_assign(SignatureOf(pod, profile), failure);
}

}  // namespace berth::scheduler::queue
