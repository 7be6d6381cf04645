// Validates the arguments of the in-tree plugins.

#include <fmt/format.h>

#include <array>
#include <set>

#include "api/selector.h"
#include "scheduler/config/configuration_fields.h"
#include "scheduler/config/validate.h"

namespace berth::scheduler::config {
namespace {

void CheckRange(int64_t value, int64_t low, int64_t high, const api::FieldPath& path,
                api::FieldErrors& errors) {
  if (value >= low && value <= high) return;
  errors.Invalid(path, value, fmt::format("not in valid range [{}, {}]", low, high));
}

void Check(const framework::DefaultPreemptionArgs& args, const api::FieldPath& path,
           api::FieldErrors& errors) {
  const api::FieldPath percentage = path / "minCandidateNodesPercentage";
  const api::FieldPath absolute = path / "minCandidateNodesAbsolute";
  CheckRange(args.min_candidate_nodes_percentage, 0, 100, percentage, errors);
  if (args.min_candidate_nodes_absolute < 0) {
    errors.Invalid(absolute, args.min_candidate_nodes_absolute, "not in valid range [0, inf)");
  }
  if (args.min_candidate_nodes_percentage == 0 && args.min_candidate_nodes_absolute == 0) {
    errors.Invalid(percentage, 0, "cannot be zero at the same time as minCandidateNodesAbsolute");
    errors.Invalid(absolute, 0, "cannot be zero at the same time as minCandidateNodesPercentage");
  }
}

void Check(const framework::DynamicResourcesArgs& args, const api::FieldPath& path,
           const model::Features& features, api::FieldErrors& errors) {
  if (args.filter_timeout && !features.dra_scheduler_filter_timeout) {
    errors.Forbidden(path / "filterTimeout", "DRASchedulingFilterTimeout feature gate is disabled");
  } else if (args.filter_timeout && *args.filter_timeout < Duration{}) {
    errors.Invalid(path / "filterTimeout", *args.filter_timeout, "must be zero or positive");
  }
  if (!args.binding_timeout) return;
  if (!features.dra_device_binding_conditions || !features.dra_resource_claim_device_status) {
    errors.Forbidden(
        path / "bindingTimeout",
        "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled");
  } else if (*args.binding_timeout < Duration::Seconds(1)) {
    errors.Invalid(path / "bindingTimeout", *args.binding_timeout, "must be at least 1 second");
  }
}

void Check(const framework::GangSchedulingArgs& args, const api::FieldPath& path,
           api::FieldErrors& errors) {
  static constexpr std::array<std::string_view, 2> kSearches = {"Greedy", "Complete"};
  if (args.search != kSearches[0] && args.search != kSearches[1])
    errors.NotSupported(path / "search", args.search, kSearches);
  if (args.search_budget <= 0)
    errors.Invalid(path / "searchBudget", args.search_budget, "must be positive");
  std::set<std::string_view> labels;
  for (size_t i = 0; i < args.topology_levels.size(); ++i) {
    const std::string& label = args.topology_levels[i];
    const api::FieldPath level = (path / "topologyLevels")[i];
    if (!labels.insert(label).second) errors.Duplicate(level, label);
    ValidateQualifiedName(label, level, errors);
  }
}

void Check(const framework::InterPodAffinityArgs& args, const api::FieldPath& path,
           api::FieldErrors& errors) {
  CheckRange(args.hard_pod_affinity_weight, 0, 100, path / "hardPodAffinityWeight", errors);
}

void CheckTerm(const api::NodeSelectorTerm& term, const api::FieldPath& path,
               api::FieldErrors& errors) {
  for (std::string& problem : api::CompiledNodeTerm::Problems(term, path.text)) {
    errors.Add({"FieldValueInvalid", std::move(problem), ""});
  }
}

void Check(const framework::NodeAffinityArgs& args, const api::FieldPath& path,
           api::FieldErrors& errors) {
  if (!args.added_affinity) return;
  const api::NodeAffinity& affinity = *args.added_affinity;
  if (affinity.required) {
    const api::FieldPath terms = path / "addedAffinity" /
                                 "requiredDuringSchedulingIgnoredDuringExecution" /
                                 "nodeSelectorTerms";
    for (size_t i = 0; i < affinity.required->terms.size(); ++i) {
      CheckTerm(affinity.required->terms[i], terms[i], errors);
    }
  }
  const api::FieldPath preferred =
      path / "addedAffinity" / "preferredDuringSchedulingIgnoredDuringExecution";
  for (size_t i = 0; i < affinity.preferred.size(); ++i) {
    // Terms with weight 0 are not evaluated.
    if (affinity.preferred[i].weight == 0) continue;
    CheckTerm(affinity.preferred[i].preference, preferred[i], errors);
  }
}

void Check(const framework::NodeResourcesBalancedAllocationArgs& args, const api::FieldPath& path,
           api::FieldErrors& errors) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < args.resources.size(); ++i) {
    const auto& [name, weight] = args.resources[i];
    const api::FieldPath resource = (path / "resources")[i];
    if (!names.insert(name).second) errors.Duplicate(resource / "name", name);
    if (weight != 1) errors.Invalid(resource / "weight", weight, "must be 1");
  }
}

// Validated by the plugin itself: see Validate.
void Check(const framework::NodeResourcesFitArgs&, const api::FieldPath&, api::FieldErrors&) {}

void CheckDefaultingType(const framework::PodTopologySpreadArgs& args, const api::FieldPath& path,
                         api::FieldErrors& errors) {
  static constexpr std::array<std::string_view, 2> kTypes = {"System", "List"};
  if (args.defaulting_type != "System" && args.defaulting_type != "List") {
    errors.NotSupported(path, args.defaulting_type, kTypes);
  } else if (args.defaulting_type == "System" && !args.default_constraints.empty()) {
    errors.Invalid(path, args.defaulting_type, "when .defaultConstraints are not empty");
  }
}

void CheckConstraint(const api::TopologySpreadConstraint& constraint, const api::FieldPath& path,
                     api::FieldErrors& errors) {
  static constexpr std::array<std::string_view, 2> kActions = {"DoNotSchedule", "ScheduleAnyway"};
  if (constraint.max_skew <= 0) {
    errors.Invalid(path / "maxSkew", constraint.max_skew, "not in valid range (0, inf)");
  }
  if (constraint.topology_key.empty()) {
    errors.Required(path / "topologyKey", "can not be empty");
  } else {
    ValidateQualifiedName(constraint.topology_key, path / "topologyKey", errors);
  }
  const std::string& action = constraint.when_unsatisfiable;
  if (action.empty()) {
    errors.Required(path / "whenUnsatisfiable", "can not be empty");
  } else if (action != kActions[0] && action != kActions[1]) {
    errors.NotSupported(path / "whenUnsatisfiable", action, kActions);
  }
  if (constraint.label_selector) {
    errors.Forbidden(path / "labelSelector",
                     "constraint must not define a selector, as they deduced for each pod");
  }
}

void Check(const framework::PodTopologySpreadArgs& args, const api::FieldPath& path,
           api::FieldErrors& errors) {
  CheckDefaultingType(args, path / "defaultingType", errors);
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (size_t i = 0; i < args.default_constraints.size(); ++i) {
    const api::TopologySpreadConstraint& constraint = args.default_constraints[i];
    const api::FieldPath constraint_path = (path / "defaultConstraints")[i];
    CheckConstraint(constraint, constraint_path, errors);
    if (!seen.emplace(constraint.topology_key, constraint.when_unsatisfiable).second) {
      errors.Duplicate(constraint_path, fmt::format("{{{}, {}}}", constraint.topology_key,
                                                    constraint.when_unsatisfiable));
    }
  }
}

std::string ShowShape(const std::vector<framework::ShapePoint>& shape) {
  std::string text;
  for (const auto& [utilization, score] : shape) {
    if (!text.empty()) text += ',';
    text += fmt::format(R"({{"Utilization":{},"Score":{}}})", utilization, score);
  }
  return "[" + text + "]";
}

void CheckShape(const std::vector<framework::ShapePoint>& shape, const api::FieldPath& path,
                api::FieldErrors& errors) {
  if (shape.empty()) return errors.Required(path, "at least one point must be specified");
  for (size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].utilization < shape[i].utilization) continue;
    errors.Invalid(path[i] / "utilization", shape[i].utilization,
                   "values must be sorted in increasing order");
    break;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    CheckRange(shape[i].utilization, 0, 100, path[i] / "utilization", errors);
    CheckRange(shape[i].score, 0, 10, path[i] / "score", errors);
  }
}

void Check(const framework::VolumeBindingArgs& args, const api::FieldPath& path,
           const model::Features& features, api::FieldErrors& errors) {
  if (args.bind_timeout_seconds < 0) {
    errors.Invalid(path / "bindTimeoutSeconds", args.bind_timeout_seconds,
                   "invalid BindTimeoutSeconds, should not be a negative value");
  }
  if (features.storage_capacity_scoring) {
    CheckShape(args.shape.value_or(std::vector<framework::ShapePoint>{}), path / "shape", errors);
  } else if (args.shape) {
    errors.InvalidText(path / "shape", ShowShape(*args.shape),
                       "unexpected field `shape`, remove it or turn on the feature gate "
                       "StorageCapacityScoring");
  }
}

}  // namespace

void ValidateArgs(const framework::PluginArgs& args, const api::FieldPath& path,
                  const model::Features& features, api::FieldErrors& errors) {
  VisitArgs(args, [&](std::string_view, const auto& held) {
    if constexpr (requires { Check(held, path, features, errors); }) {
      Check(held, path, features, errors);
    } else {
      Check(held, path, errors);
    }
  });
}

}  // namespace berth::scheduler::config
