// GangScheduling places the members of a PodGroup with a gang policy together, or none of them: it
// holds pods back until enough of them exist, and lets none be bound until enough of them have a
// node.
//
// Only with the feature GenericWorkload: without it, pods have no groups, and the plugin accepts
// all.
#pragma once

#include <memory>

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/pod_group_plugins.h"

namespace berth::scheduler::plugins {

class GangScheduling : public framework::PreEnqueuePlugin,
                       public framework::PermitPlugin,
                       public framework::GroupSearchPlugin {
 public:
  static constexpr std::string_view kName = "GangScheduling";
  std::string_view name() const override { return kName; }

  explicit GangScheduling(const framework::GangSchedulingArgs& args = {});
  static Result<std::unique_ptr<framework::Plugin>> Make(
      const framework::GangSchedulingArgs& args) {
    return std::make_unique<GangScheduling>(args);
  }

  // A pod of the group, or the group itself, was added.
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  // Gates the pod until its PodGroup exists, with at least minCount pods.
  framework::Verdict PreEnqueue(const model::Cluster& cluster,
                                const model::PodRecord& pod) const override;
  bool GatesGroups() const override { return true; }
  // Success if, with this pod, at least minCount pods of the group have a node; else Wait.
  framework::PermitResult Permit(framework::Cycle& cycle, model::NodeRow node,
                                 framework::WaitingPods& waiting) const override;
  // As the arguments say.
  const framework::GroupSearch& group_search() const override { return search_; }

 private:
  const framework::GroupSearch search_;
};

}  // namespace berth::scheduler::plugins
