// The arguments of the in-tree plugins, with their defaults; decoded and validated by the
// configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/pod.h"
#include "base/time.h"
#include "scheduler/framework/scores.h"

namespace berth::scheduler::framework {

struct ResourceWeight {
  std::string name;
  int64_t weight = 1;
  friend bool operator==(const ResourceWeight&, const ResourceWeight&) = default;
};

struct NodeAffinityArgs {
  std::optional<api::NodeAffinity> added_affinity;
};

// The number of resources that are reported as insufficient on a node. More do not help a user, and
// a pod may request tens of thousands, on thousands of nodes.
inline constexpr size_t kMaxInsufficientResources = 100;

struct NodeResourcesFitArgs {
  struct ScoringStrategy {
    std::string type = "LeastAllocated";  // Or MostAllocated, RequestedToCapacityRatio.
    std::vector<ResourceWeight> resources = {{"cpu", 1}, {"memory", 1}};
    // Of RequestedToCapacityRatio; absent otherwise. Scores are 0..10.
    std::optional<std::vector<ShapePoint>> shape;
  };
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  ScoringStrategy scoring_strategy;
};

struct NodeResourcesBalancedAllocationArgs {
  std::vector<ResourceWeight> resources = {{"cpu", 1}, {"memory", 1}};
};

struct DefaultPreemptionArgs {
  int32_t min_candidate_nodes_percentage = 10;
  int32_t min_candidate_nodes_absolute = 100;
};

// The steps of a complete search if none are given: about a tenth of a second for 5,000 nodes,
// during which nothing else is scheduled.
inline constexpr int64_t kDefaultSearchBudget = 10'000;

// Berth's own: kube-scheduler's plugin has no arguments.
struct GangSchedulingArgs {
  std::string search = "Greedy";  // Or Complete.
  int64_t search_budget = kDefaultSearchBudget;
  std::vector<std::string> topology_levels;
  friend bool operator==(const GangSchedulingArgs&, const GangSchedulingArgs&) = default;
};

struct InterPodAffinityArgs {
  int32_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
};

struct PodTopologySpreadArgs {
  std::string defaulting_type = "System";  // Or List.
  std::vector<api::TopologySpreadConstraint> default_constraints;
};

struct VolumeBindingArgs {
  int64_t bind_timeout_seconds = 600;
  // With the feature StorageCapacityScoring. Scores are 0..10.
  std::optional<std::vector<ShapePoint>> shape;
};
// The shape of VolumeBindingArgs if none is given: prefers storage with more room left.
inline std::vector<ShapePoint> DefaultStorageShape() { return {{0, 10}, {100, 0}}; }

inline constexpr Duration kDefaultFilterTimeout = Duration::Seconds(10);
inline constexpr Duration kDefaultBindingTimeout = Duration::Seconds(600);
struct DynamicResourcesArgs {
  // Absent without the feature DRASchedulerFilterTimeout; the configuration sets the default.
  std::optional<Duration> filter_timeout;
  // Likewise, without DRADeviceBindingConditions and DRAResourceClaimDeviceStatus.
  std::optional<Duration> binding_timeout;
};

}  // namespace berth::scheduler::framework
