// UsedCapacity adds up what pods take of a node.
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
  // False if a host port of the pod's is taken already.
  bool Take(const api::Pod& pod);
  // What the pods take too much of `node`, in words; empty if all is well.
  std::string Excess(const api::Node& node) const;

 private:
  api::ResourceList taken_;
  int64_t pods_ = 0;
  std::set<std::pair<std::string, int32_t>> ports_;
};

// The nodes, pods and storage objects of simulated worlds: small, varied, made from the seed.
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

}  // namespace berth::simulation
