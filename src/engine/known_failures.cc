#include "engine/known_failures.h"

namespace berth {

bool KnownFailures::IsSpecial(const PodRecord& pod) const {
  return !pod.object->status.nominated_node_name.empty() ||
         cluster_.nominations().NodeOf(pod.id).valid() || HasEphemeralVolumes(pod.object->spec);
}

const Failure* KnownFailures::Find(const PodRecord& pod, size_t profile) {
  if (version_ != cluster_.version()) failures_.clear();
  if (failures_.empty() || IsSpecial(pod)) return nullptr;
  const auto found = failures_.find(LikenessOf(pod, profile));
  return found == failures_.end() ? nullptr : &found->second;
}

void KnownFailures::Add(const PodRecord& pod, size_t profile, const Failure& failure) {
  if (!failure.rejected || IsSpecial(pod) || failure.nomination.node.valid()) return;
  if (version_ != cluster_.version()) failures_.clear();
  version_ = cluster_.version();
  failures_.insert_or_assign(LikenessOf(pod, profile), failure);
}

}  // namespace berth
