#include "world/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "apiserver/metadata.h"
#include "apiserver/prepare.h"
#include "world/documents.h"
#include "world/owned_pods.h"

namespace berth::world {

namespace {

constexpr int64_t kBurst = 500;
constexpr int64_t kFirstBackoffSeconds = 10;
constexpr int64_t kLongestBackoffSeconds = 600;
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

bool IsIndexed(const JsonObject* spec) { return StringAt(spec, "completionMode") == "Indexed"; }

// Without a number of completions, one success ends the Job once all pods are done.
int64_t CompletionsOf(const JsonObject* spec) {
  return IntAt(spec, "completions").value_or(kNoLimit);
}

bool IsFinished(const JsonObject* status) {
  return IsTrue(status, "Complete") || IsTrue(status, "Failed");
}

void GiveIndex(JsonObject& pod, const std::string& job, int64_t index) {
  const std::string text = fmt::format("{}", index);
  JsonObject& metadata = ObjectIn(pod, "metadata");
  SetString(metadata, "generateName", fmt::format("{}-{}-", job, index));
  SetString(ObjectIn(metadata, "labels"), kCompletionIndex, text);
  SetString(ObjectIn(metadata, "annotations"), kCompletionIndex, text);
  JsonObject& spec = ObjectIn(pod, "spec");
  SetString(spec, "hostname", fmt::format("{}-{}", job, index));
  for (const std::string_view key : {"initContainers", "containers"}) {
    JsonArray* containers = ArrayAt(&spec, key);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      JsonObject* container = (*containers)[i].if_object();
      if (!container) continue;
      JsonObject& variable =
          ArrayIn(*container, "env").emplace_back(boost::json::object_kind).get_object();
      SetString(variable, "name", "JOB_COMPLETION_INDEX");
      SetString(variable, "value", text);
    }
  }
}

}  // namespace

void JobController::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &Jobs()) {
    if (!change.deleted) return queue_.Add(name);
    tallies_.erase(change.object.uid);
    return queue_.Forget(name);
  }
  if (&change.kind != &Pods()) return;
  for (const PodRecord* pod : {change.pod, change.previous_pod}) {
    if (!pod || pod->owner_kind != Jobs().kind) continue;
    queue_.Add({name.namespace_, pod->owner_name});
    if (!change.deleted || pod != change.pod || dropped_.erase(pod->uid()) != 0) continue;
    const auto known = tallies_.find(pod->owner);
    if (known == tallies_.end()) continue;
    // One that was running when it went has failed, like one that says so.
    if (pod->phase() == "Succeeded") {
      ++known->second.gone.succeeded;
      if (IndexOf(*pod) >= 0) known->second.gone.indexes.insert(IndexOf(*pod));
    } else if (pod->phase() == "Failed" || pod->phase() == "Running") {
      ++known->second.gone.failed;
    }
  }
}

JobController::Tally& JobController::TallyOf(const store::Object& job, const JsonObject& document) {
  Tally& tally = tallies_[job.uid];
  if (tally.adjusted) return tally;
  tally.adjusted = true;
  const JsonObject* status = ObjectAt(&document, "status");
  const JobPods seen = CountJobPods(context_.pods.OwnedBy(job.uid), tally.gone,
                                    CompletionsOf(ObjectAt(&document, "spec")));
  tally.gone.succeeded +=
      std::max<int64_t>(0, IntAt(status, "succeeded").value_or(0) - seen.succeeded);
  tally.gone.failed += std::max<int64_t>(0, IntAt(status, "failed").value_or(0) - seen.failed);
  tally.gone.indexes.merge(ParseIndexes(StringAt(status, "completedIndexes")));
  return tally;
}

void JobController::Sync(const ObjectName& key) {
  const store::ObjectPtr object = context_.store().Get(Jobs().collection, key);
  if (!object) return;
  const Json parsed = apiserver::Parse(*object);
  const JsonObject& document = parsed.get_object();
  const JsonObject* spec = ObjectAt(&document, "spec");
  if (IsFinished(ObjectAt(&document, "status"))) return ExpireFinished(key, document);
  if (At(ObjectAt(&document, "metadata"), "deletionTimestamp")) return;
  JobPods pods = CountJobPods(context_.pods.OwnedBy(object->uid), TallyOf(*object, document).gone,
                              CompletionsOf(spec));
  const Outcome outcome = Judge(key, document, pods);
  if (outcome.type.empty()) {
    Scale(key, document, pods);
  } else {
    const size_t all = pods.active.size();
    pods.terminating += static_cast<int64_t>(all);
    DeletePods(key, std::move(pods.active), all);
    pods.active.clear();
    pods.ready = 0;
  }
  WriteStatus(key, document, pods, outcome);
}

void JobController::ExpireFinished(const ObjectName& key, const JsonObject& document) {
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  const JsonObject* status = ObjectAt(&document, "status");
  const auto ttl = IntAt(ObjectAt(&document, "spec"), "ttlSecondsAfterFinished");
  if (!ttl || At(metadata, "deletionTimestamp")) return;
  const JsonObject* condition = ConditionOf(status, "Complete");
  if (!condition) condition = ConditionOf(status, "Failed");
  const auto finished = TimeAt(condition, "lastTransitionTime");
  const Instant due = finished.value_or(Instant{}) + Duration::Seconds(*ttl);
  if (context_.now() < due) return queue_.AddAt(key, due);
  (void)context_.api.Delete(
      Jobs(), key,
      {.propagation_policy = "Foreground", .uid = std::string(StringAt(metadata, "uid"))});
}

JobController::Outcome JobController::Judge(const ObjectName& key, const JsonObject& document,
                                            const JobPods& pods) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  if (BoolAt(spec, "suspend")) return {};
  const int64_t limit = IntAt(spec, "backoffLimit").value_or(6);
  if (pods.failed > limit || (pods.restarts > 0 && pods.restarts >= limit)) {
    return {"Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  }
  const auto seconds = IntAt(spec, "activeDeadlineSeconds");
  const auto started = TimeAt(ObjectAt(&document, "status"), "startTime");
  if (seconds && started) {
    const Instant due = *started + Duration::Seconds(*seconds);
    if (due <= context_.now()) {
      return {"Failed", "DeadlineExceeded", "Job was active longer than specified deadline"};
    }
    queue_.AddAt(key, due);
  }
  constexpr std::string_view kReached = "Reached expected number of succeeded pods";
  const auto wanted = IntAt(spec, "completions");
  const auto done = static_cast<int64_t>(IsIndexed(spec) ? pods.done_indexes.size()
                                                         : static_cast<size_t>(pods.succeeded));
  const bool complete =
      wanted ? done >= *wanted : pods.succeeded > 0 && pods.active.empty() && !pods.terminating;
  if (complete) return {"Complete", "CompletionsReached", kReached};
  return {};
}

void JobController::Scale(const ObjectName& key, const JsonObject& document, JobPods& pods) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  const auto active = static_cast<int64_t>(pods.active.size());
  const int64_t parallelism = std::max<int64_t>(0, IntAt(spec, "parallelism").value_or(1));
  int64_t wanted = parallelism;
  if (const auto completions = IntAt(spec, "completions")) {
    const auto done =
        IsIndexed(spec) ? static_cast<int64_t>(pods.done_indexes.size()) : pods.succeeded;
    wanted = std::min(parallelism, std::max<int64_t>(0, *completions - done));
  } else if (pods.succeeded > 0) {
    // One has found the end of the work: the others finish theirs.
    wanted = std::min(active, parallelism);
  }
  if (BoolAt(spec, "suspend")) wanted = 0;
  if (active > wanted) {
    DeletePods(key, pods.active, static_cast<size_t>(active - wanted));
  } else if (active < wanted) {
    CreatePods(key, document, pods, std::min(wanted - active, kBurst));
  }
}

void JobController::DeletePods(const ObjectName& key, std::vector<const PodRecord*> pods,
                               size_t count) {
  SortForDeletion(pods);
  pods.resize(std::min(count, pods.size()));
  for (const PodRecord* pod : pods) {
    const auto gone = context_.api.Delete(Pods(), pod->name(), {.uid = pod->uid()});
    if (!gone) continue;
    Wrote(key, gone->object);
    dropped_.insert(pod->uid());
  }
}

void JobController::CreatePods(const ObjectName& key, const JsonObject& document, JobPods& pods,
                               int64_t count) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  const JsonObject* pod_template = ObjectAt(spec, "template");
  if (!pod_template) return;
  // After a failure the next try waits, longer each time.
  if (pods.failed > 0) {
    Instant last = {};
    for (const PodRecord* pod :
         context_.pods.OwnedBy(std::string(StringAt(ObjectAt(&document, "metadata"), "uid")))) {
      if (pod->phase() == "Failed") last = std::max(last, pod->ready_since);
    }
    const int64_t seconds = std::min(kFirstBackoffSeconds << std::min<int64_t>(pods.failed - 1, 6),
                                     kLongestBackoffSeconds);
    const Instant due = last + Duration::Seconds(seconds);
    if (context_.now() < due) return queue_.AddAt(key, due);
  }
  const int64_t completions = CompletionsOf(spec);
  int64_t index = 0;
  for (int64_t i = 0; i < count; ++i) {
    JsonObject pod = PodFromTemplate(*pod_template, Jobs(), document);
    SetString(ObjectIn(pod, "metadata"), "generateName", key.name + "-");
    if (IsIndexed(spec)) {
      while (pods.done_indexes.contains(index) || pods.active_indexes.contains(index)) ++index;
      if (index >= completions) return;
      GiveIndex(pod, key.name, index);
      pods.active_indexes.insert(index);
    }
    const auto made = context_.api.Create(Pods(), key.namespace_, std::move(pod));
    if (!made) return queue_.AddAfterFailure(key, context_.now());
    Wrote(key, made->object);
  }
  queue_.Succeeded(key);
}

void JobController::WriteStatus(const ObjectName& key, const JsonObject& document,
                                const JobPods& pods, const Outcome& outcome) {
  const Instant now = context_.now();
  const JsonObject* spec = ObjectAt(&document, "spec");
  const bool suspended = BoolAt(spec, "suspend");
  const std::string_view uid = StringAt(ObjectAt(&document, "metadata"), "uid");
  const auto done = context_.api.Modify(Jobs(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != uid) return false;
    JsonObject& status = ObjectIn(fields, "status");
    SetCount(status, "active", static_cast<int64_t>(pods.active.size()));
    SetInt(status, "ready", pods.ready);
    SetInt(status, "terminating", pods.terminating);
    SetCount(status, "succeeded", pods.succeeded);
    SetCount(status, "failed", pods.failed);
    ObjectIn(status, "uncountedTerminatedPods");
    if (IsIndexed(spec)) {
      const std::string indexes = FormatIndexes(pods.done_indexes);
      if (!indexes.empty()) SetString(status, "completedIndexes", indexes);
    }
    const auto set = [&](std::string_view type, std::string_view value, std::string_view reason,
                         std::string_view message) {
      apiserver::SetCondition(status, type, value, reason, message, now);
    };
    if (suspended) {
      set("Suspended", "True", "JobSuspended", "Job suspended");
      status.erase("startTime");
    } else {
      if (IsTrue(&status, "Suspended")) set("Suspended", "False", "JobResumed", "Job resumed");
      if (!At(&status, "startTime")) SetString(status, "startTime", apiserver::TimeText(now));
    }
    if (outcome.type == "Complete") {
      set("SuccessCriteriaMet", "True", outcome.reason, outcome.message);
      SetString(status, "completionTime", apiserver::TimeText(now));
    } else if (outcome.type == "Failed") {
      set("FailureTarget", "True", outcome.reason, outcome.message);
    }
    if (!outcome.type.empty()) set(outcome.type, "True", outcome.reason, outcome.message);
    return true;
  });
  if (done) Wrote(key, *done);
}

}  // namespace berth::world
