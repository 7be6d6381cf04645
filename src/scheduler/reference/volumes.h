// Finding the claims behind a pod's volumes, and what their annotations say; shared by the volume
// rules.
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

// What became of the volumes that Kubernetes once had drivers of its own for: each in-tree kind has
// a CSI driver, a handle that names the volume there, and perhaps a topology label.
// The in-tree plugin ("kubernetes.io/aws-ebs") of the source; empty if it is of another kind.
std::string InTreePlugin(const api::PersistentVolumeSource& source);
std::string InTreePlugin(const api::VolumeSource& source);

// The CSI driver that took over from the in-tree plugin; empty if there is none.
std::string MigratedDriver(std::string_view in_tree_plugin);

// True if the volumes of the plugin count against the limits of its CSI driver.
bool CountsAsMigrated(std::string_view in_tree_plugin);

// The handle under which the CSI driver knows the volume. Fails if the source is not well-formed.
Result<std::string> MigratedHandle(const api::PersistentVolume& volume);
Result<std::string> MigratedHandle(const api::VolumeSource& inline_source);

// The node affinity of an in-tree volume after migration: in terms of the driver's own zone label.
Result<std::optional<api::NodeSelector>> MigratedNodeAffinity(const api::PersistentVolume& volume);

}  // namespace berth::scheduler::reference
