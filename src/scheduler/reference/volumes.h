// What the volume rules share: the claims of a pod's volumes, storage classes, and the CSI
// migration of in-tree volumes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/storage.h"
#include "base/result.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

// The claim that one volume of a pod refers to.
struct ClaimName {
  std::string name;
  bool ephemeral = false;  // Created for the pod, which must own it.
};
// Returns nullopt if the volume has no claim.
std::optional<ClaimName> ClaimOf(const api::Pod& pod, const api::Volume& volume);

// Returns the storage class; the beta annotation overrides the field.
std::string ClassOf(const api::PersistentVolumeClaim& claim);
std::string ClassOf(const api::PersistentVolume& volume);

// Reports whether the pod is the claim's controller.
bool IsOwnedBy(const api::PersistentVolumeClaim& claim, const api::Pod& pod);

// Error texts.
std::string ClaimNotFound(const std::string& name);
std::string NotOwner(const api::PersistentVolumeClaim& claim, const api::Pod& pod);
std::string BindingModeNotSet(const std::string& storage_class);

// CSI migration: each in-tree plugin has a CSI driver, a volume handle and sometimes a topology
// label.

// Returns the in-tree plugin ("kubernetes.io/aws-ebs") of the source; "" if it is of another kind.
std::string InTreePlugin(const api::PersistentVolumeSource& source);
std::string InTreePlugin(const api::VolumeSource& source);

// Returns the CSI driver that replaces the in-tree plugin; "" if there is none.
std::string MigratedDriver(std::string_view in_tree_plugin);

// Reports whether volumes of the plugin count against the limits of its CSI driver.
bool CountsAsMigrated(std::string_view in_tree_plugin);

// Returns the volume's CSI handle. Fails if the source is malformed.
Result<std::string> MigratedHandle(const api::PersistentVolume& volume);
Result<std::string> MigratedHandle(const api::VolumeSource& inline_source);

// Returns the node affinity of an in-tree volume after migration, with the driver's zone label.
Result<std::optional<api::NodeSelector>> MigratedNodeAffinity(const api::PersistentVolume& volume);

}  // namespace berth::scheduler::reference
