#include "scheduler/plugins/node_resources/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod_resources.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/scored_columns.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/explanation_text.h"
#include "scheduler/plugins/node_resources/fit_args.h"
#include "scheduler/plugins/node_resources/placement_score.h"

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
  std::vector<framework::ScoredResource> scored;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> NodeResourcesFit::Make(
    const framework::NodeResourcesFitArgs& args) {
  if (Status valid = ValidateNodeResourcesFitArgs(args); !valid)
    return std::unexpected(valid.error());
  const std::string& type = args.scoring_strategy.type;
  using Curve = framework::UsageScore::Curve;
  const Curve curve = type == "MostAllocated"              ? Curve::kMost
                      : type == "RequestedToCapacityRatio" ? Curve::kBroken
                                                           : Curve::kLeast;
  std::vector<framework::ShapePoint> shape =
      args.scoring_strategy.shape.value_or(std::vector<framework::ShapePoint>{});
  for (framework::ShapePoint& point : shape) point.score *= 10;  // Configured as 0..10.
  return std::unique_ptr<framework::Plugin>(new NodeResourcesFit(
      args, curve, std::move(shape), framework::MayBeDevices(args.scoring_strategy.resources)));
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
  state->scored = framework::ResolveResources(args_.scoring_strategy.resources,
                                              api::PodRequests(pod_class.example, options),
                                              state->scalar_names);
  std::erase_if(state->scored,
                [](const framework::ScoredResource& resource) { return !resource.counts(); });
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
    const bool by_devices =
        framework::AreDevices(cycle.cluster(), cycle.cluster().scalars().Text(id));
    amounts.push_back(Amount::Scalar(columns, id, amount, /*passes_if_unlisted=*/by_devices));
  }
  return amounts;
}

framework::Verdict NodeResourcesFit::PreScore(framework::Cycle&, const model::NodeMask&) const {
  return {};
}

framework::Rating NodeResourcesFit::Rate(const framework::Cycle& cycle) const {
  return framework::UsageScore{cycle.compiled<CompiledFit>(*this).scored, curve_, shape_};
}

uint64_t NodeResourcesFit::score_epoch(const model::Cluster& cluster) const {
  return scores_devices_ ? framework::DeviceEpoch(cluster) : 0;
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
  return !Ignores(name) && !framework::AreDevices(cluster, name);
}

framework::Verdict NodeResourcesFit::ScorePlacements(
    const model::Cluster& cluster, const api::ObjectKey&,
    std::span<const framework::PlacementAssignments> placements, std::span<int64_t> out) const {
  for (size_t i = 0; i < placements.size(); ++i)
    out[i] = UtilizationOf(cluster, placements[i], args_.scoring_strategy.resources);
  return {};
}

}  // namespace berth::scheduler::plugins
