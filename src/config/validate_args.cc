// ValidateArgs, declared in validate.h: one Check per kind of arguments.

#include <fmt/format.h>

#include <array>
#include <set>

#include "api/selector.h"
#include "config/plugin_args.h"
#include "config/validate.h"

namespace berth::config {
namespace {

void CheckRange(int64_t value, int64_t low, int64_t high, const FieldPath& path,
                FieldErrors& errors) {
  if (value >= low && value <= high) return;
  errors.Invalid(path, value, fmt::format("not in valid range [{}, {}]", low, high));
}

void Check(const DefaultPreemptionArgs& args, const FieldPath& path, FieldErrors& errors) {
  const FieldPath percentage = path / "minCandidateNodesPercentage";
  const FieldPath absolute = path / "minCandidateNodesAbsolute";
  CheckRange(args.min_candidate_nodes_percentage, 0, 100, percentage, errors);
  if (args.min_candidate_nodes_absolute < 0) {
    errors.Invalid(absolute, args.min_candidate_nodes_absolute, "not in valid range [0, inf)");
  }
  if (args.min_candidate_nodes_percentage == 0 && args.min_candidate_nodes_absolute == 0) {
    errors.Invalid(percentage, 0, "cannot be zero at the same time as minCandidateNodesAbsolute");
    errors.Invalid(absolute, 0, "cannot be zero at the same time as minCandidateNodesPercentage");
  }
}

void Check(const DynamicResourcesArgs& args, const FieldPath& path, FieldErrors& errors) {
  if (args.filter_timeout < Duration{}) {
    errors.Invalid(path / "filterTimeout", args.filter_timeout, "must be zero or positive");
  }
  if (args.binding_timeout < Duration::Seconds(1)) {
    errors.Invalid(path / "bindingTimeout", args.binding_timeout, "must be at least 1 second");
  }
}

void Check(const InterPodAffinityArgs& args, const FieldPath& path, FieldErrors& errors) {
  CheckRange(args.hard_pod_affinity_weight, 0, 100, path / "hardPodAffinityWeight", errors);
}

void CheckTerm(const api::NodeSelectorTerm& term, const FieldPath& path, FieldErrors& errors) {
  for (std::string& problem : api::CompiledNodeTerm::Problems(term, path.text)) {
    errors.Add(std::move(problem));
  }
}

void Check(const NodeAffinityArgs& args, const FieldPath& path, FieldErrors& errors) {
  if (!args.added_affinity) return;
  const api::NodeAffinity& affinity = *args.added_affinity;
  if (affinity.required) {
    const FieldPath terms = path / "addedAffinity" /
                            "requiredDuringSchedulingIgnoredDuringExecution" / "nodeSelectorTerms";
    for (size_t i = 0; i < affinity.required->terms.size(); ++i) {
      CheckTerm(affinity.required->terms[i], terms[i], errors);
    }
  }
  const FieldPath preferred =
      path / "addedAffinity" / "preferredDuringSchedulingIgnoredDuringExecution";
  for (size_t i = 0; i < affinity.preferred.size(); ++i) {
    // A term without weight is never looked at.
    if (affinity.preferred[i].weight == 0) continue;
    CheckTerm(affinity.preferred[i].preference, preferred[i], errors);
  }
}

void Check(const NodeResourcesBalancedAllocationArgs& args, const FieldPath& path,
           FieldErrors& errors) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < args.resources.size(); ++i) {
    const auto& [name, weight] = args.resources[i];
    const FieldPath resource = (path / "resources")[i];
    if (!names.insert(name).second) errors.Duplicate(resource / "name", Show(name));
    if (weight != 1) errors.Invalid(resource / "weight", weight, "must be 1");
  }
}

// The plugin checks its own: see Validate.
void Check(const NodeResourcesFitArgs&, const FieldPath&, FieldErrors&) {}

void CheckDefaultingType(const PodTopologySpreadArgs& args, const FieldPath& path,
                         FieldErrors& errors) {
  static constexpr std::array<std::string_view, 2> kTypes = {"System", "List"};
  if (args.defaulting_type != "System" && args.defaulting_type != "List") {
    errors.Unsupported(path, args.defaulting_type, kTypes);
  } else if (args.defaulting_type == "System" && !args.default_constraints.empty()) {
    errors.Invalid(path, args.defaulting_type, "when .defaultConstraints are not empty");
  }
}

void CheckConstraint(const api::TopologySpreadConstraint& constraint, const FieldPath& path,
                     FieldErrors& errors) {
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
    errors.Unsupported(path / "whenUnsatisfiable", action, kActions);
  }
  if (constraint.label_selector) {
    errors.Forbidden(path / "labelSelector",
                     "constraint must not define a selector, as they deduced for each pod");
  }
}

void Check(const PodTopologySpreadArgs& args, const FieldPath& path, FieldErrors& errors) {
  CheckDefaultingType(args, path / "defaultingType", errors);
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (size_t i = 0; i < args.default_constraints.size(); ++i) {
    const api::TopologySpreadConstraint& constraint = args.default_constraints[i];
    const FieldPath place = (path / "defaultConstraints")[i];
    CheckConstraint(constraint, place, errors);
    if (!seen.emplace(constraint.topology_key, constraint.when_unsatisfiable).second) {
      errors.Duplicate(place, Show(fmt::format("{{{}, {}}}", constraint.topology_key,
                                               constraint.when_unsatisfiable)));
    }
  }
}

std::string ShowShape(const std::vector<ShapePoint>& shape) {
  std::string text;
  for (const auto& [utilization, score] : shape) {
    if (!text.empty()) text += ',';
    text += fmt::format(R"({{"Utilization":{},"Score":{}}})", utilization, score);
  }
  return "[" + text + "]";
}

void Check(const VolumeBindingArgs& args, const FieldPath& path, FieldErrors& errors) {
  if (args.bind_timeout_seconds < 0) {
    errors.Invalid(path / "bindTimeoutSeconds", args.bind_timeout_seconds,
                   "invalid BindTimeoutSeconds, should not be a negative value");
  }
  if (args.shape) {
    errors.InvalidText(path / "shape", ShowShape(*args.shape),
                       "unexpected field `shape`, remove it or turn on the feature gate "
                       "StorageCapacityScoring");
  }
}

}  // namespace

void ValidateArgs(const PluginArgs& args, const FieldPath& path, FieldErrors& errors) {
  VisitArgs(args, [&](std::string_view, const auto& held) { Check(held, path, errors); });
}

}  // namespace berth::config
