#include "plugins/default_plugins.h"

namespace berth {

const PluginSet& DefaultPlugins() {
  // The order counts.
  static const PluginSet plugins{.enabled = {{"SchedulingGates"},
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
                                             {"DefaultBinder"},
                                             {"NodeDeclaredFeatures"}},
                                 .disabled = {}};
  return plugins;
}

}  // namespace berth
