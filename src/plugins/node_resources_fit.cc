#include "plugins/node_resources_fit.h"

#include <algorithm>
#include <cmath>

#include "api/pod_resources.h"
#include "framework/cycle.h"
#include "plugins/fit_args.h"
#include "plugins/resource_scoring.h"

namespace berth {
namespace {

struct Compiled final : ClassState {
  struct Scalar {
    ScalarId id;
    int64_t amount;
  };
  bool asks_for_anything = false;
  std::vector<Scalar> scalars;  // Without those that are ignored or not asked for.
  std::vector<ScoredResource> scored;
};

bool IsShort(int64_t request, const std::vector<int64_t>& allocatable,
             const std::vector<int64_t>& requested, size_t row) {
  return request > 0 && request > allocatable[row] - requested[row];
}

bool HasRoom(const ResourceVector& wanted, const Compiled& compiled, const NodeColumns& columns,
             size_t row) {
  if (columns.pod_count[row] + 1 > columns.allocatable_pods[row]) return false;
  if (!compiled.asks_for_anything) return true;
  if (IsShort(wanted.milli_cpu, columns.allocatable_cpu, columns.requested_cpu, row) ||
      IsShort(wanted.memory, columns.allocatable_memory, columns.requested_memory, row) ||
      IsShort(wanted.ephemeral_storage, columns.allocatable_ephemeral, columns.requested_ephemeral,
              row)) {
    return false;
  }
  return std::ranges::none_of(compiled.scalars, [&](const Compiled::Scalar& scalar) {
    const auto& column = columns.scalars[scalar.id.index()];
    return IsShort(scalar.amount, column.allocatable, column.requested, row);
  });
}

// The score of one resource, or nothing if it does not enter the average.
struct LeastAllocated {
  int64_t operator()(int64_t requested, int64_t allocatable) const {
    return requested > allocatable ? 0 : (allocatable - requested) * 100 / allocatable;
  }
};

struct MostAllocated {
  int64_t operator()(int64_t requested, int64_t allocatable) const {
    return std::min(requested, allocatable) * 100 / allocatable;
  }
};

// Calls visit(score, weight) for each resource that the node offers.
template <typename PerResource, typename Visit>
void ForEachResource(const std::vector<ScoredResource>& resources,
                     const std::vector<ResourceColumns>& columns, size_t row,
                     PerResource&& per_resource, Visit&& visit) {
  for (size_t i = 0; i < resources.size(); ++i) {
    if (columns[i].allocatable == nullptr) continue;
    const int64_t allocatable = columns[i].allocatable[row];
    if (allocatable == 0) continue;
    visit(per_resource(columns[i].requested[row] + resources[i].request, allocatable),
          resources[i].weight);
  }
}

template <typename PerResource>
void ScoreAverage(const std::vector<ScoredResource>& resources,
                  const std::vector<ResourceColumns>& columns, const NodeMask& nodes,
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

// Here resources that score nothing leave the average altogether.
void ScoreByCurve(const std::vector<ScoredResource>& resources,
                  const std::vector<ResourceColumns>& columns, const NodeMask& nodes,
                  std::span<int64_t> out, const std::vector<ShapePoint>& shape) {
  auto per_resource = [&](int64_t requested, int64_t allocatable) {
    return BrokenLinear(shape, requested > allocatable ? 100 : requested * 100 / allocatable);
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

Result<std::unique_ptr<Plugin>> NodeResourcesFit::Make(const NodeResourcesFitArgs& args) {
  if (Status valid = ValidateNodeResourcesFitArgs(args); !valid)
    return std::unexpected(valid.error());
  const std::string& type = args.scoring_strategy.type;
  const Strategy strategy = type == "MostAllocated" ? Strategy::kMostAllocated
                            : type == "RequestedToCapacityRatio"
                                ? Strategy::kRequestedToCapacityRatio
                                : Strategy::kLeastAllocated;
  std::vector<ShapePoint> shape = args.scoring_strategy.shape.value_or(std::vector<ShapePoint>{});
  for (ShapePoint& point : shape) point.score *= 10;  // Users give 0..10.
  return std::unique_ptr<Plugin>(new NodeResourcesFit(args, strategy, std::move(shape)));
}

bool NodeResourcesFit::Ignores(const std::string& resource) const {
  if (!api::IsExtendedResource(resource)) return false;
  return std::ranges::count(args_.ignored_resources, resource) > 0 ||
         std::ranges::count(args_.ignored_resource_groups, resource.substr(0, resource.find('/'))) >
             0;
}

std::unique_ptr<const ClassState> NodeResourcesFit::Compile(Cluster& cluster,
                                                            const PodClass& pod_class) const {
  auto state = std::make_unique<Compiled>();
  const ResourceVector& wanted = pod_class.requests;
  state->asks_for_anything = wanted.milli_cpu != 0 || wanted.memory != 0 ||
                             wanted.ephemeral_storage != 0 || !wanted.scalars.empty();
  for (const auto& scalar : wanted.scalars) {
    if (scalar.amount != 0 && !Ignores(cluster.scalars().Text(scalar.id))) {
      state->scalars.push_back({scalar.id, scalar.amount});
    }
  }
  // Scores count the containers alone, pod-level resources left out, as upstream does.
  const api::PodRequestOptions options{
      .skip_pod_level = true,
      .non_missing = {{"cpu", api::Quantity::FromMilli(api::kDefaultMilliCpu)},
                      {"memory", api::Quantity::FromValue(api::kDefaultMemory)}}};
  state->scored = ResolveResources(args_.scoring_strategy.resources,
                                   api::PodRequests(*pod_class.example, options), cluster);
  std::erase_if(state->scored, [](const ScoredResource& resource) { return !resource.counts(); });
  return state;
}

PreFilterResult NodeResourcesFit::PreFilter(Cycle&) const { return {}; }

Verdict NodeResourcesFit::Filter(const Cycle& cycle, NodeMask& nodes) const {
  const auto& compiled = cycle.compiled<Compiled>(*this);
  const ResourceVector& wanted = cycle.pod_class().requests;
  const NodeColumns& columns = cycle.nodes().columns();
  nodes.KeepIf([&](size_t row) { return HasRoom(wanted, compiled, columns, row); });
  return {};
}

Verdict NodeResourcesFit::Explain(const Cycle& cycle, NodeRow node) const {
  const auto& compiled = cycle.compiled<Compiled>(*this);
  const ResourceVector& wanted = cycle.pod_class().requests;
  const NodeColumns& columns = cycle.nodes().columns();
  const size_t row = node.index();
  if (HasRoom(wanted, compiled, columns, row)) return {};

  std::vector<std::string> reasons;
  bool hopeless = false;
  auto check = [&](int64_t request, const std::vector<int64_t>& allocatable,
                   const std::vector<int64_t>& requested, const std::string& name) {
    if (!IsShort(request, allocatable, requested, row)) return;
    reasons.push_back("Insufficient " + name);
    hopeless |= request > allocatable[row];
  };
  if (columns.pod_count[row] + 1 > columns.allocatable_pods[row])
    reasons.push_back("Too many pods");
  check(wanted.milli_cpu, columns.allocatable_cpu, columns.requested_cpu, "cpu");
  check(wanted.memory, columns.allocatable_memory, columns.requested_memory, "memory");
  check(wanted.ephemeral_storage, columns.allocatable_ephemeral, columns.requested_ephemeral,
        "ephemeral-storage");
  for (const Compiled::Scalar& scalar : compiled.scalars) {
    const auto& column = columns.scalars[scalar.id.index()];
    check(scalar.amount, column.allocatable, column.requested,
          cycle.cluster().scalars().Text(scalar.id));
  }
  return {hopeless ? Code::kUnschedulableAndUnresolvable : Code::kUnschedulable,
          std::move(reasons)};
}

Verdict NodeResourcesFit::PreScore(Cycle&, const NodeMask&) const { return {}; }

Verdict NodeResourcesFit::Score(const Cycle& cycle, const NodeMask& nodes,
                                std::span<int64_t> out) const {
  const auto& resources = cycle.compiled<Compiled>(*this).scored;
  std::vector<ResourceColumns> columns;
  for (const ScoredResource& resource : resources) {
    columns.push_back(ColumnsOf(resource, cycle.nodes().columns(), /*nonzero=*/true));
  }
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

}  // namespace berth
