#include "engine/known_failures.h"

#include <algorithm>
#include <variant>

namespace berth {

KnownFailures::Key KnownFailures::KeyOf(const PodRecord& pod, size_t profile) {
  Key key{profile, pod.pod_class, pod.labels, {}};
  for (const api::OwnerReference& owner : pod.object->metadata.owner_references) {
    if (owner.controller.value_or(false)) key.owner = owner.uid;
  }
  return key;
}

bool KnownFailures::IsSpecial(const PodRecord& pod) const {
  return !pod.object->status.nominated_node_name.empty() ||
         cluster_.nominations().NodeOf(pod.id).valid() ||
         std::ranges::any_of(pod.object->spec.volumes, [](const api::Volume& volume) {
           return std::holds_alternative<api::EphemeralSource>(volume.source);
         });
}

const Failure* KnownFailures::Find(const PodRecord& pod, size_t profile) {
  if (version_ != cluster_.version()) failures_.clear();
  if (failures_.empty() || IsSpecial(pod)) return nullptr;
  const auto found = failures_.find(KeyOf(pod, profile));
  return found == failures_.end() ? nullptr : &found->second;
}

void KnownFailures::Add(const PodRecord& pod, size_t profile, const Failure& failure) {
  if (!failure.rejected || IsSpecial(pod) || failure.nomination.node.valid()) return;
  if (version_ != cluster_.version()) failures_.clear();
  version_ = cluster_.version();
  failures_.insert_or_assign(KeyOf(pod, profile), failure);
}

}  // namespace berth
