// Whether a volume that is there will do for a claim.
#pragma once

#include <algorithm>

#include "api/selector.h"
#include "api/storage.h"

namespace berth::world {

inline api::Quantity StorageOf(const api::PersistentVolume& volume) {
  const auto found = volume.capacity.find("storage");
  return found == volume.capacity.end() ? api::Quantity() : found->second;
}

// By class, mode, size, access and labels; not by who holds it.
inline bool Fits(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  if (volume.metadata.deletion_timestamp) return false;
  if (volume.storage_class_name != claim.storage_class_name.value_or("")) return false;
  if (volume.volume_mode.value_or("Filesystem") != claim.volume_mode.value_or("Filesystem")) {
    return false;
  }
  const auto request = claim.requests.find("storage");
  if (request != claim.requests.end() && StorageOf(volume) < request->second) return false;
  const bool reachable = std::ranges::all_of(claim.access_modes, [&](const std::string& mode) {
    return std::ranges::find(volume.access_modes, mode) != volume.access_modes.end();
  });
  if (!reachable || !claim.selector) return reachable;
  const auto selector = api::Selector::FromLabelSelector(claim.selector);
  return selector && selector->Matches(volume.metadata.labels);
}

}  // namespace berth::world
