#include "scheduler/plugins/node_resources/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod_resources.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/explanation_text.h"
#include "scheduler/plugins/node_resources/device_columns.h"
#include "scheduler/plugins/node_resources/fit_args.h"
#include "scheduler/plugins/node_resources/placement_score.h"
#include "scheduler/plugins/node_resources/resource_allocation.h"

namespace berth::scheduler::plugins {
namespace {

struct CompiledFit final : framework::ClassState {
  explicit CompiledFit(model::ScalarNames& names) : scalar_names(names) {}

  struct Scalar {
    model::ScalarId id;
    int64_t amount;
  };
  model::ScalarHolder scalar_names;  // Of `scored`; the class holds those of `scalars`.
  std::vector<Scalar> scalars;       // Without those that are ignored or not requested.
  std::vector<ScoredResource> scored;
};

// Returns the score of one resource, or nothing if it is not part of the average.
struct LeastAllocated {
  int64_t operator()(int64_t requested, int64_t allocatable) const {
    return requested > allocatable ? 0 : Percent(allocatable - requested, allocatable);
  }
};

struct MostAllocated {
  int64_t operator()(int64_t requested, int64_t allocatable) const {
    return Percent(std::min(requested, allocatable), allocatable);
  }
};

// Calls visit(score, weight) for each resource that the node has.
template <typename PerResource, typename Visit>
void ForEachResource(const std::vector<ScoredResource>& resources,
                     const std::vector<ResourceColumns>& columns, size_t row,
                     PerResource&& per_resource, Visit&& visit) {
  for (size_t i = 0; i < resources.size(); ++i) {
    if (columns[i].allocatable == nullptr) continue;
    const int64_t allocatable = columns[i].allocatable[row];
    if (allocatable == 0) continue;
    visit(per_resource(columns[i].RequestedWith(resources[i].request, row), allocatable),
          resources[i].weight);
  }
}

template <typename PerResource>
void ScoreAverage(const std::vector<ScoredResource>& resources,
                  const std::vector<ResourceColumns>& columns, const model::NodeMask& nodes,
                  std::span<int64_t> out, PerResource per_resource) {
  nodes.ForEach([&](size_t row) {
    int64_t sum = 0, weights = 0;
    ForEachResource(resources, columns, row, per_resource, [&](int64_t score, int64_t weight) {
      sum += score * weight;
      weights += weight;
    });
    out[row] = weights == 0 ? 0 : sum / weights;
  });
}

// The same for one node; `resources` are cpu and memory.
template <typename PerResource>
int64_t AverageOf(const std::vector<ScoredResource>& resources, const model::NodeColumns& columns,
                  size_t row, PerResource per_resource) {
  int64_t sum = 0, weights = 0;
  for (const ScoredResource& resource : resources) {
    const ResourceColumns of = ColumnsOf(resource, columns, /*nonzero=*/true);
    if (of.allocatable[row] == 0) continue;
    sum += resource.weight *
           per_resource(of.RequestedWith(resource.request, row), of.allocatable[row]);
    weights += resource.weight;
  }
  return weights == 0 ? 0 : sum / weights;
}

// Here resources that score 0 are not part of the average.
void ScoreByCurve(const std::vector<ScoredResource>& resources,
                  const std::vector<ResourceColumns>& columns, const model::NodeMask& nodes,
                  std::span<int64_t> out, const std::vector<framework::ShapePoint>& shape) {
  auto per_resource = [&](int64_t requested, int64_t allocatable) {
    return framework::BrokenLinear(shape,
                                   requested > allocatable ? 100 : Percent(requested, allocatable));
  };
  nodes.ForEach([&](size_t row) {
    int64_t sum = 0, weights = 0;
    ForEachResource(resources, columns, row, per_resource, [&](int64_t score, int64_t weight) {
      if (score <= 0) return;
      sum += score * weight;
      weights += weight;
    });
    out[row] =
        weights == 0 ? 0 : std::llround(static_cast<double>(sum) / static_cast<double>(weights));
  });
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> NodeResourcesFit::Make(
    const framework::NodeResourcesFitArgs& args) {
  if (Status valid = ValidateNodeResourcesFitArgs(args); !valid)
    return std::unexpected(valid.error());
  const std::string& type = args.scoring_strategy.type;
  const Strategy strategy = type == "MostAllocated" ? Strategy::kMostAllocated
                            : type == "RequestedToCapacityRatio"
                                ? Strategy::kRequestedToCapacityRatio
                                : Strategy::kLeastAllocated;
  std::vector<framework::ShapePoint> shape =
      args.scoring_strategy.shape.value_or(std::vector<framework::ShapePoint>{});
  for (framework::ShapePoint& point : shape) point.score *= 10;  // Configured as 0..10.
  return std::unique_ptr<framework::Plugin>(new NodeResourcesFit(
      args, strategy, std::move(shape), MayBeDevices(args.scoring_strategy.resources)));
}

bool NodeResourcesFit::Ignores(const std::string& resource) const {
  if (!api::IsExtendedResource(resource)) return false;
  return std::ranges::count(args_.ignored_resources, resource) > 0 ||
         std::ranges::count(args_.ignored_resource_groups, resource.substr(0, resource.find('/'))) >
             0;
}

std::unique_ptr<framework::ClassState> NodeResourcesFit::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  auto state = std::make_unique<CompiledFit>(cluster.mutable_scalars());
  const model::ResourceVector& wanted = pod_class.requests;
  for (const auto& scalar : wanted.scalars) {
    if (scalar.amount > 0 && !Ignores(cluster.scalars().Text(scalar.id)))
      state->scalars.push_back({scalar.id, scalar.amount});
  }
  // Scores count the containers alone, without pod-level resources, as upstream.
  const api::PodRequestOptions options{
      .skip_pod_level = true,
      .non_missing = {{"cpu", api::Quantity::FromMilli(api::kDefaultMilliCpu)},
                      {"memory", api::Quantity::FromValue(api::kDefaultMemory)}}};
  state->scored =
      ResolveResources(args_.scoring_strategy.resources,
                       api::PodRequests(pod_class.example, options), state->scalar_names);
  std::erase_if(state->scored, [](const ScoredResource& resource) { return !resource.counts(); });
  return state;
}

framework::PreFilterResult NodeResourcesFit::PreFilter(framework::Cycle&) const { return {}; }

framework::Conditions NodeResourcesFit::Require(const framework::Cycle& cycle) const {
  using framework::Amount;
  const model::ResourceVector& wanted = cycle.pod_class().requests;
  const model::NodeColumns& columns = cycle.nodes().columns();
  framework::Conditions amounts{Amount::Slot(columns)};
  if (wanted.milli_cpu > 0) amounts.push_back(Amount::Cpu(columns, wanted.milli_cpu));
  if (wanted.memory > 0) amounts.push_back(Amount::Memory(columns, wanted.memory));
  if (wanted.ephemeral_storage > 0)
    amounts.push_back(Amount::EphemeralStorage(columns, wanted.ephemeral_storage));
  for (const auto& [id, amount] : cycle.compiled<CompiledFit>(*this).scalars) {
    // Devices may provide it on nodes that do not list it: DynamicResources decides there.
    const bool by_devices = AreDevices(cycle.cluster(), cycle.cluster().scalars().Text(id));
    amounts.push_back(Amount::Scalar(columns, id, amount, /*passes_if_unlisted=*/by_devices));
  }
  return amounts;
}

framework::Verdict NodeResourcesFit::PreScore(framework::Cycle&, const model::NodeMask&) const {
  return {};
}

framework::Verdict NodeResourcesFit::Score(const framework::Cycle& cycle,
                                           const model::NodeMask& nodes,
                                           std::span<int64_t> out) const {
  const auto& resources = cycle.compiled<CompiledFit>(*this).scored;
  const ScoredColumns scored(cycle, resources, nodes, /*nonzero=*/true);
  const std::vector<ResourceColumns>& columns = scored.columns();
  switch (strategy_) {
    case Strategy::kLeastAllocated:
      ScoreAverage(resources, columns, nodes, out, LeastAllocated());
      break;
    case Strategy::kMostAllocated:
      ScoreAverage(resources, columns, nodes, out, MostAllocated());
      break;
    case Strategy::kRequestedToCapacityRatio:
      ScoreByCurve(resources, columns, nodes, out, shape_);
      break;
  }
  return {};
}

framework::Described NodeResourcesFit::DescribeScore(const framework::Cycle& cycle, int32_t weight,
                                                     framework::SearchRules& rules) const {
  if (strategy_ == Strategy::kRequestedToCapacityRatio) return framework::Described::kNo;
  framework::ScoreBound& bound = rules.bound;
  for (const ScoredResource& resource : cycle.compiled<CompiledFit>(*this).scored) {
    const auto request = static_cast<float>(resource.request);
    const auto share = static_cast<float>(resource.weight);
    if (resource.kind == ScoredResource::Kind::kCpu && bound.cpu_weight == 0) {
      bound.nonzero_cpu = request;
      bound.cpu_weight = share;
    } else if (resource.kind == ScoredResource::Kind::kMemory && bound.memory_weight == 0) {
      bound.nonzero_memory = request;
      bound.memory_weight = share;
    } else {
      return framework::Described::kNo;
    }
  }
  bound.prefers_used = strategy_ == Strategy::kMostAllocated;
  bound.allocation_weight = weight;
  rules.scorers.push_back({this, weight});
  return framework::Described::kYes;
}

int64_t NodeResourcesFit::ScoreOneNode(const framework::Cycle& cycle, model::NodeRow node) const {
  const auto& resources = cycle.compiled<CompiledFit>(*this).scored;
  const model::NodeColumns& columns = cycle.nodes().columns();
  return strategy_ == Strategy::kMostAllocated
             ? AverageOf(resources, columns, node.index(), MostAllocated())
             : AverageOf(resources, columns, node.index(), LeastAllocated());
}

uint64_t NodeResourcesFit::score_epoch(const model::Cluster& cluster) const {
  return scores_devices_ ? DeviceEpoch(cluster) : 0;
}

// --- explanations ---

namespace {

// "the pod requests 9 cpu, of which 7.2 of 8 are free"
std::string ShortageOf(const framework::Amount& amount, const std::string& name, size_t row) {
  const int64_t has = amount.AllocatableOn(row), requested = amount.RequestedOn(row);
  if (amount.of == framework::Amount::Of::kPods)
    return fmt::format("it takes {} and has {}", FormatCount(has, "pod"), requested);
  const std::string what =
      fmt::format("the pod requests {} {}", FormatAmount(name, amount.request), name);
  if (amount.IsTooSmall(row))
    return fmt::format("{}, more than the node has: {}", what, FormatAmount(name, has));
  const int64_t free = std::max<int64_t>(0, has - requested);
  return fmt::format("{}, of which {} of {} are free", what, FormatAmount(name, free),
                     FormatAmount(name, has));
}

}  // namespace

std::string NodeResourcesFit::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  const size_t row = node.index();
  std::vector<std::string> texts;
  for (const framework::Condition& condition : Require(cycle)) {
    const auto& amount = std::get<framework::Amount>(condition);
    if (amount.Passes(row) || texts.size() >= framework::kMaxInsufficientResources) continue;
    texts.push_back(ShortageOf(amount, NameOf(amount, cycle.cluster()), row));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

bool NodeResourcesFit::ChecksScalar(const model::Cluster& cluster, model::ScalarId resource) const {
  const std::string& name = cluster.scalars().Text(resource);
  return !Ignores(name) && !AreDevices(cluster, name);
}

framework::Verdict NodeResourcesFit::ScorePlacements(
    const model::Cluster& cluster, const api::ObjectKey&,
    std::span<const framework::PlacementAssignments> placements, std::span<int64_t> out) const {
  for (size_t i = 0; i < placements.size(); ++i)
    out[i] = UtilizationOf(cluster, placements[i], args_.scoring_strategy.resources);
  return {};
}

}  // namespace berth::scheduler::plugins
