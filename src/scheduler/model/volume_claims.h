// In-tree volumes as the CSI drivers know them that took them over.
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

// What a CSI driver calls a volume.
struct CsiVolume {
  std::string driver;
  std::string handle;
  friend auto operator<=>(const CsiVolume&, const CsiVolume&) = default;
};

// An in-tree volume plugin that a CSI driver has taken over.
struct InTreePlugin {
  std::string_view name;    // "kubernetes.io/aws-ebs"
  std::string_view driver;  // "ebs.csi.aws.com"
  // The driver's label for the zone of a node; empty if zones are not translated.
  std::string_view zone_label;
  // Its volumes count against the driver's limits.
  bool counted;
};

// The plugin that serves a volume, or null if no CSI driver has taken over.
const InTreePlugin* InTreePluginOf(const api::PersistentVolume& volume);
const InTreePlugin* InTreePluginOf(const api::Volume& volume);
const InTreePlugin* FindInTreePlugin(std::string_view name);

// The CSI volume of a volume that has an in-tree plugin. Volumes that are not counted get no
// handle: nothing needs it.
Result<CsiVolume> TranslateToCsi(const api::PersistentVolume& volume);
Result<CsiVolume> TranslateToCsi(const api::Volume& volume);

// The node affinity of a volume with an in-tree plugin, in terms of the driver's zone label.
std::optional<api::NodeSelector> TranslateAffinity(const api::PersistentVolume& volume);

// How pods, claims, volumes and storage classes refer to each other.
// The claim that a volume of a pod stands for.
struct ClaimOfVolume {
  std::string name;        // In the pod's namespace.
  bool ephemeral = false;  // Made for this pod and this volume.
};

// Nothing if the volume has no claim. `pod` is the name of the pod.
std::optional<ClaimOfVolume> ClaimOf(const std::string& pod, const api::Volume& volume);

// What is wrong if the claim of a generic ephemeral volume was not made for `pod`; else nothing.
std::optional<std::string> NotMadeFor(const api::Pod& pod, const api::PersistentVolumeClaim& claim);

// The storage class; empty if there is none.
const std::string& StorageClassOf(const api::PersistentVolumeClaim& claim);
const std::string& StorageClassOf(const api::PersistentVolume& volume);

// True if the claim has its volume and both sides agree.
bool IsFullyBound(const api::PersistentVolumeClaim& claim);

// True if the spec has a volume that is, or can be, a claim or a CSI volume.
bool UsesStorage(const api::PodSpec& spec);

// How the API says that an object is not there: `persistentvolume "x" not found`.
std::string NotFound(std::string_view resource, const std::string& name);

}  // namespace berth::scheduler::model
