// The nodes, pods and storage objects of simulated worlds: small, varied, made from the seed.
#pragma once

#include <string>

#include "api/node.h"
#include "api/pod.h"
#include "api/storage.h"
#include "base/random.h"
#include "sim/fault_plan.h"

namespace berth::sim {

inline constexpr const char* kNamespace = "default";
inline constexpr const char* kOurScheduler = "default-scheduler";
inline constexpr const char* kIncumbent = "incumbent";
inline constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr const char* kDelayedClass = "delayed";      // Waits for the first consumer.
inline constexpr const char* kImmediateClass = "immediate";  // Does not.

api::Node RandomNode(std::string name, Random& random);
// Changes labels, taints, cordon or resources. A node loses resources only if `may_shrink`.
void ChangeNode(api::Node& node, bool may_shrink, Random& random);

// A pod without a node. `claim` is the claim that it mounts, if not empty.
api::Pod RandomPod(std::string name, const FaultPlan& plan, const std::string& claim,
                   Random& random);
void ChangePodLabels(api::Pod& pod, Random& random);

api::StorageClass MakeStorageClass(std::string name);
api::PersistentVolumeClaim RandomClaim(std::string name, Random& random);
// A volume that a claim of the delayed class may be bound to; usable in one zone, or anywhere.
api::PersistentVolume RandomVolume(std::string name, Random& random);

}  // namespace berth::sim
