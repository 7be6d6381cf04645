#include "scheduler/plugins/in_tree_registry.h"

#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/plugins/default_binder.h"
#include "scheduler/plugins/dynamic_resources/dynamic_resources.h"
#include "scheduler/plugins/gang_scheduling.h"
#include "scheduler/plugins/image_locality.h"
#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "scheduler/plugins/node_affinity.h"
#include "scheduler/plugins/node_declared_features.h"
#include "scheduler/plugins/node_name.h"
#include "scheduler/plugins/node_ports.h"
#include "scheduler/plugins/node_resources/balanced_allocation.h"
#include "scheduler/plugins/node_resources/fit.h"
#include "scheduler/plugins/node_unschedulable.h"
#include "scheduler/plugins/node_volume_limits.h"
#include "scheduler/plugins/pod_group_pods_count.h"
#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"
#include "scheduler/plugins/preemption/default_preemption.h"
#include "scheduler/plugins/queue_sort.h"
#include "scheduler/plugins/scheduling_gates.h"
#include "scheduler/plugins/taint_toleration.h"
#include "scheduler/plugins/topology_placement_generator.h"
#include "scheduler/plugins/volume_binding/volume_binding.h"
#include "scheduler/plugins/volume_restrictions.h"
#include "scheduler/plugins/volume_zone.h"

namespace berth::scheduler::plugins {

framework::PluginSet DefaultPlugins(const model::Features& features) {
  // The order matters.
  framework::PluginSet plugins{.enabled = {{"SchedulingGates"},
                                           {"PrioritySort"},
                                           {"NodeUnschedulable"},
                                           {"NodeName"},
                                           {"TaintToleration", 3},
                                           {"NodeAffinity", 2},
                                           {"NodePorts"},
                                           {"NodeResourcesFit", 1},
                                           {"VolumeRestrictions"},
                                           {"NodeVolumeLimits"},
                                           {"VolumeBinding"},
                                           {"VolumeZone"},
                                           {"PodTopologySpread", 2},
                                           {"InterPodAffinity", 2},
                                           {"DynamicResources", 2},
                                           {"DefaultPreemption"},
                                           {"NodeResourcesBalancedAllocation", 1},
                                           {"ImageLocality", 1},
                                           {"DefaultBinder"}},
                               .disabled = {}};
  if (features.node_declared_features) plugins.enabled.push_back({"NodeDeclaredFeatures"});
  if (features.gang_scheduling) plugins.enabled.push_back({"GangScheduling"});
  if (features.topology_aware_workload_scheduling) {
    plugins.enabled.push_back({"TopologyPlacementGenerator"});
    plugins.enabled.push_back({"PodGroupPodsCount", 1});
  }
  return plugins;
}

framework::Registry InTreeRegistry() {
  framework::Registry registry;
  registry.Add<SchedulingGates>();
  registry.Add<PrioritySort>();
  registry.Add<FifoSort>();
  registry.Add<NodeUnschedulable>();
  registry.Add<NodeName>();
  registry.Add<TaintToleration>();
  registry.AddWithArgs<NodeAffinity, framework::NodeAffinityArgs>();
  registry.Add<NodePorts>();
  registry.AddWithArgs<NodeResourcesFit, framework::NodeResourcesFitArgs>();
  registry.Add<VolumeRestrictions>();
  registry.Add<NodeVolumeLimits>();
  registry.AddWithArgs<VolumeBinding, framework::VolumeBindingArgs>();
  registry.Add<VolumeZone>();
  registry.AddWithArgs<PodTopologySpread, framework::PodTopologySpreadArgs>();
  registry.AddWithArgs<InterPodAffinity, framework::InterPodAffinityArgs>();
  registry.AddWithArgs<DynamicResources, framework::DynamicResourcesArgs>();
  registry.AddWithArgs<DefaultPreemption, framework::DefaultPreemptionArgs>();
  registry.AddWithArgs<NodeResourcesBalancedAllocation,
                       framework::NodeResourcesBalancedAllocationArgs>();
  registry.Add<ImageLocality>();
  registry.Add<DefaultBinder>();
  registry.Add<NodeDeclaredFeatures>();
  registry.AddWithArgs<GangScheduling, framework::GangSchedulingArgs>();
  registry.Add<TopologyPlacementGenerator>();
  registry.Add<PodGroupPodsCount>();
  return registry;
}

}  // namespace berth::scheduler::plugins
