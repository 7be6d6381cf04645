// The in-tree plugins that take arguments, and access to the struct inside a PluginArgs.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "framework/registry.h"
#include "plugins/args.h"

namespace berth::config {

// Calls use(name, std::type_identity<Args>()) for each plugin. The kind is the name with "Args"
// appended.
template <typename Use>
void ForEachArgsKind(Use use) {
  use("DefaultPreemption", std::type_identity<DefaultPreemptionArgs>());
  use("DynamicResources", std::type_identity<DynamicResourcesArgs>());
  use("InterPodAffinity", std::type_identity<InterPodAffinityArgs>());
  use("NodeAffinity", std::type_identity<NodeAffinityArgs>());
  use("NodeResourcesBalancedAllocation", std::type_identity<NodeResourcesBalancedAllocationArgs>());
  use("NodeResourcesFit", std::type_identity<NodeResourcesFitArgs>());
  use("PodTopologySpread", std::type_identity<PodTopologySpreadArgs>());
  use("VolumeBinding", std::type_identity<VolumeBindingArgs>());
}

// Calls use(std::type_identity<Args>()) for the plugin of that name; false if it takes no
// arguments.
template <typename Use>
bool WithArgsKind(std::string_view plugin, Use use) {
  bool found = false;
  ForEachArgsKind([&](std::string_view name, auto kind) {
    if (name != plugin) return;
    found = true;
    use(kind);
  });
  return found;
}

// Calls use(plugin, struct) if `args` (const or not) holds one of the structs; false if not.
template <typename Any, typename Use>
bool VisitArgs(Any& args, Use use) {
  bool found = false;
  ForEachArgsKind([&]<typename Args>(std::string_view name, std::type_identity<Args>) {
    if (auto* held = std::any_cast<Args>(&args)) {
      found = true;
      use(name, *held);
    }
  });
  return found;
}

}  // namespace berth::config
