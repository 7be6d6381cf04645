#include "cluster/volume_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/csi_translation.h"

namespace berth {
namespace {

constexpr std::string_view kBetaStorageClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";

bool IsControlledBy(const api::ObjectMeta& object, const std::string& uid) {
  const auto controller = std::ranges::find_if(
      object.owner_references,
      [](const api::OwnerReference& owner) { return owner.controller == true; });
  return controller != object.owner_references.end() && controller->uid == uid;
}

}  // namespace

std::optional<ClaimOfVolume> ClaimOf(const std::string& pod, const api::Volume& volume) {
  if (const auto* claim = std::get_if<api::PersistentVolumeClaimSource>(&volume.source)) {
    return ClaimOfVolume{claim->claim_name, false};
  }
  if (std::holds_alternative<api::EphemeralSource>(volume.source)) {
    return ClaimOfVolume{pod + "-" + volume.name, true};
  }
  return std::nullopt;
}

std::optional<std::string> NotMadeFor(const api::Pod& pod,
                                      const api::PersistentVolumeClaim& claim) {
  if (IsControlledBy(claim.metadata, pod.metadata.uid)) return std::nullopt;
  return fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)",
                     claim.metadata.namespace_, claim.metadata.name, pod.metadata.namespace_,
                     pod.metadata.name);
}

const std::string& StorageClassOf(const api::PersistentVolumeClaim& claim) {
  static const std::string kNone;
  const auto beta = claim.metadata.annotations.find(kBetaStorageClass);
  if (beta != claim.metadata.annotations.end()) return beta->second;
  return claim.storage_class_name ? *claim.storage_class_name : kNone;
}

const std::string& StorageClassOf(const api::PersistentVolume& volume) {
  const auto beta = volume.metadata.annotations.find(kBetaStorageClass);
  return beta != volume.metadata.annotations.end() ? beta->second : volume.storage_class_name;
}

bool IsFullyBound(const api::PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() && claim.metadata.annotations.contains(kBindCompleted);
}

bool UsesStorage(const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [](const api::Volume& volume) {
    return std::holds_alternative<api::PersistentVolumeClaimSource>(volume.source) ||
           std::holds_alternative<api::EphemeralSource>(volume.source) ||
           InTreePluginOf(volume) != nullptr;
  });
}

std::string NotFound(std::string_view resource, const std::string& name) {
  return fmt::format("{} \"{}\" not found", resource, name);
}

}  // namespace berth
