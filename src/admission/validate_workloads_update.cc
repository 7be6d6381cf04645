// What may not change in a workload once it exists.
#include <algorithm>
#include <array>
#include <string_view>

#include "admission/field_errors.h"
#include "admission/validate.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

constexpr std::array<std::string_view, 7> kStatefulSetMayChange = {
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "minReadySeconds",
    "persistentVolumeClaimRetentionPolicy"};

void ValidateStatefulSet(const JsonObject& before, const JsonObject& after, FieldErrors& errors) {
  const auto covered = [](const JsonObject& a, const JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      const std::string_view key = member.key();
      return std::ranges::find(kStatefulSetMayChange, key) != kStatefulSetMayChange.end() ||
             SameAt(&a, &b, key);
    });
  };
  if (covered(before, after) && covered(after, before)) return;
  errors.Forbidden(FieldPath("spec"),
                   "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                   "'template', 'updateStrategy', 'revisionHistoryLimit', "
                   "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

// While a job waits, its queue may steer where its pods will run.
JsonObject WithoutSteering(const JsonObject* pod) {
  JsonObject copy = pod ? *pod : JsonObject();
  if (JsonObject* metadata = ObjectAt(&copy, "metadata")) {
    metadata->erase("labels");
    metadata->erase("annotations");
    if (metadata->empty()) copy.erase("metadata");
  }
  if (JsonObject* spec = ObjectAt(&copy, "spec")) {
    for (const std::string_view key :
         {"nodeSelector", "tolerations", "affinity", "schedulingGates"}) {
      spec->erase(key);
    }
  }
  return copy;
}

void ValidateJob(const JsonObject& document, const JsonObject& before, const JsonObject& after,
                 FieldErrors& errors) {
  const FieldPath path("spec");
  Immutable(&before, &after, "selector", path, errors);
  Immutable(&before, &after, "completionMode", path, errors);
  // An indexed job may grow and shrink: both numbers together.
  const bool elastic = StringAt(&after, "completionMode") == "Indexed" &&
                       IntAt(&after, "completions") == IntAt(&after, "parallelism");
  if (!elastic) Immutable(&before, &after, "completions", path, errors);
  const bool waiting =
      BoolAt(&before, "suspend") && !At(ObjectAt(&document, "status"), "startTime");
  if (waiting && WithoutSteering(ObjectAt(&before, "template")) ==
                     WithoutSteering(ObjectAt(&after, "template"))) {
    return;
  }
  Immutable(&before, &after, "template", path, errors);
}

}  // namespace

bool ValidateWorkloadUpdate(const Kind& kind, const JsonObject& before, const JsonObject& after,
                            FieldErrors& errors) {
  const std::string_view name = kind.kind;
  const JsonObject* old_spec = ObjectAt(&before, "spec");
  const JsonObject* new_spec = ObjectAt(&after, "spec");
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

}  // namespace berth::apiserver
