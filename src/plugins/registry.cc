#include "plugins/registry.h"

#include "plugins/args.h"
#include "plugins/default_binder.h"
#include "plugins/default_preemption.h"
#include "plugins/dynamic_resources.h"
#include "plugins/fifo_sort.h"
#include "plugins/gang_scheduling.h"
#include "plugins/image_locality.h"
#include "plugins/inter_pod_affinity.h"
#include "plugins/node_affinity.h"
#include "plugins/node_declared_features.h"
#include "plugins/node_name.h"
#include "plugins/node_ports.h"
#include "plugins/node_resources_balanced_allocation.h"
#include "plugins/node_resources_fit.h"
#include "plugins/node_unschedulable.h"
#include "plugins/node_volume_limits.h"
#include "plugins/pod_topology_spread.h"
#include "plugins/priority_sort.h"
#include "plugins/scheduling_gates.h"
#include "plugins/taint_toleration.h"
#include "plugins/volume_binding.h"
#include "plugins/volume_restrictions.h"
#include "plugins/volume_zone.h"

namespace berth {

Registry InTreeRegistry() {
  Registry registry;
  registry.Add<SchedulingGates>();
  registry.Add<PrioritySort>();
  registry.Add<FifoSort>();
  registry.Add<NodeUnschedulable>();
  registry.Add<NodeName>();
  registry.Add<TaintToleration>();
  registry.AddWithArgs<NodeAffinity, NodeAffinityArgs>();
  registry.Add<NodePorts>();
  registry.AddWithArgs<NodeResourcesFit, NodeResourcesFitArgs>();
  registry.Add<VolumeRestrictions>();
  registry.Add<NodeVolumeLimits>();
  registry.AddWithArgs<VolumeBinding, VolumeBindingArgs>();
  registry.Add<VolumeZone>();
  registry.AddWithArgs<PodTopologySpread, PodTopologySpreadArgs>();
  registry.AddWithArgs<InterPodAffinity, InterPodAffinityArgs>();
  registry.Add<DynamicResources>();
  registry.AddWithArgs<DefaultPreemption, DefaultPreemptionArgs>();
  registry.AddWithArgs<NodeResourcesBalancedAllocation, NodeResourcesBalancedAllocationArgs>();
  registry.Add<ImageLocality>();
  registry.Add<DefaultBinder>();
  registry.Add<NodeDeclaredFeatures>();
  registry.Add<GangScheduling>();
  return registry;
}

}  // namespace berth
