#include "scheduler/plugins/node_resources/fit_args.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/selector.h"

namespace berth::scheduler::plugins {
namespace {

using Mistakes = std::vector<std::string>;

void CheckIgnored(const framework::NodeResourcesFitArgs& args, Mistakes& mistakes) {
  auto check_name = [&](std::string_view field, size_t i, const std::string& name) {
    for (const std::string& error : api::QualifiedNameErrors(name)) {
      mistakes.push_back(fmt::format("{}[{}]: Invalid value: \"{}\": {}", field, i, name, error));
    }
  };
  for (size_t i = 0; i < args.ignored_resources.size(); ++i) {
    check_name("ignoredResources", i, args.ignored_resources[i]);
  }
  for (size_t i = 0; i < args.ignored_resource_groups.size(); ++i) {
    const std::string& group = args.ignored_resource_groups[i];
    if (group.contains('/')) {
      mistakes.push_back(fmt::format(
          "ignoredResourceGroups[{}]: Invalid value: \"{}\": resource group name can't contain '/'",
          i, group));
    }
    check_name("ignoredResourceGroups", i, group);
  }
}

void CheckWeights(const std::vector<framework::ResourceWeight>& resources, Mistakes& mistakes) {
  for (size_t i = 0; i < resources.size(); ++i) {
    if (resources[i].weight > 0 && resources[i].weight <= 100) continue;
    mistakes.push_back(
        fmt::format("scoringStrategy.resources[{}].weight: Invalid value: {}: resource weight of "
                    "{} not in valid range (0, 100]",
                    i, resources[i].weight, resources[i].name));
  }
}

void CheckShape(const std::vector<framework::ShapePoint>& shape, Mistakes& mistakes) {
  constexpr std::string_view kPath = "scoringStrategy.requestedToCapacityRatio.shape";
  if (shape.empty()) {
    mistakes.push_back(
        fmt::format("{}: Required value: at least one point must be specified", kPath));
    return;
  }
  for (size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].utilization < shape[i].utilization) continue;
    mistakes.push_back(fmt::format(
        "{}[{}].utilization: Invalid value: {}: values must be sorted in increasing order", kPath,
        i, shape[i].utilization));
    break;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].utilization < 0 || shape[i].utilization > 100) {
      mistakes.push_back(
          fmt::format("{}[{}].utilization: Invalid value: {}: not in valid range [0, 100]", kPath,
                      i, shape[i].utilization));
    }
    if (shape[i].score < 0 || shape[i].score > 10) {
      mistakes.push_back(fmt::format("{}[{}].score: Invalid value: {}: not in valid range [0, 10]",
                                     kPath, i, shape[i].score));
    }
  }
}

void CheckStrategy(const framework::NodeResourcesFitArgs::ScoringStrategy& strategy,
                   Mistakes& mistakes) {
  const bool by_curve = strategy.type == "RequestedToCapacityRatio";
  if (!by_curve && strategy.type != "LeastAllocated" && strategy.type != "MostAllocated") {
    mistakes.push_back(
        fmt::format("scoringStrategy.type: Unsupported value: \"{}\": supported values: "
                    "\"LeastAllocated\", \"MostAllocated\", \"RequestedToCapacityRatio\"",
                    strategy.type));
  }
  CheckWeights(strategy.resources, mistakes);
  if (by_curve && !strategy.shape) {
    mistakes.emplace_back(
        "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is "
        "RequestedToCapacityRatio");
  } else if (by_curve) {
    CheckShape(*strategy.shape, mistakes);
  } else if (strategy.shape) {
    mistakes.emplace_back(
        "scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not "
        "RequestedToCapacityRatio");
  }
}

}  // namespace

Status ValidateNodeResourcesFitArgs(const framework::NodeResourcesFitArgs& args) {
  Mistakes mistakes;
  CheckIgnored(args, mistakes);
  CheckStrategy(args.scoring_strategy, mistakes);
  if (mistakes.empty()) return {};
  if (mistakes.size() == 1) return Fail(mistakes[0]);
  return Fail(fmt::format("[{}]", fmt::join(mistakes, ", ")));
}

}  // namespace berth::scheduler::plugins
