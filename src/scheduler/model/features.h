// Features are the feature gates that change what the scheduler does: those of kube-scheduler v1.36
// that may be switched, with their defaults there.
//
// A value that is chosen at start-up and never changes. Rules read it where they are compiled, so
// that a decision does not.
#pragma once

#include <array>
#include <string_view>

namespace berth::scheduler::model {

struct Features {
  // Claims may share a device; requests may ask for capacities.
  bool dra_consumable_capacity = true;
  // Devices may have to be prepared before a pod is bound. Needs dra_resource_claim_device_status.
  bool dra_device_binding_conditions = true;
  // Devices may be tainted.
  bool dra_device_taints = true;
  // Device classes may provide extended resources.
  bool dra_extended_resource = true;
  // Devices may share counters of their pool, and be for nodes of their own.
  bool dra_partitionable_devices = true;
  // Requests may have alternatives.
  bool dra_prioritized_list = true;
  // Claims show the conditions of their devices.
  bool dra_resource_claim_device_status = true;
  // The search for devices on a node is limited.
  bool dra_scheduler_filter_timeout = true;
  // The members of a gang are placed together or not at all. Needs generic_workload.
  bool gang_scheduling = false;
  // Pods may belong to PodGroups, whose members are scheduled in one cycle.
  bool generic_workload = false;
  // A resize of spec.resources counts, as one of a container's resources does.
  bool in_place_pod_level_resources_vertical_scaling = true;
  // matchLabelKeys of topology spread constraints count.
  bool match_label_keys_in_pod_topology_spread = true;
  // The API server merges them into the selectors; the scheduler does not depend on it.
  bool match_label_keys_in_pod_topology_spread_selector_merge = true;
  // Pods are kept off nodes that do not declare the kubelet features that they need.
  bool node_declared_features = true;
  // A pod whose binding takes a while is shown with its node before.
  bool nominated_node_name_for_expectation = true;
  // spec.resources counts, not only the resources of containers.
  bool pod_level_resources = true;
  // Victims are evicted while other pods are scheduled.
  bool scheduler_async_preemption = true;
  // A pod that backs off is tried early if no other pod is ready.
  bool scheduler_pop_from_backoff_q = true;
  // VolumeBinding scores nodes by the utilization of their storage.
  bool storage_capacity_scoring = false;
  // Tolerations may compare numbers, with the operators Lt and Gt.
  bool taint_toleration_comparison_operators = false;
  // Groups may be confined to one topology domain. Needs generic_workload.
  bool topology_aware_workload_scheduling = false;
  // A CSI driver may keep its pods off nodes where it is not installed.
  bool volume_limit_scaling = false;
  // A group preempts as a whole, and may be evicted as a whole. Needs gang_scheduling.
  bool workload_aware_preemption = false;
  // Pods may belong to PodGroups of scheduler-plugins. Not a gate: the plugin Coscheduling is
  // enabled.
  bool coscheduling = false;

  // The members of some groups are scheduled in one cycle, and those of gangs bound together.
  constexpr bool has_groups() const { return generic_workload || coscheduling; }
  constexpr bool has_gangs() const { return gang_scheduling || coscheduling; }

  friend constexpr bool operator==(const Features&, const Features&) = default;
};

// The name of each gate, sorted.
struct NamedFeature {
  std::string_view name;
  bool Features::* field;
};
inline constexpr std::array kNamedFeatures = std::to_array<NamedFeature>({
    {"DRAConsumableCapacity", &Features::dra_consumable_capacity},
    {"DRADeviceBindingConditions", &Features::dra_device_binding_conditions},
    {"DRADeviceTaints", &Features::dra_device_taints},
    {"DRAExtendedResource", &Features::dra_extended_resource},
    {"DRAPartitionableDevices", &Features::dra_partitionable_devices},
    {"DRAPrioritizedList", &Features::dra_prioritized_list},
    {"DRAResourceClaimDeviceStatus", &Features::dra_resource_claim_device_status},
    {"DRASchedulerFilterTimeout", &Features::dra_scheduler_filter_timeout},
    {"GangScheduling", &Features::gang_scheduling},
    {"GenericWorkload", &Features::generic_workload},
    {"InPlacePodLevelResourcesVerticalScaling",
     &Features::in_place_pod_level_resources_vertical_scaling},
    {"MatchLabelKeysInPodTopologySpread", &Features::match_label_keys_in_pod_topology_spread},
    {"MatchLabelKeysInPodTopologySpreadSelectorMerge",
     &Features::match_label_keys_in_pod_topology_spread_selector_merge},
    {"NodeDeclaredFeatures", &Features::node_declared_features},
    {"NominatedNodeNameForExpectation", &Features::nominated_node_name_for_expectation},
    {"PodLevelResources", &Features::pod_level_resources},
    {"SchedulerAsyncPreemption", &Features::scheduler_async_preemption},
    {"SchedulerPopFromBackoffQ", &Features::scheduler_pop_from_backoff_q},
    {"StorageCapacityScoring", &Features::storage_capacity_scoring},
    {"TaintTolerationComparisonOperators", &Features::taint_toleration_comparison_operators},
    {"TopologyAwareWorkloadScheduling", &Features::topology_aware_workload_scheduling},
    {"VolumeLimitScaling", &Features::volume_limit_scaling},
    {"WorkloadAwarePreemption", &Features::workload_aware_preemption},
});

}  // namespace berth::scheduler::model
