// Coscheduling places the members of scheduler-plugins' PodGroups (scheduling.x-k8s.io/v1alpha1)
// together, or none of them, as GangScheduling does those of Kubernetes' own.
//
// Configurations that enable scheduler-plugins' Coscheduling as multiPoint work with it. Its
// arguments are about pods that wait for others at Permit: none does here, so they have no effect.
#pragma once

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/registry.h"
#include "scheduler/plugins/gang_scheduling.h"
#include "scheduler/plugins/queue_sort.h"

namespace berth::scheduler::plugins {

class Coscheduling final : public GangScheduling, public framework::QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "Coscheduling";
  std::string_view name() const override { return kName; }

  // minMember may change, too.
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;

  // As PrioritySort: the members of a group are tried together wherever they are in the queue.
  bool Less(const framework::QueuedPod& a, const framework::QueuedPod& b) const override {
    return order_.Less(a, b);
  }

 private:
  const PrioritySort order_;
};

// Returns the in-tree plugins and those of scheduler-plugins that Berth has.
framework::Registry RegistryWithCoscheduling();

}  // namespace berth::scheduler::plugins
