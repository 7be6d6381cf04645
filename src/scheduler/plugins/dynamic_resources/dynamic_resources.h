// DynamicResources allocates devices to the resource claims of a pod, and to extended resources
// that devices provide.
//
// Filter looks for devices on each node for all claims of the pod that are not allocated, Reserve
// takes those of the chosen node, PreBind writes them to the claims. A claim that is allocated
// keeps the pod to the nodes where its devices are.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class DynamicResources final : public framework::PreEnqueuePlugin,
                               public framework::PreFilterPlugin,
                               public framework::NodeFilter,
                               public framework::DeviceFilter,
                               public framework::PostFilterPlugin,
                               public framework::ScorePlugin,
                               public framework::ReservePlugin,
                               public framework::PreBindPlugin {
 public:
  static constexpr std::string_view kName = "DynamicResources";
  std::string_view name() const override { return kName; }

  // The work of a search on one node that `filterTimeout` allows for each of its seconds: by
  // default, what takes some 5 ms.
  // DIFFERS: kube-scheduler limits the time, and fails the attempt. While it searches, other pods
  // wait; an engine that counts work decides the same each time.
  static constexpr uint64_t kWorkPerSecond = 100'000;

  static Result<std::unique_ptr<framework::Plugin>> Make(
      const framework::DynamicResourcesArgs& args);

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  // Rejects pods whose claims do not exist.
  framework::Verdict PreEnqueue(const model::Cluster& cluster,
                                const model::PodRecord& pod) const override;
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override;
  framework::Verdict FilterNodes(const framework::Cycle& cycle,
                                 model::NodeMask& nodes) const override;
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;
  std::map<std::string, api::AllocationResult> Allocations(const framework::Cycle& cycle,
                                                           model::NodeRow node) const override;
  // Deallocates a claim whose devices are not where the pod can run, if nobody else uses it, or
  // deletes the claim that an earlier attempt has left behind.
  Task<framework::PostFilterResult> PostFilter(framework::FailedCycle& failed) const override;

  // Prefers the alternatives that requests list first.
  framework::Verdict Score(const framework::Cycle& cycle, const model::NodeMask& nodes,
                           std::span<int64_t> out) const override;
  framework::Scale scale() const override { return framework::Scale::kHighest; }
  bool AllScoresAreZero(const framework::Cycle& cycle) const override;
  framework::Described DescribeScore(const framework::Cycle& cycle, int32_t weight,
                                     framework::SearchRules& rules) const override;

  framework::Verdict Reserve(framework::Cycle& cycle, model::NodeRow node) const override;
  void Unreserve(framework::Cycle& cycle, model::NodeRow node) const override;
  framework::PreBindPlan PreBindPreFlight(const framework::Cycle& cycle,
                                          model::NodeRow node) const override;
  Task<framework::Verdict> PreBind(framework::BindingContext& binding) const override;

 private:
  DynamicResources(uint64_t max_work, Duration binding_timeout)
      : max_work_(max_work), binding_timeout_(binding_timeout) {}

  const uint64_t max_work_;  // Of the search on one node.
  const Duration binding_timeout_;
};

}  // namespace berth::scheduler::plugins
