// Finding the claims behind a pod's volumes, and what their annotations say; shared by the volume
// rules.
#pragma once

#include <string>

#include "api/storage.h"
#include "twin/world.h"

namespace berth::twin {

// The claim that one volume of a pod refers to.
struct ClaimName {
  std::string name;
  bool ephemeral = false;  // Made for the pod, which must be its owner.
};
// nullopt if the volume has no claim.
std::optional<ClaimName> ClaimOf(const api::Pod& pod, const api::Volume& volume);

// The class that a claim or a volume is of; an old annotation goes before the field.
std::string ClassOf(const api::PersistentVolumeClaim& claim);
std::string ClassOf(const api::PersistentVolume& volume);

// True if the pod is the controller that owns the claim.
bool IsOwnedBy(const api::PersistentVolumeClaim& claim, const api::Pod& pod);

// Error texts.
std::string ClaimNotFound(const std::string& name);
std::string NotOwner(const api::PersistentVolumeClaim& claim, const api::Pod& pod);
std::string BindingModeNotSet(const std::string& storage_class);

}  // namespace berth::twin
