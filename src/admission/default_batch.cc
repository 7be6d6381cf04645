// Defaults of jobs and cron jobs.
#include <limits>
#include <string_view>

#include "admission/defaults.h"
#include "admission/metadata.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

void DefaultJob(JsonObject& document, JsonObject& spec) {
  if (!At(&spec, "completions") && !At(&spec, "parallelism")) SetInt(spec, "completions", 1);
  DefaultInt(spec, "parallelism", 1);
  // With a limit for each index, the whole has none.
  DefaultInt(spec, "backoffLimit",
             At(&spec, "backoffLimitPerIndex") ? std::numeric_limits<int32_t>::max() : 6);
  DefaultString(spec, "completionMode", "NonIndexed");
  DefaultBool(spec, "suspend", false);
  DefaultBool(spec, "manualSelector", false);
  DefaultString(spec, "podReplacementPolicy",
                At(&spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  const JsonObject* pod = ObjectAt(&spec, "template");
  const JsonObject* labels = ObjectAt(ObjectAt(pod, "metadata"), "labels");
  JsonObject& metadata = MetadataOf(document);
  if (labels && IsEmpty(At(&metadata, "labels"))) metadata["labels"] = *labels;
}

void DefaultCronJob(JsonObject& spec) {
  DefaultString(spec, "concurrencyPolicy", "Allow");
  DefaultBool(spec, "suspend", false);
  DefaultInt(spec, "successfulJobsHistoryLimit", 3);
  DefaultInt(spec, "failedJobsHistoryLimit", 1);
  JsonObject* job = ObjectAt(ObjectAt(&spec, "jobTemplate"), "spec");
  if (JsonObject* pod = ObjectAt(job, "template")) DefaultPodSpec(ObjectIn(*pod, "spec"));
}

}  // namespace

bool DefaultBatch(const Kind& kind, JsonObject& document) {
  if (kind.kind != "Job" && kind.kind != "CronJob") return false;
  MetadataOf(document);
  JsonObject& spec = ObjectIn(document, "spec");
  if (kind.kind == "CronJob") {
    DefaultCronJob(spec);
    return true;
  }
  if (JsonObject* pod = ObjectAt(&spec, "template")) DefaultPodSpec(ObjectIn(*pod, "spec"));
  DefaultJob(document, spec);
  return true;
}

}  // namespace berth::apiserver
