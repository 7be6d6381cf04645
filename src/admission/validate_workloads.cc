// Rules for what makes pods from a template.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "admission/field_errors.h"
#include "admission/selector_of.h"
#include "admission/validate.h"
#include "admission/validate_metadata.h"
#include "api/selector.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

// A number or a percentage.
void ValidateShare(const JsonObject* holder, std::string_view key, const FieldPath& path,
                   FieldErrors& errors) {
  const Json* value = At(holder, key);
  if (!value || AsInt(value)) return errors.NonNegative(path / key, value);
  const std::string_view text = AsString(*value);
  const bool percent = text.size() > 1 && text.back() == '%' &&
                       std::ranges::all_of(text.substr(0, text.size() - 1),
                                           [](char c) { return c >= '0' && c <= '9'; });
  if (!percent) {
    errors.Invalid(path / key, text,
                   "a valid percent string must be a numeric string followed by an ending '%' "
                   "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
  }
}

bool IsZero(const Json* share) { return share && (AsInt(share) == 0 || AsString(share) == "0%"); }

void ValidateStrategy(const JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  const JsonObject* strategy = ObjectAt(spec, "strategy");
  const FieldPath at = path / "strategy";
  const std::string_view type = StringAt(strategy, "type");
  const JsonObject* rolling = ObjectAt(strategy, "rollingUpdate");
  const FieldPath rolling_path = at / "rollingUpdate";
  if (type == "Recreate") {
    if (rolling) {
      errors.Forbidden(rolling_path, "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type == "RollingUpdate") {
    ValidateShare(rolling, "maxUnavailable", rolling_path, errors);
    ValidateShare(rolling, "maxSurge", rolling_path, errors);
    if (IsZero(At(rolling, "maxUnavailable")) && IsZero(At(rolling, "maxSurge"))) {
      errors.Invalid(rolling_path / "maxUnavailable", 0, "may not be 0 when `maxSurge` is 0");
    }
  } else {
    errors.NotSupported(at / "type", type, {"Recreate", "RollingUpdate"});
  }
}

// A selector that misses its own template would make pods for ever.
void ValidateSelector(const Kind& kind, const JsonObject* spec, const FieldPath& path,
                      FieldErrors& errors) {
  const bool is_map = kind.kind == "ReplicationController";
  const JsonObject* selector = ObjectAt(spec, "selector");
  const FieldPath at = path / "selector";
  if (!selector) return errors.Required(at);
  if (is_map ? selector->empty()
             : IsEmpty(At(selector, "matchLabels")) && IsEmpty(At(selector, "matchExpressions"))) {
    return errors.InvalidValue(at, *At(spec, "selector"),
                               fmt::format("empty selector is invalid for {}", kind.singular));
  }
  if (!is_map) ValidateLabelSelector(selector, at, errors);
  const auto compiled = is_map
                            ? Result<api::Selector>(api::Selector::FromMap(StringMapOf(selector)))
                            : api::Selector::FromLabelSelector(LabelSelectorOf(*selector));
  if (!compiled) return;
  const JsonObject* metadata = ObjectAt(ObjectAt(spec, "template"), "metadata");
  const JsonObject* labels = ObjectAt(metadata, "labels");
  if (compiled->Matches(StringMapOf(labels))) return;
  const FieldPath template_path = path / "template";
  const FieldPath metadata_path = template_path / "metadata";
  const Json none;
  errors.InvalidValue(metadata_path / "labels", labels ? *At(metadata, "labels") : none,
                      "`selector` does not match template `labels`");
}

void ValidateTemplate(const JsonObject* spec, const FieldPath& path, bool job,
                      FieldErrors& errors) {
  const FieldPath at = path / "template";
  const FieldPath spec_path = at / "spec";
  const FieldPath metadata_path = at / "metadata";
  const JsonObject* pod = ObjectAt(spec, "template");
  const JsonObject* pod_spec = ObjectAt(pod, "spec");
  if (!pod) return errors.Required(at);
  ValidateLabels(At(ObjectAt(pod, "metadata"), "labels"), metadata_path / "labels", errors);
  ValidatePodSpec(pod_spec, spec_path, errors);
  const std::string_view restart = StringAt(pod_spec, "restartPolicy");
  if (job) {
    if (restart != "OnFailure" && restart != "Never") {
      errors.Required(spec_path / "restartPolicy", "valid values: \"OnFailure\", \"Never\"");
    }
  } else if (restart != "Always") {
    errors.NotSupported(spec_path / "restartPolicy", restart, {"Always"});
  }
}

void ValidateJob(const JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view key : {"parallelism", "completions", "backoffLimit",
                                     "activeDeadlineSeconds", "ttlSecondsAfterFinished"}) {
    errors.NonNegative(path / key, At(spec, key));
  }
  const std::string_view mode = StringAt(spec, "completionMode");
  if (mode != "NonIndexed" && mode != "Indexed") {
    errors.NotSupported(path / "completionMode", mode, {"Indexed", "NonIndexed"});
  } else if (mode == "Indexed" && !At(spec, "completions")) {
    errors.Required(path / "completions", "when completion mode is Indexed");
  }
  ValidateTemplate(spec, path, true, errors);
}

void ValidateCronJob(const JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  if (StringAt(spec, "schedule").empty()) errors.Required(path / "schedule");
  const std::string_view policy = StringAt(spec, "concurrencyPolicy");
  if (policy != "Allow" && policy != "Forbid" && policy != "Replace") {
    errors.NotSupported(path / "concurrencyPolicy", policy, {"Allow", "Forbid", "Replace"});
  }
  const FieldPath job = path / "jobTemplate";
  ValidateTemplate(ObjectAt(ObjectAt(spec, "jobTemplate"), "spec"), job / "spec", true, errors);
}

}  // namespace

bool ValidateWorkload(const Kind& kind, const JsonObject& document, FieldErrors& errors) {
  const std::string_view name = kind.kind;
  const FieldPath path("spec");
  const JsonObject* spec = ObjectAt(&document, "spec");
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
    errors.NonNegative(path / key, At(spec, key));
  }
  ValidateSelector(kind, spec, path, errors);
  if (name == "Deployment") {
    ValidateStrategy(spec, path, errors);
    const int64_t ready = IntAt(spec, "minReadySeconds").value_or(0);
    const auto deadline = IntAt(spec, "progressDeadlineSeconds");
    if (deadline && *deadline <= ready) {
      errors.Invalid(path / "progressDeadlineSeconds", *deadline,
                     "must be greater than minReadySeconds");
    }
  }
  if (name == "StatefulSet") {
    const std::string_view policy = StringAt(spec, "podManagementPolicy");
    if (policy != "OrderedReady" && policy != "Parallel") {
      errors.Invalid(path / "podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
    }
  }
  ValidateTemplate(spec, path, false, errors);
  return true;
}

}  // namespace berth::apiserver
