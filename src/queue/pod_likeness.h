// PodLikeness is what decides how a pod fares: copies of one template have the same, and what is
// true of one of them, as long as nothing changes, is true of all.
//
// Pods whose volumes are named after them (HasEphemeralVolumes) are each a case of their own.
#pragma once

#include <compare>
#include <cstddef>
#include <string>

#include "cluster/cluster.h"

namespace berth {

struct PodLikeness {
  size_t profile = 0;  // The profile that serves the pod.
  PodClassId pod_class;
  LabelSetId labels;
  std::string owner;  // The uid: default spread constraints look for the owner's pods.

  friend auto operator<=>(const PodLikeness&, const PodLikeness&) = default;
};

PodLikeness LikenessOf(const PodRecord& pod, size_t profile);

bool HasEphemeralVolumes(const api::PodSpec& spec);

}  // namespace berth
