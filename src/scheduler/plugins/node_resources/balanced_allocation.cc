#include "scheduler/plugins/node_resources/balanced_allocation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "api/pod_resources.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/node_resources/device_columns.h"
#include "scheduler/plugins/node_resources/resource_allocation.h"

namespace berth::scheduler::plugins {
namespace {

struct CompiledBalance final : framework::ClassState {
  explicit CompiledBalance(model::ScalarNames& scalars) : scalar_names(scalars) {}

  model::ScalarHolder scalar_names;  // Of `resources`.
  std::vector<ScoredResource> resources;
  bool asks_for_any = false;
};

// How even the fractions are, 0..100. The order of operations decides the last bit.
int64_t Balance(std::span<const double> fractions) {
  double deviation = 0;
  if (fractions.size() == 2) {
    deviation = std::abs((fractions[0] - fractions[1]) / 2);
  } else if (fractions.size() > 2) {
    double sum = 0;
    for (double fraction : fractions) sum += fraction;
    const double mean = sum / static_cast<double>(fractions.size());
    double squares = 0;
    for (double fraction : fractions) squares += (fraction - mean) * (fraction - mean);
    deviation = std::sqrt(squares / static_cast<double>(fractions.size()));
  }
  return static_cast<int64_t>((1 - deviation) * 100);
}

double Fraction(int64_t used, int64_t allocatable) {
  return std::min(static_cast<double>(used) / static_cast<double>(allocatable), 1.0);
}

// `before` and `after` have space for all resources.
int64_t ScoreFor(std::span<const ScoredResource> resources,
                 std::span<const ResourceColumns> columns, size_t row, std::span<double> before,
                 std::span<double> after) {
  size_t count = 0;
  for (size_t i = 0; i < resources.size(); ++i) {
    if (columns[i].allocatable == nullptr || columns[i].allocatable[row] == 0) continue;
    before[count] = Fraction(columns[i].requested[row], columns[i].allocatable[row]);
    after[count] =
        Fraction(columns[i].RequestedWith(resources[i].request, row), columns[i].allocatable[row]);
    ++count;
  }
  constexpr int64_t kHalf = framework::ScorePlugin::kMaxScore / 2;
  const int64_t gain = Balance(after.first(count)) - Balance(before.first(count));
  return kHalf + (kHalf + gain) / 2;
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> NodeResourcesBalancedAllocation::Make(
    const framework::NodeResourcesBalancedAllocationArgs& args) {
  return std::unique_ptr<framework::Plugin>(
      new NodeResourcesBalancedAllocation(args, MayBeDevices(args.resources)));
}

std::unique_ptr<framework::ClassState> NodeResourcesBalancedAllocation::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  auto state = std::make_unique<CompiledBalance>(cluster.mutable_scalars());
  const api::ResourceList requests =
      api::PodRequests(pod_class.example, model::PlacedPodRequests(cluster.features()));
  state->resources = ResolveResources(args_.resources, requests, state->scalar_names);
  state->asks_for_any =
      std::ranges::any_of(state->resources, [](const ScoredResource& r) { return r.request != 0; });
  std::erase_if(state->resources, [](const ScoredResource& r) { return !r.counts(); });
  return state;
}

framework::Verdict NodeResourcesBalancedAllocation::PreScore(framework::Cycle& cycle,
                                                             const model::NodeMask&) const {
  return cycle.compiled<CompiledBalance>(*this).asks_for_any ? framework::Verdict()
                                                             : framework::Verdict::Skip();
}

framework::Verdict NodeResourcesBalancedAllocation::Score(const framework::Cycle& cycle,
                                                          const model::NodeMask& nodes,
                                                          std::span<int64_t> out) const {
  const auto& resources = cycle.compiled<CompiledBalance>(*this).resources;
  const ScoredColumns scored(cycle, resources, nodes, /*nonzero=*/false);
  const std::vector<ResourceColumns>& columns = scored.columns();
  std::vector<double> before(resources.size()), after(resources.size());
  nodes.ForEach([&](size_t row) { out[row] = ScoreFor(resources, columns, row, before, after); });
  return {};
}

framework::Described NodeResourcesBalancedAllocation::DescribeScore(
    const framework::Cycle& cycle, int32_t weight, framework::SearchRules& rules) const {
  const auto& compiled = cycle.compiled<CompiledBalance>(*this);
  if (!compiled.asks_for_any) return framework::Described::kSkip;
  using enum ScoredResource::Kind;
  const auto& resources = compiled.resources;
  const bool usual =
      resources.size() == 2 && resources[0].kind == kCpu && resources[1].kind == kMemory;
  if (!usual) return framework::Described::kNo;
  rules.bound.balanced_cpu = static_cast<float>(resources[0].request);
  rules.bound.balanced_memory = static_cast<float>(resources[1].request);
  rules.bound.balance_weight = weight;
  rules.scorers.push_back({this, weight});
  return framework::Described::kYes;
}

int64_t NodeResourcesBalancedAllocation::ScoreOneNode(const framework::Cycle& cycle,
                                                      model::NodeRow node) const {
  const auto& resources = cycle.compiled<CompiledBalance>(*this).resources;
  const model::NodeColumns& columns = cycle.nodes().columns();
  const std::array both = {ColumnsOf(resources[0], columns, /*nonzero=*/false),
                           ColumnsOf(resources[1], columns, /*nonzero=*/false)};
  std::array<double, 2> before{}, after{};
  return ScoreFor(resources, both, node.index(), before, after);
}

uint64_t NodeResourcesBalancedAllocation::score_epoch(const model::Cluster& cluster) const {
  return scores_devices_ ? DeviceEpoch(cluster) : 0;
}

}  // namespace berth::scheduler::plugins
