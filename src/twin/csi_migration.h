// What became of the volumes that Kubernetes once had drivers of its own for: each in-tree kind has
// a CSI driver, a handle that names the volume there, and perhaps a topology label.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/storage.h"
#include "base/result.h"

namespace berth::twin {

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

}  // namespace berth::twin
