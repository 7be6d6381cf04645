#include "scheduler/plugins/changed_object.h"

#include <algorithm>

#include "scheduler/model/volume_claims.h"

namespace berth::scheduler::plugins {
namespace {

bool HasClaim(const api::Pod& pod, const api::PersistentVolumeClaim& claim, bool ephemeral_too) {
  if (pod.metadata.namespace_ != claim.metadata.namespace_) return false;
  return std::ranges::any_of(pod.spec.volumes, [&](const api::Volume& volume) {
    const auto own = model::ClaimOf(pod.metadata.name, volume);
    return own && (ephemeral_too || !own->ephemeral) && own->name == claim.metadata.name;
  });
}

}  // namespace

bool NamesClaim(const api::Pod& pod, const api::PersistentVolumeClaim& claim) {
  return HasClaim(pod, claim, /*ephemeral_too=*/false);
}

bool UsesClaim(const api::Pod& pod, const api::PersistentVolumeClaim& claim) {
  return HasClaim(pod, claim, /*ephemeral_too=*/true);
}

}  // namespace berth::scheduler::plugins
