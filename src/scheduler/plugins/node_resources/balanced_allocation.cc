#include "scheduler/plugins/node_resources/balanced_allocation.h"

#include <algorithm>

#include "api/pod_resources.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/scored_columns.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::plugins {
namespace {

struct CompiledBalance final : framework::ClassState {
  explicit CompiledBalance(model::ScalarNames& scalars) : scalar_names(scalars) {}

  model::ScalarHolder scalar_names;  // Of `resources`.
  std::vector<framework::ScoredResource> resources;
  bool asks_for_any = false;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> NodeResourcesBalancedAllocation::Make(
    const framework::NodeResourcesBalancedAllocationArgs& args) {
  return std::unique_ptr<framework::Plugin>(
      new NodeResourcesBalancedAllocation(args, framework::MayBeDevices(args.resources)));
}

std::unique_ptr<framework::ClassState> NodeResourcesBalancedAllocation::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  auto state = std::make_unique<CompiledBalance>(cluster.mutable_scalars());
  const api::ResourceList requests =
      api::PodRequests(pod_class.example, model::PlacedPodRequests(cluster.features()));
  state->resources = framework::ResolveResources(args_.resources, requests, state->scalar_names);
  state->asks_for_any = std::ranges::any_of(
      state->resources, [](const framework::ScoredResource& r) { return r.request != 0; });
  std::erase_if(state->resources, [](const framework::ScoredResource& r) { return !r.counts(); });
  return state;
}

framework::Verdict NodeResourcesBalancedAllocation::PreScore(framework::Cycle& cycle,
                                                             const model::NodeMask&) const {
  return cycle.compiled<CompiledBalance>(*this).asks_for_any ? framework::Verdict()
                                                             : framework::Verdict::Skip();
}

framework::Rating NodeResourcesBalancedAllocation::Rate(const framework::Cycle& cycle) const {
  const auto& compiled = cycle.compiled<CompiledBalance>(*this);
  if (!compiled.asks_for_any) return framework::NoScores{};
  return framework::BalanceScore{compiled.resources};
}

uint64_t NodeResourcesBalancedAllocation::score_epoch(const model::Cluster& cluster) const {
  return scores_devices_ ? framework::DeviceEpoch(cluster) : 0;
}

}  // namespace berth::scheduler::plugins
