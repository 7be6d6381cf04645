// What a kubelet checks before it runs a pod: that the pod fits on the node, beside the pods that
// run there. The scheduler has checked the same, unless the pod names its node itself or another
// one took the place.
#pragma once

#include <optional>
#include <string>

#include "api/object.h"
#include "localcluster/node_index.h"
#include "localcluster/pod_index.h"

namespace berth::localcluster {

// Why a kubelet rejects a pod.
struct Rejection {
  std::string reason;   // "OutOfcpu", "NodePorts"
  std::string message;  // "Pod was rejected: ..."
};

// Returns what the pod needs: all but the address.
AllocatedResources DemandOf(const api::Pod& pod);

// Returns why the node cannot run `pod`, if so, in the words of a kubelet. `demand` is that of the
// pod, `pods` are those on the node, of which the admitted ones count.
std::optional<Rejection> RejectionOf(const api::Pod& pod, const AllocatedResources& demand,
                                     const NodeRecord& node, const PodIndex::Set& pods);

// Reports whether the node is one that the pod's node selector and node affinity require.
bool MatchesNodeAffinity(const api::Pod& pod, const api::Node& node);

}  // namespace berth::localcluster
