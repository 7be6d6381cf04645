#include "scheduler/queue/unschedulable_pods.h"

#include <algorithm>
#include <variant>

#include "api/object.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::queue {

PodSignature SignatureOf(const model::PodRecord& pod, size_t profile) {
  PodSignature signature{profile, pod.pod_class, pod.labels, {}};
  for (const api::OwnerReference& owner : pod.object->metadata.owner_references) {
    if (owner.controller.value_or(false)) signature.owner = owner.uid;
  }
  return signature;
}

bool HasOwnObjects(const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes,
                             [](const api::Volume& volume) {
                               return std::holds_alternative<api::EphemeralSource>(volume.source);
                             }) ||
         std::ranges::any_of(spec.resource_claims, [](const api::PodResourceClaim& claim) {
           return !claim.resource_claim_name.has_value();
         });
}

namespace {

constexpr size_t kNoGate = SIZE_MAX;

}  // namespace

UnschedulablePods::Key UnschedulablePods::KeyOf(const QueueEntry& entry) const {
  const model::PodRecord& pod = cluster_.pod(entry.order.pod);
  Key key{SignatureOf(pod, entry.profile), entry.rejectors, kNoGate, {}, {}};
  if (entry.gate != nullptr) key.gate = entry.gate->slot();
  if (HasOwnObjects(pod.object->spec)) key.pod = pod.id;
  if (cluster_.features().has_groups())
    key.group = pod.object->spec.pod_group_name.value_or("");
  return key;
}

void UnschedulablePods::Insert(QueueEntry& entry) {
  const auto group = groups_.try_emplace(KeyOf(entry)).first;
  std::vector<QueueEntry*>& members = group->second.members;
  const Instant since = std::max(entry.order.timestamp, entry.flushed);
  slots_.emplace(&entry, Slot{group, members.size(), since, entry.gate != nullptr});
  members.push_back(&entry);
  by_age_.emplace(since, &entry);
  if (entry.gate != nullptr) ++gated_;
}

void UnschedulablePods::Erase(QueueEntry& entry) {
  const auto found = slots_.find(&entry);
  const Slot slot = found->second;
  std::vector<QueueEntry*>& members = slot.group->second.members;
  slots_.at(members.back()).index = slot.index;
  members[slot.index] = members.back();
  members.pop_back();
  if (members.empty()) groups_.erase(slot.group);
  by_age_.erase({slot.since, &entry});
  if (slot.gated) --gated_;
  slots_.erase(found);
}

std::vector<QueueEntry*> UnschedulablePods::UnschedulableSince(Instant since) const {
  std::vector<QueueEntry*> old;
  for (auto entry = by_age_.begin(); entry != by_age_.end() && entry->first <= since; ++entry) {
    old.push_back(entry->second);
  }
  // Pointers must not decide the order of pods of the same time.
  std::ranges::sort(old, {}, [this](QueueEntry* entry) {
    return std::pair(slots_.at(entry).since, entry->order.sequence);
  });
  return old;
}

}  // namespace berth::scheduler::queue
