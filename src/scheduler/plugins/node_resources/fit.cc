#include "scheduler/plugins/node_resources/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod_resources.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "scheduler/plugins/explanation_text.h"
#include "scheduler/plugins/node_resources/device_columns.h"
#include "scheduler/plugins/node_resources/fit_args.h"
#include "scheduler/plugins/node_resources/fit_rows.h"
#include "scheduler/plugins/node_resources/placement_score.h"
#include "scheduler/plugins/node_resources/resource_allocation.h"

namespace berth::scheduler::plugins {
namespace {

struct CompiledFit final : framework::ClassState {
  explicit CompiledFit(model::ScalarNames& names) : scalar_names(names) {}

  struct Scalar {
    model::ScalarId id;
    int64_t amount;
    // Devices provide it on nodes that do not list it: DynamicResources decides there.
    bool by_devices = false;
  };
  model::ScalarHolder scalar_names;  // Of `scored`; the class holds those of `scalars`.
  bool asks_for_anything = false;
  std::vector<Scalar> scalars;  // Without those that are ignored or not requested.
  std::vector<ScoredResource> scored;
};

bool IsShort(int64_t request, const std::vector<int64_t>& allocatable,
             const std::vector<int64_t>& requested, size_t row) {
  return request > 0 && request > allocatable[row] - requested[row];
}

// The columns of a resource that no node lists are empty.
bool IsShort(const CompiledFit::Scalar& wanted, const model::NodeColumns& columns, size_t row) {
  const model::NodeColumns::Scalar* column = columns.scalar(wanted.id);
  if (wanted.by_devices && (column == nullptr || column->allocatable[row] <= 0)) return false;
  if (column == nullptr) return wanted.amount > 0;
  return IsShort(wanted.amount, column->allocatable, column->requested, row);
}

using Scalars = std::vector<CompiledFit::Scalar>;

bool HasScalars(const Scalars& scalars, const model::NodeColumns& columns, size_t row) {
  return std::ranges::none_of(
      scalars, [&](const CompiledFit::Scalar& scalar) { return IsShort(scalar, columns, row); });
}

// Returns the scalar resources to check. Which of them devices provide may change any time.
Scalars ScalarsOf(const framework::Cycle& cycle, const CompiledFit& compiled) {
  if (compiled.scalars.empty()) return {};
  Scalars scalars = compiled.scalars;
  const model::Cluster& cluster = cycle.cluster();
  const devices::ExtendedResources& provided = cluster.devices().extended_resources();
  if (provided.empty()) return scalars;
  for (CompiledFit::Scalar& scalar : scalars)
    scalar.by_devices = provided.Find(cluster.scalars().Text(scalar.id)) != nullptr;
  return scalars;
}

bool FitsOnNode(const model::ResourceVector& wanted, const CompiledFit& compiled,
                const Scalars& scalars, const model::NodeColumns& columns, size_t row) {
  if (columns.pod_count[row] + 1 > columns.allocatable_pods[row]) return false;
  if (!compiled.asks_for_anything) return true;
  if (IsShort(wanted.milli_cpu, columns.allocatable_cpu, columns.requested_cpu, row) ||
      IsShort(wanted.memory, columns.allocatable_memory, columns.requested_memory, row) ||
      IsShort(wanted.ephemeral_storage, columns.allocatable_ephemeral, columns.requested_ephemeral,
              row)) {
    return false;
  }
  return scalars.empty() || HasScalars(scalars, columns, row);
}

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
  state->asks_for_anything = wanted.milli_cpu != 0 || wanted.memory != 0 ||
                             wanted.ephemeral_storage != 0 || !wanted.scalars.empty();
  for (const auto& scalar : wanted.scalars) {
    if (scalar.amount != 0 && !Ignores(cluster.scalars().Text(scalar.id))) {
      state->scalars.push_back({scalar.id, scalar.amount});
    }
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

framework::Verdict NodeResourcesFit::Filter(const framework::Cycle& cycle,
                                            model::NodeMask& nodes) const {
  const auto& compiled = cycle.compiled<CompiledFit>(*this);
  const model::ResourceVector& wanted = cycle.pod_class().requests;
  const model::NodeColumns& columns = cycle.nodes().columns();
  const Scalars scalars = ScalarsOf(cycle, compiled);
  const auto fits = [&](size_t row) { return FitsOnNode(wanted, compiled, scalars, columns, row); };
  if (!scalars.empty()) {
    nodes.KeepIf(fits);
    return {};
  }
  constexpr int kMany = 8;  // All of a word take as long as so many one by one.
  const size_t full = nodes.size() / 64;
  nodes.KeepByWord([&](size_t w) {
    uint64_t word = nodes.words()[w];
    if (w < full && std::popcount(word) >= kMany) return FittingRows(wanted, columns, w * 64);
    for (uint64_t rest = word; rest != 0; rest &= rest - 1) {
      if (!fits(w * 64 + static_cast<size_t>(std::countr_zero(rest)))) word &= ~(rest & -rest);
    }
    return word;
  });
  return {};
}

framework::Described NodeResourcesFit::DescribeFilter(const framework::Cycle& cycle,
                                                      framework::SearchRules& rules) const {
  const model::NodeColumns& columns = cycle.nodes().columns();
  const Scalars scalars = ScalarsOf(cycle, cycle.compiled<CompiledFit>(*this));
  for (const CompiledFit::Scalar& scalar : scalars) {
    const model::NodeColumns::Scalar* column = columns.scalar(scalar.id);
    if (column == nullptr && scalar.by_devices) continue;
    if (column == nullptr) return framework::Described::kNo;  // The pod fits nowhere.
    rules.row_rules.push_back(framework::RowRule::HasFree(
        column->allocatable, column->requested, scalar.amount, /*none_passes=*/scalar.by_devices));
  }
  const model::ResourceVector& wanted = cycle.pod_class().requests;
  rules.filters.push_back(this);
  using framework::ScoreBound;
  rules.bound.cpu = static_cast<float>(wanted.milli_cpu);
  rules.bound.cpu_limit = wanted.milli_cpu > 0 ? ScoreBound::kAll : ScoreBound::kAnyButNoneFits;
  rules.bound.memory = static_cast<float>(wanted.memory);
  rules.bound.memory_limit = wanted.memory > 0 ? ScoreBound::kAll : ScoreBound::kAnyUsage;
  rules.bound.decides_fit = scalars.empty() && wanted.ephemeral_storage == 0;
  return framework::Described::kYes;
}

bool NodeResourcesFit::Passes(const framework::Cycle& cycle, model::NodeRow node) const {
  const auto& compiled = cycle.compiled<CompiledFit>(*this);
  return FitsOnNode(cycle.pod_class().requests, compiled, ScalarsOf(cycle, compiled),
                    cycle.nodes().columns(), node.index());
}

framework::Verdict NodeResourcesFit::Explain(const framework::Cycle& cycle,
                                             model::NodeRow node) const {
  const auto& compiled = cycle.compiled<CompiledFit>(*this);
  const model::ResourceVector& wanted = cycle.pod_class().requests;
  const model::NodeColumns& columns = cycle.nodes().columns();
  const size_t row = node.index();
  const Scalars scalars = ScalarsOf(cycle, compiled);
  if (FitsOnNode(wanted, compiled, scalars, columns, row)) return {};

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
  for (const CompiledFit::Scalar& scalar : scalars) {
    if (!IsShort(scalar, columns, row)) continue;
    // DIFFERS: only the first are named.
    if (reasons.size() < framework::kMaxInsufficientResources)
      reasons.push_back("Insufficient " + cycle.cluster().scalars().Text(scalar.id));
    const model::NodeColumns::Scalar* column = columns.scalar(scalar.id);
    hopeless |= column == nullptr || scalar.amount > column->allocatable[row];
  }
  return {
      hopeless ? framework::Code::kUnschedulableAndUnresolvable : framework::Code::kUnschedulable,
      std::move(reasons)};
}

// As ShortResourcesOfRows.
std::optional<uint32_t> NodeResourcesFit::RejectionKind(const framework::Cycle& cycle,
                                                        model::NodeRow node) const {
  if (!cycle.compiled<CompiledFit>(*this).scalars.empty()) return std::nullopt;
  const model::ResourceVector& wanted = cycle.pod_class().requests;
  const model::NodeColumns& columns = cycle.nodes().columns();
  const size_t row = node.index();
  const bool has_slot = columns.pod_count[row] < columns.allocatable_pods[row];
  uint32_t kind = has_slot ? 0 : kShortOfPods;
  bool hopeless = false;
  auto check = [&](int64_t request, const std::vector<int64_t>& allocatable,
                   const std::vector<int64_t>& requested, uint32_t bit) {
    if (!IsShort(request, allocatable, requested, row)) return;
    kind |= bit;
    hopeless |= request > allocatable[row];
  };
  check(wanted.milli_cpu, columns.allocatable_cpu, columns.requested_cpu, kShortOfCpu);
  check(wanted.memory, columns.allocatable_memory, columns.requested_memory, kShortOfMemory);
  check(wanted.ephemeral_storage, columns.allocatable_ephemeral, columns.requested_ephemeral,
        kShortOfEphemeralStorage);
  return hopeless ? kind | kTooSmall : kind;
}

void NodeResourcesFit::RejectionKinds(const framework::Cycle& cycle, size_t first, uint64_t rows,
                                      std::span<uint32_t, 64> kinds) const {
  constexpr int kMany = 8;  // All 64 take as long as so many one by one.
  const bool at_once = std::popcount(rows) >= kMany && first + 64 <= cycle.nodes().rows() &&
                       cycle.compiled<CompiledFit>(*this).scalars.empty();
  if (!at_once) return FilterPlugin::RejectionKinds(cycle, first, rows, kinds);
  ShortResourcesOfRows(cycle.pod_class().requests, cycle.nodes().columns(), first, kinds);
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

std::string NodeResourcesFit::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  const model::ResourceVector& wanted = cycle.pod_class().requests;
  const model::NodeColumns& columns = cycle.nodes().columns();
  const size_t row = node.index();
  std::vector<std::string> texts;
  if (columns.pod_count[row] + 1 > columns.allocatable_pods[row]) {
    texts.push_back(fmt::format("it takes {} and has {}",
                                FormatCount(columns.allocatable_pods[row], "pod"),
                                columns.pod_count[row]));
  }
  auto check = [&](int64_t request, int64_t allocatable, int64_t requested,
                   const std::string& name) {
    if (request <= 0 || request <= allocatable - requested) return;
    const std::string what =
        fmt::format("the pod requests {} {}", FormatAmount(name, request), name);
    if (request > allocatable) {
      texts.push_back(
          fmt::format("{}, more than the node has: {}", what, FormatAmount(name, allocatable)));
    } else {
      const int64_t free = std::max<int64_t>(0, allocatable - requested);
      texts.push_back(fmt::format("{}, of which {} of {} are free", what, FormatAmount(name, free),
                                  FormatAmount(name, allocatable)));
    }
  };
  check(wanted.milli_cpu, columns.allocatable_cpu[row], columns.requested_cpu[row], "cpu");
  check(wanted.memory, columns.allocatable_memory[row], columns.requested_memory[row], "memory");
  check(wanted.ephemeral_storage, columns.allocatable_ephemeral[row],
        columns.requested_ephemeral[row], "ephemeral-storage");
  for (const CompiledFit::Scalar& scalar : ScalarsOf(cycle, cycle.compiled<CompiledFit>(*this))) {
    const std::string& name = cycle.cluster().scalars().Text(scalar.id);
    if (texts.size() >= framework::kMaxInsufficientResources || !IsShort(scalar, columns, row))
      continue;
    const model::NodeColumns::Scalar* column = columns.scalar(scalar.id);
    check(scalar.amount, column == nullptr ? 0 : column->allocatable[row],
          column == nullptr ? 0 : column->requested[row], name);
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

bool NodeResourcesFit::ChecksScalar(const model::Cluster& cluster, model::ScalarId resource) const {
  const std::string& name = cluster.scalars().Text(resource);
  return !Ignores(name) && cluster.devices().extended_resources().Find(name) == nullptr;
}

framework::Verdict NodeResourcesFit::ScorePlacements(
    const model::Cluster& cluster, const api::ObjectKey&,
    std::span<const framework::PlacementAssignments> placements, std::span<int64_t> out) const {
  for (size_t i = 0; i < placements.size(); ++i)
    out[i] = UtilizationOf(cluster, placements[i], args_.scoring_strategy.resources);
  return {};
}

}  // namespace berth::scheduler::plugins
