// How pods, claims, volumes and storage classes refer to each other, and how in-tree volumes are
// translated to the CSI drivers that they are migrated to.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "api/meta.h"
#include "api/pod.h"
#include "api/storage.h"
#include "api/volume.h"
#include "base/result.h"

namespace berth::scheduler::model {

// Names the node that the volume of an unbound claim is provisioned for.
inline constexpr const char* kSelectedNodeAnnotation = "volume.kubernetes.io/selected-node";

// A volume as its CSI driver names it.
struct CsiVolume {
  std::string driver;
  std::string handle;
  friend auto operator<=>(const CsiVolume&, const CsiVolume&) = default;
};

// An in-tree volume plugin that is migrated to a CSI driver.
struct InTreePlugin {
  std::string_view name;    // "kubernetes.io/aws-ebs"
  std::string_view driver;  // "ebs.csi.aws.com"
  // The driver's label for the zone of a node; empty if zones are not translated.
  std::string_view zone_label;
  // Its volumes count against the driver's limits.
  bool counted;
};

// Return the in-tree plugin of a volume, or null if it has none that is migrated.
const InTreePlugin* InTreePluginOf(const api::PersistentVolume& volume);
const InTreePlugin* InTreePluginOf(const api::Volume& volume);
const InTreePlugin* FindInTreePlugin(std::string_view name);

// Return the CSI volume of a volume that has an in-tree plugin. Volumes that are not counted get no
// handle: nothing reads it.
Result<CsiVolume> TranslateToCsi(const api::PersistentVolume& volume);
Result<CsiVolume> TranslateToCsi(const api::Volume& volume);

// Returns the node affinity of a volume with an in-tree plugin, in terms of the driver's zone
// label.
std::optional<api::NodeSelector> TranslateAffinity(const api::PersistentVolume& volume);

// The claim of a pod's volume.
struct ClaimOfVolume {
  std::string name;        // In the pod's namespace.
  bool ephemeral = false;  // Created for this pod and this volume.
};

// Returns nothing if the volume has no claim. `pod` is the name of the pod.
std::optional<ClaimOfVolume> ClaimOf(const std::string& pod, const api::Volume& volume);

// Returns an error text if the claim of a generic ephemeral volume was not created for `pod`.
std::optional<std::string> NotMadeFor(const api::Pod& pod, const api::PersistentVolumeClaim& claim);

// Return the name of the storage class; empty if there is none.
const std::string& StorageClassOf(const api::PersistentVolumeClaim& claim);
const std::string& StorageClassOf(const api::PersistentVolume& volume);

// Reports whether the claim and its volume are bound to each other.
bool IsFullyBound(const api::PersistentVolumeClaim& claim);

// Reports whether the spec has a volume that is, or can be, a claim or a CSI volume.
bool UsesStorage(const api::PodSpec& spec);

// Returns the API's error for an object that does not exist: `persistentvolume "x" not found`.
std::string NotFound(std::string_view resource, const std::string& name);

}  // namespace berth::scheduler::model
