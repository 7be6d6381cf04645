#include "scheduler/plugins/coscheduling.h"

#include "scheduler/plugins/in_tree_registry.h"

namespace berth::scheduler::plugins {

std::vector<framework::ClusterEventWithHint> Coscheduling::EventsToRegister() const {
  return {{{framework::Resource::kPod, framework::kAdd}},
          {{framework::Resource::kPodGroup, framework::kAdd | framework::kUpdate}}};
}

framework::Registry RegistryWithCoscheduling() {
  framework::Registry registry = InTreeRegistry();
  registry.Add<Coscheduling>();
  return registry;
}

}  // namespace berth::scheduler::plugins
