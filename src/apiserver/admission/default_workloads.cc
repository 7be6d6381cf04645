// The defaults of workloads: apps/v1, ReplicationController and batch/v1.
#include <limits>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/defaulting.h"
#include "apiserver/admission/metadata.h"

namespace berth::apiserver::admission {

namespace {

constexpr int64_t kRevisions = 10;
constexpr int64_t kProgressSeconds = 600;

void DefaultDeployment(api::JsonObject& spec) {
  api::DefaultInt(spec, "replicas", 1);
  api::JsonObject& strategy = api::EnsureObject(spec, "strategy");
  api::DefaultString(strategy, "type", "RollingUpdate");
  if (api::StringAt(&strategy, "type") == "RollingUpdate") {
    api::JsonObject& rolling = api::EnsureObject(strategy, "rollingUpdate");
    api::DefaultString(rolling, "maxUnavailable", "25%");
    api::DefaultString(rolling, "maxSurge", "25%");
  }
  api::DefaultInt(spec, "revisionHistoryLimit", kRevisions);
  api::DefaultInt(spec, "progressDeadlineSeconds", kProgressSeconds);
}

void DefaultStatefulSet(api::JsonObject& spec) {
  api::DefaultInt(spec, "replicas", 1);
  api::DefaultString(spec, "podManagementPolicy", "OrderedReady");
  api::JsonObject& strategy = api::EnsureObject(spec, "updateStrategy");
  api::DefaultString(strategy, "type", "RollingUpdate");
  if (api::StringAt(&strategy, "type") == "RollingUpdate") {
    api::DefaultInt(api::EnsureObject(strategy, "rollingUpdate"), "partition", 0);
  }
  api::DefaultInt(spec, "revisionHistoryLimit", kRevisions);
  api::JsonObject& retention = api::EnsureObject(spec, "persistentVolumeClaimRetentionPolicy");
  api::DefaultString(retention, "whenDeleted", "Retain");
  api::DefaultString(retention, "whenScaled", "Retain");
  api::JsonArray* claims = api::ArrayAt(&spec, "volumeClaimTemplates");
  for (size_t i = 0; claims && i < claims->size(); ++i) {
    api::JsonObject* claim = (*claims)[i].if_object();
    if (!claim) continue;
    api::DefaultString(*claim, "kind", "PersistentVolumeClaim");
    api::DefaultString(*claim, "apiVersion", "v1");
    api::DefaultString(api::EnsureObject(*claim, "spec"), "volumeMode", "Filesystem");
    api::DefaultString(api::EnsureObject(*claim, "status"), "phase", "Pending");
  }
}

void DefaultDaemonSet(api::JsonObject& spec) {
  api::JsonObject& strategy = api::EnsureObject(spec, "updateStrategy");
  api::DefaultString(strategy, "type", "RollingUpdate");
  if (api::StringAt(&strategy, "type") == "RollingUpdate") {
    api::JsonObject& rolling = api::EnsureObject(strategy, "rollingUpdate");
    api::DefaultInt(rolling, "maxUnavailable", 1);
    api::DefaultInt(rolling, "maxSurge", 0);
  }
  api::DefaultInt(spec, "revisionHistoryLimit", kRevisions);
}

// Copies the labels of the template to the selector and to the controller's own labels.
void DefaultReplicationController(api::JsonObject& document, api::JsonObject& spec) {
  api::DefaultInt(spec, "replicas", 1);
  const api::JsonObject* labels =
      api::ObjectAt(api::ObjectAt(api::ObjectAt(&spec, "template"), "metadata"), "labels");
  if (!labels) return;
  const api::JsonObject copy = *labels;
  if (api::IsEmpty(api::At(&spec, "selector"))) spec["selector"] = copy;
  api::JsonObject& metadata = MetadataOf(document);
  if (api::IsEmpty(api::At(&metadata, "labels"))) metadata["labels"] = copy;
}

}  // namespace

bool DefaultWorkload(const api::scheme::Kind& kind, api::JsonObject& document) {
  const std::string_view name = kind.kind;
  const bool known = name == "Deployment" || name == "ReplicaSet" || name == "StatefulSet" ||
                     name == "DaemonSet" || name == "ReplicationController";
  if (!known) return false;
  MetadataOf(document);
  api::JsonObject& spec = api::EnsureObject(document, "spec");
  if (api::JsonObject* pod = api::ObjectAt(&spec, "template"))
    DefaultPodSpec(api::EnsureObject(*pod, "spec"));
  if (name == "Deployment") DefaultDeployment(spec);
  if (name == "ReplicaSet") api::DefaultInt(spec, "replicas", 1);
  if (name == "StatefulSet") DefaultStatefulSet(spec);
  if (name == "DaemonSet") DefaultDaemonSet(spec);
  if (name == "ReplicationController") DefaultReplicationController(document, spec);
  return true;
}

namespace {

// A rule of the policy that names a condition means one that is true.
void DefaultFailurePolicy(api::JsonObject* policy) {
  api::JsonArray* rules = api::ArrayAt(policy, "rules");
  for (size_t i = 0; rules && i < rules->size(); ++i) {
    api::JsonArray* patterns = api::ArrayAt((*rules)[i].if_object(), "onPodConditions");
    for (size_t j = 0; patterns && j < patterns->size(); ++j) {
      if (api::JsonObject* pattern = (*patterns)[j].if_object())
        api::DefaultString(*pattern, "status", "True");
    }
  }
}

void DefaultJob(api::JsonObject& document, api::JsonObject& spec) {
  if (!api::At(&spec, "completions") && !api::At(&spec, "parallelism"))
    api::SetInt(spec, "completions", 1);
  api::DefaultInt(spec, "parallelism", 1);
  // With a limit per index, the job as a whole has no limit.
  api::DefaultInt(spec, "backoffLimit",
                  api::At(&spec, "backoffLimitPerIndex") ? std::numeric_limits<int32_t>::max() : 6);
  api::DefaultString(spec, "completionMode", "NonIndexed");
  api::DefaultBool(spec, "suspend", false);
  api::DefaultBool(spec, "manualSelector", false);
  api::DefaultString(spec, "podReplacementPolicy",
                     api::At(&spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  DefaultFailurePolicy(api::ObjectAt(&spec, "podFailurePolicy"));
  const api::JsonObject* pod = api::ObjectAt(&spec, "template");
  const api::JsonObject* labels = api::ObjectAt(api::ObjectAt(pod, "metadata"), "labels");
  api::JsonObject& metadata = MetadataOf(document);
  if (labels && api::IsEmpty(api::At(&metadata, "labels"))) metadata["labels"] = *labels;
}

void DefaultCronJob(api::JsonObject& spec) {
  api::DefaultString(spec, "concurrencyPolicy", "Allow");
  api::DefaultBool(spec, "suspend", false);
  api::DefaultInt(spec, "successfulJobsHistoryLimit", 3);
  api::DefaultInt(spec, "failedJobsHistoryLimit", 1);
  api::JsonObject* job = api::ObjectAt(api::ObjectAt(&spec, "jobTemplate"), "spec");
  if (api::JsonObject* pod = api::ObjectAt(job, "template"))
    DefaultPodSpec(api::EnsureObject(*pod, "spec"));
}

}  // namespace

bool DefaultBatch(const api::scheme::Kind& kind, api::JsonObject& document) {
  if (kind.kind != "Job" && kind.kind != "CronJob") return false;
  MetadataOf(document);
  api::JsonObject& spec = api::EnsureObject(document, "spec");
  if (kind.kind == "CronJob") {
    DefaultCronJob(spec);
    return true;
  }
  if (api::JsonObject* pod = api::ObjectAt(&spec, "template"))
    DefaultPodSpec(api::EnsureObject(*pod, "spec"));
  DefaultJob(document, spec);
  return true;
}

}  // namespace berth::apiserver::admission
