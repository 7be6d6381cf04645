// ReferenceProfile is a profile for the reference implementation: which plugins run at which
// extension point, in which order, with which weights and arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/features.h"

namespace berth::scheduler::reference {

struct ReferenceProfile {
  struct Scorer {
    std::string name;
    int64_t weight = 1;
    friend bool operator==(const Scorer&, const Scorer&) = default;
  };

  // Unknown plugins are ignored. A plugin that is in both default lists must be in both: its Filter
  // depends on its PreFilter. The defaults are kube-scheduler's.
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
  framework::VolumeBindingArgs volume_binding;
  framework::DynamicResourcesArgs dynamic_resources;

  model::Features features;
};

// Converts a profile, with multiPoint expanded. `config` includes the defaults.
ReferenceProfile ReferenceProfileOf(const framework::ProfileConfig& config,
                                    const model::Features& features = {});

// Reports whether the reference implementation has the plugin.
bool KnowsPlugin(std::string_view name);

}  // namespace berth::scheduler::reference
