#include "apiserver/admission/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/admission.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/priority_classes.h"
#include "apiserver/admission/validation.h"
#include "apiserver/store/codec.h"
#include "apiserver/store/store.h"

namespace berth::apiserver::admission {
namespace {

constexpr std::string_view kProtection = "scheduling.k8s.io/podgroup-protection";
constexpr int64_t kHighestUserPriority = 1'000'000'000;
constexpr size_t kMaxTemplates = 8;
constexpr size_t kMaxTopologies = 1;

// Removes `key` unless the stored object has it.
void DropUnlessUsed(const api::JsonObject* before, api::JsonObject* spec, std::string_view key) {
  if (spec != nullptr && api::At(before, key) == nullptr) spec->erase(key);
}

// The fields of a group or of a template of one.
void DropDisabled(const WorkloadGates& gates, const api::JsonObject* before,
                  api::JsonObject* spec) {
  if (!gates.topology_aware_workload_scheduling)
    DropUnlessUsed(before, spec, "schedulingConstraints");
  DropUnlessUsed(before, spec, "resourceClaims");
  if (gates.workload_aware_preemption) return;
  for (const std::string_view key : {"disruptionMode", "priorityClassName", "priority"})
    DropUnlessUsed(before, spec, key);
}

void CheckWith(std::optional<std::string> (*check)(std::string_view), std::string_view text,
               const FieldPath& path, FieldErrors& errors) {
  if (text.empty()) return errors.Required(path);
  if (const auto problem = check(text)) errors.Invalid(path, text, *problem);
}

void ValidatePolicy(const api::JsonObject* policy, const FieldPath& path, FieldErrors& errors) {
  const bool basic = api::At(policy, "basic") != nullptr;
  const api::JsonObject* gang = api::ObjectAt(policy, "gang");
  if (basic && gang != nullptr) {
    return errors.InvalidText(path, "{basic, gang}",
                              "must specify exactly one of: `basic`, `gang`");
  }
  if (gang == nullptr) {
    if (!basic) errors.InvalidText(path, "\"\"", "must specify one of: `basic`, `gang`");
    return;
  }
  const FieldPath gang_path = path / "gang";
  const auto count = api::IntAt(gang, "minCount");
  if (!count || *count == 0) return errors.Required(gang_path / "minCount");
  if (*count < 1)
    errors.Invalid(gang_path / "minCount", *count, "must be greater than or equal to 1");
}

void ValidateConstraints(const api::JsonObject* constraints, const FieldPath& path,
                         FieldErrors& errors) {
  const api::JsonArray* topology = api::ArrayAt(constraints, "topology");
  if (topology == nullptr) return;
  const FieldPath list = path / "topology";
  if (topology->size() > kMaxTopologies)
    return errors.TooMany(list, topology->size(), kMaxTopologies);
  for (size_t i = 0; i < topology->size(); ++i) {
    const FieldPath entry = list[i];
    const std::string_view key = api::StringAt(api::AsObject((*topology)[i]), "key");
    if (key.empty()) {
      errors.Required(entry / "key");
      continue;
    }
    api::JsonObject label;
    label.emplace(key, "");
    FieldErrors problems;
    const api::Json labels(std::move(label));
    ValidateLabels(&labels, entry / "key", problems);
    if (!problems.empty()) errors.Invalid(entry / "key", key, "must be a valid label key");
  }
}

// The fields that groups and templates share.
void ValidateGroupSpec(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  ValidatePolicy(api::ObjectAt(spec, "schedulingPolicy"), path / "schedulingPolicy", errors);
  ValidateConstraints(api::ObjectAt(spec, "schedulingConstraints"), path / "schedulingConstraints",
                      errors);
  const std::string_view mode = api::StringAt(spec, "disruptionMode");
  if (!mode.empty() && mode != "Pod" && mode != "PodGroup")
    errors.NotSupported(path / "disruptionMode", mode, {"Pod", "PodGroup"});
  const std::string_view class_name = api::StringAt(spec, "priorityClassName");
  if (!class_name.empty())
    CheckWith(CheckDnsSubdomain, class_name, path / "priorityClassName", errors);
  const auto priority = api::IntAt(spec, "priority");
  if (priority && *priority > kHighestUserPriority) {
    errors.Invalid(path / "priority", *priority,
                   fmt::format("must be less than or equal to {}", kHighestUserPriority));
  }
}

void ValidatePodGroup(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  const api::JsonObject* ref = api::ObjectAt(spec, "podGroupTemplateRef");
  if (ref != nullptr) {
    const FieldPath workload_path = path / "podGroupTemplateRef";
    const FieldPath at = workload_path / "workload";
    const api::JsonObject* workload = api::ObjectAt(ref, "workload");
    if (workload == nullptr) {
      errors.InvalidText(workload_path, "\"\"", "must specify one of: `workload`");
    } else {
      CheckWith(CheckDnsSubdomain, api::StringAt(workload, "workloadName"), at / "workloadName",
                errors);
      CheckWith(CheckDnsLabel, api::StringAt(workload, "podGroupTemplateName"),
                at / "podGroupTemplateName", errors);
    }
  }
  ValidateGroupSpec(spec, path, errors);
}

void ValidateWorkloadObject(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  if (const api::JsonObject* owner = api::ObjectAt(spec, "controllerRef")) {
    const FieldPath at = path / "controllerRef";
    const std::string_view group = api::StringAt(owner, "apiGroup");
    if (!group.empty()) CheckWith(CheckDnsSubdomain, group, at / "apiGroup", errors);
    CheckWith(CheckPathSegment, api::StringAt(owner, "kind"), at / "kind", errors);
    CheckWith(CheckPathSegment, api::StringAt(owner, "name"), at / "name", errors);
  }
  const FieldPath list = path / "podGroupTemplates";
  const api::JsonArray* templates = api::ArrayAt(spec, "podGroupTemplates");
  if (templates == nullptr || templates->empty()) return errors.Required(list);
  if (templates->size() > kMaxTemplates)
    return errors.TooMany(list, templates->size(), kMaxTemplates);
  std::set<std::string_view> names;
  for (size_t i = 0; i < templates->size(); ++i) {
    const FieldPath entry = list[i];
    const api::JsonObject* one = api::AsObject((*templates)[i]);
    const std::string_view name = api::StringAt(one, "name");
    CheckWith(CheckDnsLabel, name, entry / "name", errors);
    if (!names.insert(name).second) errors.Duplicate(entry, name);
    ValidateGroupSpec(one, entry, errors);
  }
}

api::scheme::ApiResult<void> ResolveGroupPriority(const PriorityClasses& priorities,
                                                  const api::scheme::Kind& kind,
                                                  std::string_view group, api::JsonObject& spec) {
  const auto table = priorities.table();
  const std::string_view class_name = api::StringAt(&spec, "priorityClassName");
  int64_t priority = 0;
  if (!class_name.empty()) {
    const PriorityClass* found = FindPriorityClass(*table, class_name);
    if (found == nullptr) {
      return std::unexpected(api::scheme::Forbidden(
          kind, group, fmt::format("no PriorityClass with name {} was found", class_name)));
    }
    priority = found->value;
  } else if (const PriorityClass* fallback = DefaultPriorityClass(*table)) {
    priority = fallback->value;
    api::SetString(spec, "priorityClassName", fallback->name);
  }
  const auto given = api::IntAt(&spec, "priority");
  if (given && *given != priority) {
    return std::unexpected(api::scheme::Forbidden(
        kind, group,
        fmt::format("priority set in the pod group ({}) must match the priority computed ({}) "
                    "based on the priority class set in the spec",
                    *given, priority)));
  }
  api::SetInt(spec, "priority", priority);
  return {};
}

// The Workload that the group refers to must have its template.
api::scheme::ApiResult<void> FindTemplate(const store::Store& store, const api::scheme::Kind& kind,
                                          const api::JsonObject& group,
                                          const api::JsonObject& spec) {
  const api::JsonObject* ref =
      api::ObjectAt(api::ObjectAt(&spec, "podGroupTemplateRef"), "workload");
  if (ref == nullptr) return {};
  const std::string_view name = api::StringAt(MetadataOf(group), "name");
  const auto reject = [&](const std::string& why) {
    return std::unexpected(api::scheme::Forbidden(kind, name, "PodGroup rejected: " + why));
  };
  const std::string workload(api::StringAt(ref, "workloadName"));
  const std::string wanted(api::StringAt(ref, "podGroupTemplateName"));
  const std::string namespace_(api::StringAt(MetadataOf(group), "namespace"));
  const store::ObjectPtr object = store.Get(
      api::scheme::KindOf("workloads.scheduling.k8s.io").collection, {namespace_, workload});
  if (!object) return reject(fmt::format("Workload \"{}\" not found", workload));
  const api::Json document = store::Parse(*object);
  const api::JsonObject* found = api::AsObject(document);
  if (api::At(api::ObjectAt(found, "metadata"), "deletionTimestamp") != nullptr)
    return reject(fmt::format("Workload \"{}\" is being deleted", workload));
  const api::JsonArray* templates = api::ArrayAt(api::ObjectAt(found, "spec"), "podGroupTemplates");
  const bool exists =
      templates != nullptr && std::ranges::any_of(*templates, [&](const api::Json& one) {
        return api::StringAt(api::AsObject(one), "name") == wanted;
      });
  if (exists) return {};
  return reject(
      fmt::format("PodGroupTemplate \"{}\" not found in Workload \"{}\"", wanted, workload));
}

}  // namespace

void DropDisabledWorkloadFields(const WorkloadGates& gates, const api::scheme::Kind& kind,
                                const api::JsonObject* before, api::JsonObject& document) {
  const api::JsonObject* old_spec = api::ObjectAt(before, "spec");
  api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (kind.IsBuiltIn("Pod")) {
    if (!gates.generic_workload) DropUnlessUsed(old_spec, spec, "schedulingGroup");
  } else if (kind.IsBuiltIn("PodGroup")) {
    DropDisabled(gates, old_spec, spec);
  } else if (kind.IsBuiltIn("Workload") && before == nullptr) {
    api::JsonArray* templates = api::ArrayAt(spec, "podGroupTemplates");
    for (size_t i = 0; templates != nullptr && i < templates->size(); ++i)
      DropDisabled(gates, nullptr, (*templates)[i].if_object());
  }
}

api::scheme::ApiResult<void> AdmitPodGroup(AdmissionContext& context, const api::scheme::Kind& kind,
                                           api::JsonObject& group) {
  const std::string name(api::StringAt(MetadataOf(std::as_const(group)), "name"));
  api::JsonObject& spec = api::EnsureObject(group, "spec");
  if (context.workloads.workload_aware_preemption) {
    auto resolved = ResolveGroupPriority(context.priorities, kind, name, spec);
    if (!resolved) return resolved;
    api::DefaultString(spec, "disruptionMode", "Pod");
  }
  auto found = FindTemplate(context.store, kind, group, spec);
  if (!found) return found;
  api::JsonArray& finalizers = api::EnsureArray(MetadataOf(group), "finalizers");
  if (std::ranges::find(finalizers, api::Json(kProtection)) == finalizers.end())
    finalizers.emplace_back(kProtection);
  return {};
}

bool ValidateWorkloads(const api::scheme::Kind& kind, const api::JsonObject& document,
                       FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (kind.IsBuiltIn("PodGroup")) {
    ValidatePodGroup(spec, errors);
  } else if (kind.IsBuiltIn("Workload")) {
    ValidateWorkloadObject(spec, errors);
  } else {
    return false;
  }
  return true;
}

bool ValidateWorkloadsUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                             const api::JsonObject& after, FieldErrors& errors) {
  if (!kind.IsBuiltIn("PodGroup") && !kind.IsBuiltIn("Workload")) return false;
  const FieldPath path("spec");
  const api::JsonObject* old_spec = api::ObjectAt(&before, "spec");
  const api::JsonObject* new_spec = api::ObjectAt(&after, "spec");
  for (const std::string_view key :
       {"podGroupTemplateRef", "schedulingPolicy", "schedulingConstraints", "resourceClaims",
        "disruptionMode", "priorityClassName", "priority", "controllerRef", "podGroupTemplates"})
    Immutable(old_spec, new_spec, key, path, errors);
  return true;
}

}  // namespace berth::apiserver::admission
