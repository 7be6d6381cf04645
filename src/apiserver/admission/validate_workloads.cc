// Validation of workloads, which create pods from a template, and of their updates.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/cron_schedule.h"
#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "api/selector.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"

namespace berth::apiserver::admission {

namespace {

// Validates a number or a percentage.
void ValidateIntOrPercent(const api::JsonObject* holder, std::string_view key,
                          const FieldPath& path, FieldErrors& errors) {
  const api::Json* value = api::At(holder, key);
  if (!value || api::AsInt(value)) return errors.NonNegative(path / key, value);
  const std::string_view text = api::AsString(*value);
  const bool percent = text.size() > 1 && text.back() == '%' &&
                       std::ranges::all_of(text.substr(0, text.size() - 1),
                                           [](char c) { return c >= '0' && c <= '9'; });
  if (!percent) {
    errors.Invalid(path / key, text,
                   "a valid percent string must be a numeric string followed by an ending '%' "
                   "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
  }
}

bool IsZero(const api::Json* share) {
  return share && (api::AsInt(share) == 0 || api::AsString(share) == "0%");
}

void ValidateStrategy(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  const api::JsonObject* strategy = api::ObjectAt(spec, "strategy");
  const FieldPath at = path / "strategy";
  const std::string_view type = api::StringAt(strategy, "type");
  const api::JsonObject* rolling = api::ObjectAt(strategy, "rollingUpdate");
  const FieldPath rolling_path = at / "rollingUpdate";
  if (type == "Recreate") {
    if (rolling) {
      errors.Forbidden(rolling_path, "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type == "RollingUpdate") {
    ValidateIntOrPercent(rolling, "maxUnavailable", rolling_path, errors);
    ValidateIntOrPercent(rolling, "maxSurge", rolling_path, errors);
    if (IsZero(api::At(rolling, "maxUnavailable")) && IsZero(api::At(rolling, "maxSurge"))) {
      errors.Invalid(rolling_path / "maxUnavailable", 0, "may not be 0 when `maxSurge` is 0");
    }
  } else {
    errors.NotSupported(at / "type", type, {"Recreate", "RollingUpdate"});
  }
}

// A selector that does not match its own template would create pods without end.
void ValidateSelector(const api::scheme::Kind& kind, const api::JsonObject* spec,
                      const FieldPath& path, FieldErrors& errors) {
  const bool is_map = kind.kind == "ReplicationController";
  const api::JsonObject* selector = api::ObjectAt(spec, "selector");
  const FieldPath at = path / "selector";
  if (!selector) return errors.Required(at);
  if (is_map ? selector->empty()
             : api::IsEmpty(api::At(selector, "matchLabels")) &&
                   api::IsEmpty(api::At(selector, "matchExpressions"))) {
    return errors.InvalidValue(at, *api::At(spec, "selector"),
                               fmt::format("empty selector is invalid for {}", kind.singular));
  }
  if (!is_map) ValidateLabelSelector(selector, at, errors);
  const auto compiled =
      is_map ? Result<api::Selector>(api::Selector::FromMap(api::StringMapOf(selector)))
             : api::Selector::FromLabelSelector(api::LabelSelectorOf(*selector));
  if (!compiled) return;
  const api::JsonObject* metadata = api::ObjectAt(api::ObjectAt(spec, "template"), "metadata");
  const api::JsonObject* labels = api::ObjectAt(metadata, "labels");
  if (compiled->Matches(api::StringMapOf(labels))) return;
  const FieldPath template_path = path / "template";
  const FieldPath metadata_path = template_path / "metadata";
  const api::Json none;
  errors.InvalidValue(metadata_path / "labels", labels ? *api::At(metadata, "labels") : none,
                      "`selector` does not match template `labels`");
}

void ValidateTemplate(const api::JsonObject* spec, const FieldPath& path, bool job,
                      FieldErrors& errors) {
  const FieldPath at = path / "template";
  const FieldPath spec_path = at / "spec";
  const FieldPath metadata_path = at / "metadata";
  const api::JsonObject* pod = api::ObjectAt(spec, "template");
  const api::JsonObject* pod_spec = api::ObjectAt(pod, "spec");
  if (!pod) return errors.Required(at);
  ValidateLabels(api::At(api::ObjectAt(pod, "metadata"), "labels"), metadata_path / "labels",
                 errors);
  ValidatePodSpec(pod_spec, spec_path, errors);
  const std::string_view restart = api::StringAt(pod_spec, "restartPolicy");
  if (job) {
    if (restart != "OnFailure" && restart != "Never") {
      errors.Required(spec_path / "restartPolicy", "valid values: \"OnFailure\", \"Never\"");
    }
  } else if (restart != "Always") {
    errors.NotSupported(spec_path / "restartPolicy", restart, {"Always"});
  }
}

// Returns the spec of a StatefulSet with the volumes that its pods have: containers mount those of
// the claim templates, which replace volumes of the same name.
api::JsonObject WithClaimVolumes(const api::JsonObject& spec) {
  api::JsonObject copy = spec;
  const api::JsonArray* claims = api::ArrayAt(&spec, "volumeClaimTemplates");
  api::JsonObject* pod_spec = api::ObjectAt(api::ObjectAt(&copy, "template"), "spec");
  if (!claims || !pod_spec) return copy;
  api::JsonArray& volumes = api::EnsureArray(*pod_spec, "volumes");
  std::unordered_map<std::string, size_t> place;  // By name: the index in `volumes`.
  for (size_t i = 0; i < volumes.size(); ++i) {
    place.emplace(api::StringAt(volumes[i].if_object(), "name"), i);
  }
  for (const api::Json& claim : *claims) {
    const std::string name(api::StringAt(api::ObjectAt(claim.if_object(), "metadata"), "name"));
    const auto [found, is_new] = place.emplace(name, volumes.size());
    if (is_new) volumes.emplace_back(nullptr);
    api::JsonObject& volume = volumes[found->second].emplace_object();
    api::SetString(volume, "name", name);
    api::SetString(api::EnsureObject(volume, "persistentVolumeClaim"), "claimName", name);
  }
  return copy;
}

void ValidateJob(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view key : {"parallelism", "completions", "backoffLimit",
                                     "activeDeadlineSeconds", "ttlSecondsAfterFinished"}) {
    errors.NonNegative(path / key, api::At(spec, key));
  }
  const std::string_view mode = api::StringAt(spec, "completionMode");
  if (mode != "NonIndexed" && mode != "Indexed") {
    errors.NotSupported(path / "completionMode", mode, {"Indexed", "NonIndexed"});
  } else if (mode == "Indexed" && !api::At(spec, "completions")) {
    errors.Required(path / "completions", "when completion mode is Indexed");
  }
  ValidateTemplate(spec, path, true, errors);
}

void ValidateCronJob(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  const std::string_view schedule = api::StringAt(spec, "schedule");
  if (schedule.empty()) {
    errors.Required(path / "schedule");
  } else if (const auto parsed = api::CronSchedule::Parse(schedule); !parsed) {
    errors.Invalid(path / "schedule", schedule, parsed.error().message);
  }
  // Whether there is such a zone is known only to the controller.
  if (const api::Json* zone = api::At(spec, "timeZone"); zone && api::AsString(zone).empty()) {
    errors.Invalid(path / "timeZone", "", "timeZone must be nil or non-empty string");
  }
  const std::string_view policy = api::StringAt(spec, "concurrencyPolicy");
  if (policy != "Allow" && policy != "Forbid" && policy != "Replace") {
    errors.NotSupported(path / "concurrencyPolicy", policy, {"Allow", "Forbid", "Replace"});
  }
  const FieldPath job = path / "jobTemplate";
  ValidateTemplate(api::ObjectAt(api::ObjectAt(spec, "jobTemplate"), "spec"), job / "spec", true,
                   errors);
}

}  // namespace

bool ValidateWorkload(const api::scheme::Kind& kind, const api::JsonObject& document,
                      FieldErrors& errors) {
  const std::string_view name = kind.kind;
  const FieldPath path("spec");
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (name == "Job") {
    ValidateJob(spec, path, errors);
    return true;
  }
  if (name == "CronJob") {
    ValidateCronJob(spec, path, errors);
    return true;
  }
  if (name != "Deployment" && name != "ReplicaSet" && name != "StatefulSet" &&
      name != "DaemonSet" && name != "ReplicationController") {
    return false;
  }
  for (const std::string_view key :
       {"replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"}) {
    errors.NonNegative(path / key, api::At(spec, key));
  }
  ValidateSelector(kind, spec, path, errors);
  if (name == "Deployment") {
    ValidateStrategy(spec, path, errors);
    const int64_t ready = api::IntAt(spec, "minReadySeconds").value_or(0);
    const auto deadline = api::IntAt(spec, "progressDeadlineSeconds");
    if (deadline && *deadline <= ready) {
      errors.Invalid(path / "progressDeadlineSeconds", *deadline,
                     "must be greater than minReadySeconds");
    }
  }
  if (name == "StatefulSet") {
    const std::string_view policy = api::StringAt(spec, "podManagementPolicy");
    if (policy != "OrderedReady" && policy != "Parallel") {
      errors.Invalid(path / "podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
    }
    if (spec) {
      const api::JsonObject with_claims = WithClaimVolumes(*spec);
      ValidateTemplate(&with_claims, path, false, errors);
      return true;
    }
  }
  ValidateTemplate(spec, path, false, errors);
  return true;
}

namespace {

constexpr std::array<std::string_view, 7> kStatefulSetMayChange = {
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "minReadySeconds",
    "persistentVolumeClaimRetentionPolicy"};

void ValidateStatefulSet(const api::JsonObject& before, const api::JsonObject& after,
                         FieldErrors& errors) {
  const auto covered = [](const api::JsonObject& a, const api::JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      const std::string_view key = member.key();
      return std::ranges::find(kStatefulSetMayChange, key) != kStatefulSetMayChange.end() ||
             api::SameAt(&a, &b, key);
    });
  };
  if (covered(before, after) && covered(after, before)) return;
  errors.Forbidden(FieldPath("spec"),
                   "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                   "'template', 'updateStrategy', 'revisionHistoryLimit', "
                   "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

// Removes the scheduling directives, which may change while a job is suspended.
api::JsonObject WithoutSchedulingDirectives(const api::JsonObject* pod) {
  api::JsonObject copy = pod ? *pod : api::JsonObject();
  if (api::JsonObject* metadata = api::ObjectAt(&copy, "metadata")) {
    metadata->erase("labels");
    metadata->erase("annotations");
    if (metadata->empty()) copy.erase("metadata");
  }
  if (api::JsonObject* spec = api::ObjectAt(&copy, "spec")) {
    for (const std::string_view key :
         {"nodeSelector", "tolerations", "affinity", "schedulingGates"}) {
      spec->erase(key);
    }
  }
  return copy;
}

void ValidateJob(const api::JsonObject& document, const api::JsonObject& before,
                 const api::JsonObject& after, FieldErrors& errors) {
  const FieldPath path("spec");
  Immutable(&before, &after, "selector", path, errors);
  Immutable(&before, &after, "completionMode", path, errors);
  // An indexed job is elastic if both numbers change together.
  const bool elastic = api::StringAt(&after, "completionMode") == "Indexed" &&
                       api::IntAt(&after, "completions") == api::IntAt(&after, "parallelism");
  if (!elastic) Immutable(&before, &after, "completions", path, errors);
  const bool suspended =
      api::BoolAt(&before, "suspend") && !api::At(api::ObjectAt(&document, "status"), "startTime");
  if (suspended && WithoutSchedulingDirectives(api::ObjectAt(&before, "template")) ==
                       WithoutSchedulingDirectives(api::ObjectAt(&after, "template"))) {
    return;
  }
  Immutable(&before, &after, "template", path, errors);
}

}  // namespace

bool ValidateWorkloadUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                            const api::JsonObject& after, FieldErrors& errors) {
  const std::string_view name = kind.kind;
  const api::JsonObject* old_spec = api::ObjectAt(&before, "spec");
  const api::JsonObject* new_spec = api::ObjectAt(&after, "spec");
  if (!old_spec || !new_spec) return false;
  if (name == "StatefulSet") {
    ValidateStatefulSet(*old_spec, *new_spec, errors);
  } else if (name == "Job") {
    ValidateJob(before, *old_spec, *new_spec, errors);
  } else if (name == "Deployment" || name == "ReplicaSet" || name == "DaemonSet") {
    Immutable(old_spec, new_spec, "selector", FieldPath("spec"), errors);
  } else {
    return false;
  }
  return true;
}

}  // namespace berth::apiserver::admission
