// Pod, with every field that a scheduling rule reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/quantity.h"
#include "api/volume.h"

namespace berth::api {

struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

struct ContainerPort {
  int32_t container_port = 0;
  int32_t host_port = 0;
  std::string host_ip;
  std::string protocol;
  friend bool operator==(const ContainerPort&, const ContainerPort&) = default;
};

struct Container {
  std::string name;
  std::string image;
  ResourceRequirements resources;
  std::vector<ContainerPort> ports;
  std::string restart_policy;  // "Always" makes an init container a sidecar.
  std::vector<std::string> restart_policy_rule_actions;  // restartPolicyRules[].action
  friend bool operator==(const Container&, const Container&) = default;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::string topology_key;
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;

  // Reports whether it selects pods of the namespace of the pod that has it.
  bool is_about_own_namespace() const { return namespaces.empty() && !namespace_selector; }
  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

struct WeightedPodAffinityTerm {
  // The API allows weights from 1 to 100. Others count up to this limit: sums over all terms of all
  // pods stay far from overflowing.
  static constexpr int32_t kMaxWeight = 1 << 20;

  int32_t weight = 0;
  PodAffinityTerm term;

  int32_t limited_weight() const { return std::clamp(weight, -kMaxWeight, kMaxWeight); }
  friend bool operator==(const WeightedPodAffinityTerm&, const WeightedPodAffinityTerm&) = default;
};

// Used for both podAffinity and podAntiAffinity.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;
  friend bool operator==(const PodAffinity&, const PodAffinity&) = default;
};

struct Affinity {
  std::optional<NodeAffinity> node_affinity;
  std::optional<PodAffinity> pod_affinity;
  std::optional<PodAffinity> pod_anti_affinity;
  friend bool operator==(const Affinity&, const Affinity&) = default;
};

struct Toleration {
  std::string key;
  std::string op;  // "" means Equal.
  std::string value;
  std::string effect;
  std::optional<int64_t> toleration_seconds;
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

struct TopologySpreadConstraint {
  int32_t max_skew = 0;
  std::string topology_key;
  std::string when_unsatisfiable;
  std::optional<LabelSelector> label_selector;
  std::optional<int32_t> min_domains;
  std::optional<std::string> node_affinity_policy;
  std::optional<std::string> node_taints_policy;
  std::vector<std::string> match_label_keys;
  friend bool operator==(const TopologySpreadConstraint&,
                         const TopologySpreadConstraint&) = default;
};

struct PodResourceClaim {
  std::string name;
  std::optional<std::string> resource_claim_name;
  std::optional<std::string> resource_claim_template_name;
  friend bool operator==(const PodResourceClaim&, const PodResourceClaim&) = default;
};

struct PodSpec {
  std::string node_name;
  std::string scheduler_name;
  std::optional<int32_t> priority;
  std::string priority_class_name;
  std::string preemption_policy;
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  std::optional<ResourceRequirements> resources;  // Pod-level resources.
  ResourceList overhead;
  std::optional<StringMap> node_selector;  // An empty map is not the same as none.
  std::optional<Affinity> affinity;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::vector<std::string> scheduling_gates;
  std::vector<Volume> volumes;
  std::vector<PodResourceClaim> resource_claims;
  bool host_network = false;
  std::optional<bool> host_users;
  std::optional<int64_t> termination_grace_period_seconds;
  // The PodGroup that the pod belongs to, in its namespace: schedulingGroup.podGroupName.
  std::optional<std::string> pod_group_name;
  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

struct PodCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::optional<Instant> last_transition_time;
  std::optional<int64_t> observed_generation;
  friend bool operator==(const PodCondition&, const PodCondition&) = default;
};

// The resources part of a container's status.
struct ContainerStatus {
  std::string name;
  std::optional<ResourceRequirements> resources;
  ResourceList allocated_resources;
  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

struct PodResourceClaimStatus {
  std::string name;
  std::optional<std::string> resource_claim_name;
  friend bool operator==(const PodResourceClaimStatus&, const PodResourceClaimStatus&) = default;
};

struct ContainerExtendedResourceRequest {
  std::string container_name;
  std::string resource_name;
  std::string request_name;
  friend bool operator==(const ContainerExtendedResourceRequest&,
                         const ContainerExtendedResourceRequest&) = default;
};

// The claim that the scheduler created for the pod's extended resources, and the request of that
// claim for each of them.
struct PodExtendedResourceClaimStatus {
  std::vector<ContainerExtendedResourceRequest> request_mappings;
  std::string resource_claim_name;
  friend bool operator==(const PodExtendedResourceClaimStatus&,
                         const PodExtendedResourceClaimStatus&) = default;
};

struct PodStatus {
  std::string phase;
  std::string nominated_node_name;
  std::optional<Instant> start_time;
  std::vector<PodCondition> conditions;
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> init_container_statuses;
  std::optional<ResourceRequirements> resources;
  ResourceList allocated_resources;
  std::vector<PodResourceClaimStatus> resource_claim_statuses;
  std::optional<PodExtendedResourceClaimStatus> extended_resource_claim_status;
  friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
  RawJson text = {};
  friend bool operator==(const Pod&, const Pod&) = default;

  // Reports whether the pod has terminated: it then uses no resources of its node.
  bool finished() const { return status.phase == "Succeeded" || status.phase == "Failed"; }
  int32_t priority() const { return spec.priority.value_or(0); }
};

// Returns a mutable copy without the raw JSON, which would no longer match.
inline std::shared_ptr<Pod> CopyToChange(const Pod& pod) {
  auto copy = std::make_shared<Pod>(pod);
  copy->text = {};
  return copy;
}

}  // namespace berth::api
