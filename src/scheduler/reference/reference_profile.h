// ReferenceProfile is a profile as the twin needs it: which plugins count at which point, in what
// order, with which weights and arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/profile.h"

namespace berth::scheduler::reference {

struct ReferenceProfile {
  struct Scorer {
    std::string name;
    int64_t weight = 1;
    friend bool operator==(const Scorer&, const Scorer&) = default;
  };

  // Plugins that the twin does not know are passed over. One that filters must be in both lists if
  // it is in the default ones: its filter goes by what its PreFilter found. The defaults are those
  // of kube-scheduler.
  std::vector<std::string> pre_filters = {
      "NodeAffinity",     "NodePorts",        "NodeResourcesFit",    "VolumeRestrictions",
      "NodeVolumeLimits", "VolumeBinding",    "VolumeZone",          "PodTopologySpread",
      "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures"};
  std::vector<std::string> filters = {"NodeUnschedulable",  "NodeName",
                                      "TaintToleration",    "NodeAffinity",
                                      "NodePorts",          "NodeResourcesFit",
                                      "VolumeRestrictions", "NodeVolumeLimits",
                                      "VolumeBinding",      "VolumeZone",
                                      "PodTopologySpread",  "InterPodAffinity",
                                      "DynamicResources",   "NodeDeclaredFeatures"};
  std::vector<std::string> post_filters = {"DynamicResources", "DefaultPreemption"};
  std::vector<Scorer> scorers = {{"TaintToleration", 3},   {"NodeAffinity", 2},
                                 {"NodeResourcesFit", 1},  {"VolumeBinding", 1},
                                 {"PodTopologySpread", 2}, {"InterPodAffinity", 2},
                                 {"DynamicResources", 2},  {"NodeResourcesBalancedAllocation", 1},
                                 {"ImageLocality", 1}};

  framework::NodeAffinityArgs node_affinity;
  framework::NodeResourcesFitArgs fit;
  framework::NodeResourcesBalancedAllocationArgs balanced_allocation;
  framework::InterPodAffinityArgs pod_affinity;
  framework::PodTopologySpreadArgs spread;
  framework::DefaultPreemptionArgs preemption;
};

// The rules of a profile, multiPoint expanded. `config` has the defaults merged in.
ReferenceProfile ReferenceProfileOf(const framework::ProfileConfig& config);

// True if the twin knows what the plugin says wherever it takes part in finding a node.
bool KnowsPlugin(std::string_view name);

}  // namespace berth::scheduler::reference
