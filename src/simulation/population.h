// The random nodes, pods and storage objects of simulated worlds, and UsedCapacity, which sums what
// pods use of a node.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "api/node.h"
#include "api/pod.h"
#include "api/storage.h"
#include "base/random.h"
#include "simulation/faults.h"

namespace berth::simulation {

class UsedCapacity {
 public:
  // Adds the pod. Returns false if one of its host ports is already in use.
  bool Add(const api::Pod& pod);
  // Describes what exceeds the node's allocatable resources; "" if all pods fit.
  std::string Excess(const api::Node& node) const;

 private:
  api::ResourceList used_;
  int64_t pods_ = 0;
  std::set<std::pair<std::string, int32_t>> ports_;
};

inline constexpr const char* kNamespace = "default";
inline constexpr const char* kOurScheduler = "default-scheduler";
inline constexpr const char* kIncumbent = "incumbent";
inline constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr const char* kDelayedClass = "delayed";      // WaitForFirstConsumer
inline constexpr const char* kImmediateClass = "immediate";  // Immediate

// 9E: two of them exceed 64 bits.
inline const api::Quantity kHugeMemory = api::Quantity::FromValue(9'000'000'000'000'000'000);

api::Node RandomNode(std::string name, Random& random);
// Changes labels, taints, unschedulable or resources. A node loses resources only if `may_shrink`.
void ChangeNode(api::Node& node, bool may_shrink, Random& random);

// Returns a pod without a node. It mounts `claim`, if not empty.
api::Pod RandomPod(std::string name, const FaultPlan& plan, const std::string& claim,
                   Random& random);
void ChangePodLabels(api::Pod& pod, Random& random);

api::StorageClass MakeStorageClass(std::string name);
api::PersistentVolumeClaim RandomClaim(std::string name, Random& random);
// Returns an available volume of the delayed class, usable in one zone or in all.
api::PersistentVolume RandomVolume(std::string name, Random& random);

}  // namespace berth::simulation
