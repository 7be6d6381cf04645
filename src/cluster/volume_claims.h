// How pods, claims, volumes and storage classes refer to each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/pod.h"
#include "api/storage.h"

namespace berth {

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

}  // namespace berth
