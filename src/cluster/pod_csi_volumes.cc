#include "cluster/pod_csi_volumes.h"

#include <fmt/format.h>

#include "cluster/volume_claims.h"

namespace berth {

std::expected<PodCsiVolumes::Volumes, PodCsiVolumes::Failure> PodCsiVolumes::Of(
    const api::Pod& pod, bool migrated, bool ignore_missing) const {
  auto fail = [](std::string message) {
    return std::unexpected(Failure{false, std::move(message)});
  };
  Volumes volumes;
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto claim_ref = ClaimOf(pod.metadata.name, volume);
    if (!claim_ref) {
      const InTreePlugin* plugin = InTreePluginOf(volume);
      if (plugin == nullptr || !plugin->counted || !migrated) continue;
      auto translated = TranslateToCsi(volume);
      if (!translated) {
        return fail(fmt::format("converting volume({}) from inline to csi: {}", volume.name,
                                translated.error().message));
      }
      volumes.insert(*std::move(translated));
      continue;
    }
    if (claim_ref->name.empty()) return fail("PersistentVolumeClaim had no name");
    const auto* claim = claims_.Find({pod.metadata.namespace_, claim_ref->name});
    if (claim == nullptr) {
      if (ignore_missing) continue;
      return std::unexpected(Failure{
          true, fmt::format("looking up PVC {}/{}: {}", pod.metadata.namespace_, claim_ref->name,
                            NotFound("persistentvolumeclaim", claim_ref->name))});
    }
    if (claim_ref->ephemeral) {
      if (auto problem = NotMadeFor(pod, *claim)) return fail(*std::move(problem));
    }
    if (auto counted = OfClaim(*claim, migrated)) volumes.insert(*std::move(counted));
  }
  return volumes;
}

std::optional<CsiVolume> PodCsiVolumes::OfClaim(const api::PersistentVolumeClaim& claim,
                                                bool migrated) const {
  const auto* volume = claim.volume_name.empty() ? nullptr : catalog_.FindVolume(claim.volume_name);
  if (volume == nullptr) return OfUnboundClaim(claim, migrated);
  return volume->in_tree == nullptr || migrated ? volume->counted : std::nullopt;
}

// The volume that will be provisioned does not exist yet, so it gets a handle of its own that no
// volume of the driver has.
std::optional<CsiVolume> PodCsiVolumes::OfUnboundClaim(const api::PersistentVolumeClaim& claim,
                                                       bool migrated) const {
  const auto* storage_class = catalog_.FindClass(StorageClassOf(claim));
  if (storage_class == nullptr) return std::nullopt;
  std::string driver = storage_class->object->provisioner;
  if (const InTreePlugin* plugin = FindInTreePlugin(driver)) {
    if (!plugin->counted || !migrated) return std::nullopt;
    driver = plugin->driver;
  }
  if (driver.empty()) return std::nullopt;
  // DIFFERS: kube-scheduler makes the handle up with a random prefix. A control character does as
  // well, and repeats.
  return CsiVolume{std::move(driver),
                   fmt::format("\x01{}/{}", claim.metadata.namespace_, claim.metadata.name)};
}

}  // namespace berth
