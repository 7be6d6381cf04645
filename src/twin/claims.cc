#include "twin/claims.h"

#include <algorithm>

namespace berth::twin {
namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

}  // namespace

std::optional<ClaimName> ClaimOf(const api::Pod& pod, const api::Volume& volume) {
  if (const auto* claim = std::get_if<api::PersistentVolumeClaimSource>(&volume.source)) {
    return ClaimName{claim->claim_name};
  }
  if (std::holds_alternative<api::EphemeralSource>(volume.source)) {
    return ClaimName{pod.metadata.name + "-" + volume.name, /*ephemeral=*/true};
  }
  return std::nullopt;
}

std::string ClassOf(const api::PersistentVolumeClaim& claim) {
  const std::string* annotation = Find(claim.metadata.annotations, kClassAnnotation);
  return annotation != nullptr ? *annotation : claim.storage_class_name.value_or("");
}

std::string ClassOf(const api::PersistentVolume& volume) {
  const std::string* annotation = Find(volume.metadata.annotations, kClassAnnotation);
  return annotation != nullptr ? *annotation : volume.storage_class_name;
}

bool IsOwnedBy(const api::PersistentVolumeClaim& claim, const api::Pod& pod) {
  const auto& owners = claim.metadata.owner_references;
  const auto owner =
      std::ranges::find_if(owners, [](const auto& o) { return o.controller == true; });
  return owner != owners.end() && owner->uid == pod.metadata.uid;
}

std::string ClaimNotFound(const std::string& name) {
  return "persistentvolumeclaim \"" + name + "\" not found";
}

std::string NotOwner(const api::PersistentVolumeClaim& claim, const api::Pod& pod) {
  return "PVC " + claim.metadata.namespace_ + "/" + claim.metadata.name +
         " was not created for pod " + pod.metadata.namespace_ + "/" + pod.metadata.name +
         " (pod is not owner)";
}

std::string BindingModeNotSet(const std::string& storage_class) {
  return "VolumeBindingMode not set for StorageClass \"" + storage_class + "\"";
}

}  // namespace berth::twin
