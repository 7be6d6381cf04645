#include "localcluster/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "api/timestamp.h"
#include "apiserver/admission/strategy.h"
#include "localcluster/object_json.h"
#include "localcluster/workload_pods.h"

namespace berth::localcluster {

int64_t CompletionIndexOf(const PodRecord& pod) {
  const std::string* label = pod.Label(kCompletionIndex);
  return label ? api::ParseInt(*label).value_or(-1) : -1;
}

namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

bool IsIndexed(const JsonObject* spec) { return StringAt(spec, "completionMode") == "Indexed"; }

// Without spec.completions, the Job completes when one pod has succeeded and all have ended.
int64_t CompletionsOf(const JsonObject* spec) {
  return IntAt(spec, "completions").value_or(kNoLimit);
}

}  // namespace

JobPods CountJobPods(const PodIndex::Set& pods, const JobTally& removed, const JsonObject* spec) {
  const int64_t completions = CompletionsOf(spec);
  JobPods count;
  count.succeeded = removed.succeeded;
  count.failures = removed.failures;
  count.backoffs = removed.backoffs;
  count.done_indexes = removed.indexes;
  for (const PodRecord* pod : pods) {
    const int64_t index = CompletionIndexOf(*pod);
    if (pod->phase() == "Succeeded") {
      ++count.succeeded;
      count.backoffs.Succeeded(*pod);
      if (index >= 0 && index < completions) count.done_indexes.insert(index);
    } else if (pod->phase() == "Failed") {
      count.failures.Add(spec, *pod, index);
      count.backoffs.Failed(*pod, index);
    } else if (pod->deleting) {
      ++count.terminating;
    } else {
      count.active.push_back(pod);
      count.ready += pod->ready;
      count.restarts += pod->restarts;
      if (index >= 0) count.active_indexes.insert(index);
    }
  }
  count.failed_indexes = FailedIndexes(spec, count.failures);
  return count;
}

std::string FormatIndexes(const std::set<int64_t>& indexes) {
  std::string text;
  for (auto at = indexes.begin(); at != indexes.end();) {
    const int64_t first = *at;
    int64_t last = first;
    for (++at; at != indexes.end() && *at == last + 1; ++at) last = *at;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", first);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ',' : '-', last);
  }
  return text;
}

std::set<int64_t> ParseIndexes(std::string_view text) {
  constexpr int64_t kMaxIndexes = 100'000;
  std::set<int64_t> indexes;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const size_t dash = part.find('-');
    const auto first = api::ParseInt(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : api::ParseInt(part.substr(dash + 1));
    if (!first || !last || *last - *first > kMaxIndexes) continue;
    for (int64_t i = *first; i <= *last; ++i) indexes.insert(i);
  }
  return indexes;
}

namespace {

// Pods created per sync.
constexpr int64_t kJobBurst = 500;

bool IsFinished(const JsonObject* status) {
  return IsTrue(status, "Complete") || IsTrue(status, "Failed");
}

void SetIndex(JsonObject& pod, const std::string& job, int64_t index) {
  const std::string text = fmt::format("{}", index);
  JsonObject& metadata = EnsureObject(pod, "metadata");
  SetString(metadata, "generateName", fmt::format("{}-{}-", job, index));
  SetString(EnsureObject(metadata, "labels"), kCompletionIndex, text);
  SetString(EnsureObject(metadata, "annotations"), kCompletionIndex, text);
  JsonObject& spec = EnsureObject(pod, "spec");
  SetString(spec, "hostname", fmt::format("{}-{}", job, index));
  for (const std::string_view key : {"initContainers", "containers"}) {
    JsonArray* containers = ArrayAt(&spec, key);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      JsonObject* container = (*containers)[i].if_object();
      if (!container) continue;
      JsonObject& variable =
          EnsureArray(*container, "env").emplace_back(boost::json::object_kind).get_object();
      SetString(variable, "name", "JOB_COMPLETION_INDEX");
      SetString(variable, "value", text);
    }
  }
}

// How often an index has failed, for those who look at its present pod.
void SetFailureCounts(JsonObject& pod, const JobFailures& failures, int64_t index) {
  const auto count = [&](const std::map<int64_t, int64_t>& counts) {
    const auto found = counts.find(index);
    return found == counts.end() ? 0 : found->second;
  };
  JsonObject& annotations = EnsureObject(EnsureObject(pod, "metadata"), "annotations");
  SetString(annotations, "batch.kubernetes.io/job-index-failure-count",
            fmt::format("{}", count(failures.by_index)));
  const int64_t ignored = count(failures.ignored_by_index);
  if (ignored == 0) return;
  SetString(annotations, "batch.kubernetes.io/job-index-ignored-failure-count",
            fmt::format("{}", ignored));
}

// Returns the first `count` indexes that have no pod and need one.
std::vector<int64_t> PendingIndexes(const JobPods& pods, int64_t completions, int64_t count) {
  std::vector<int64_t> indexes;
  for (int64_t i = 0; i < completions && static_cast<int64_t>(indexes.size()) < count; ++i) {
    if (!pods.done_indexes.contains(i) && !pods.active_indexes.contains(i) &&
        !pods.failed_indexes.contains(i)) {
      indexes.push_back(i);
    }
  }
  return indexes;
}

}  // namespace

void JobController::Observe(const Change& change) {
  adoption_.Observe(change, queue_);
  if (&change.kind == &Jobs() && change.deleted) tallies_.erase(change.object.uid);
  if (&change.kind == &Pods() && change.deleted && change.pod) CountRemoved(*change.pod);
}

void JobController::CountRemoved(const PodRecord& pod) {
  if (deleted_.erase(pod.uid()) != 0) return;
  const auto known = tallies_.find(pod.owner);
  if (known == tallies_.end()) return;
  JobTally& removed = known->second.removed;
  if (pod.phase() == "Succeeded") {
    ++removed.succeeded;
    removed.backoffs.Succeeded(pod);
    if (CompletionIndexOf(pod) >= 0) removed.indexes.insert(CompletionIndexOf(pod));
  } else if (pod.phase() == "Failed" || pod.phase() == "Running") {
    const apiserver::store::ObjectPtr job =
        context_.store().Get(Jobs().collection, {pod.name().namespace_, pod.owner_name});
    const Json document = job ? apiserver::store::Parse(*job) : Json();
    removed.failures.Add(ObjectAt(AsObject(document), "spec"), pod, CompletionIndexOf(pod));
    removed.backoffs.Failed(pod, CompletionIndexOf(pod));
  }
}

JobController::Tally& JobController::TallyOf(const apiserver::store::Object& job,
                                             const JsonObject& document) {
  Tally& tally = tallies_[job.uid];
  if (tally.adjusted) return tally;
  tally.adjusted = true;
  const JsonObject* status = ObjectAt(&document, "status");
  const JobPods seen =
      CountJobPods(context_.pods.OwnedBy(job.uid), tally.removed, ObjectAt(&document, "spec"));
  tally.removed.succeeded +=
      std::max<int64_t>(0, IntAt(status, "succeeded").value_or(0) - seen.succeeded);
  tally.removed.failures.counted +=
      std::max<int64_t>(0, IntAt(status, "failed").value_or(0) - seen.failures.counted);
  tally.removed.indexes.merge(ParseIndexes(StringAt(status, "completedIndexes")));
  tally.removed.failures.failed_indexes.merge(ParseIndexes(StringAt(status, "failedIndexes")));
  return tally;
}

void JobController::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Jobs().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject& document = parsed.get_object();
  const JsonObject* spec = ObjectAt(&document, "spec");
  if (IsFinished(ObjectAt(&document, "status"))) return ExpireFinished(key, document);
  if (At(ObjectAt(&document, "metadata"), "deletionTimestamp")) return;
  if (const apiserver::store::ObjectPtr wrote = adoption_.Run(context_, key, document)) {
    Wrote(key, wrote);
    return queue_.Add(key);
  }
  JobPods pods =
      CountJobPods(context_.pods.OwnedBy(object->uid), TallyOf(*object, document).removed, spec);
  const Outcome outcome = CheckFinished(key, document, pods);
  if (outcome.type.empty()) {
    Scale(key, document, pods);
  } else {
    const size_t all = pods.active.size();
    pods.terminating += static_cast<int64_t>(all);
    DeletePods(key, document, std::move(pods.active), all);
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

JobController::Outcome JobController::CheckFinished(const ObjectName& key,
                                                    const JsonObject& document,
                                                    const JobPods& pods) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  if (BoolAt(spec, "suspend")) return {};
  if (!pods.failures.fails_job.empty()) {
    return {"Failed", "PodFailurePolicy", pods.failures.fails_job};
  }
  const int64_t limit = IntAt(spec, "backoffLimit").value_or(6);
  if (pods.failures.counted > limit || (pods.restarts > 0 && pods.restarts >= limit)) {
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
  const auto wanted = IntAt(spec, "completions");
  const auto failed_indexes = static_cast<int64_t>(pods.failed_indexes.size());
  if (failed_indexes > IntAt(spec, "maxFailedIndexes").value_or(kNoLimit)) {
    return {"Failed", "MaxFailedIndexesExceeded",
            "Job has exceeded the specified maximal number of failed indexes"};
  }
  if (const auto rule = MetSuccessRule(spec, pods.done_indexes)) {
    return {"Complete", "SuccessPolicy", *rule};
  }
  const auto done = static_cast<int64_t>(IsIndexed(spec) ? pods.done_indexes.size()
                                                         : static_cast<size_t>(pods.succeeded));
  const bool complete =
      wanted ? done >= *wanted : pods.succeeded > 0 && pods.active.empty() && !pods.terminating;
  if (complete) {
    return {"Complete", "CompletionsReached", "Reached expected number of succeeded pods"};
  }
  if (wanted && failed_indexes > 0 && done + failed_indexes >= *wanted) {
    return {"Failed", "FailedIndexes", "Job has failed indexes"};
  }
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
    const auto failed = static_cast<int64_t>(pods.failed_indexes.size());
    wanted = std::min(parallelism, std::max<int64_t>(0, *completions - done - failed));
  } else if (pods.succeeded > 0) {
    // One success means that no work is left: start no others.
    wanted = std::min(active, parallelism);
  }
  if (BoolAt(spec, "suspend")) wanted = 0;
  if (active > wanted) {
    DeletePods(key, document, pods.active, static_cast<size_t>(active - wanted));
  } else if (active < wanted) {
    CreatePods(key, document, pods, std::min(wanted - active, kJobBurst));
  }
}

void JobController::Record(const JsonObject& document, EventType type, std::string_view reason,
                           std::string message) {
  context_.events.Record(InvolvedObject::Of(Jobs(), document), type, reason, std::move(message),
                         "job-controller");
}

void JobController::DeletePods(const ObjectName& key, const JsonObject& document,
                               std::vector<const PodRecord*> pods, size_t count) {
  SortForDeletion(pods);
  pods.resize(std::min(count, pods.size()));
  for (const PodRecord* pod : pods) {
    const auto deleted = context_.api.Delete(Pods(), pod->name(), {.uid = pod->uid()});
    if (!deleted) continue;
    Wrote(key, deleted->object);
    deleted_.insert(pod->uid());
    Record(document, EventType::kNormal, "SuccessfulDelete", "Deleted pod: " + pod->name().name);
  }
}

void JobController::CreatePods(const ObjectName& key, const JsonObject& document, JobPods& pods,
                               int64_t count) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  const JsonObject* pod_template = ObjectAt(spec, "template");
  if (!pod_template) return;
  const bool is_indexed = IsIndexed(spec);
  const std::vector<int64_t> indexes =
      is_indexed ? PendingIndexes(pods, CompletionsOf(spec), count) : std::vector<int64_t>();
  if (is_indexed) count = static_cast<int64_t>(indexes.size());
  const bool backs_off_by_index = is_indexed && At(spec, "backoffLimitPerIndex");
  const auto waits_until = [&](const std::optional<Instant>& due) {
    const bool waits = due && context_.now() < *due;
    if (waits) queue_.AddAt(key, *due);
    return waits;
  };
  if (!backs_off_by_index && waits_until(pods.backoffs.job.due())) return;
  for (int64_t i = 0; i < count; ++i) {
    JsonObject pod = PodFromTemplate(*pod_template, Jobs(), document);
    SetString(EnsureObject(pod, "metadata"), "generateName", key.name + "-");
    if (is_indexed) {
      const int64_t index = indexes[static_cast<size_t>(i)];
      if (backs_off_by_index && waits_until(pods.backoffs.IndexDue(index))) continue;
      SetIndex(pod, key.name, index);
      if (backs_off_by_index) SetFailureCounts(pod, pods.failures, index);
      pods.active_indexes.insert(index);
    }
    const auto created = context_.api.Create(Pods(), key.namespace_, std::move(pod));
    if (!created) {
      Record(document, EventType::kWarning, "FailedCreate",
             "Error creating: " + created.error().message);
      return queue_.AddAfterFailure(key, context_.now());
    }
    Wrote(key, created->object);
    Record(document, EventType::kNormal, "SuccessfulCreate",
           "Created pod: " + created->object->key.name);
  }
  queue_.Succeeded(key);
}

void JobController::WriteStatus(const ObjectName& key, const JsonObject& document,
                                const JobPods& pods, const Outcome& outcome) {
  const Instant now = context_.now();
  const JsonObject* spec = ObjectAt(&document, "spec");
  const bool suspended = BoolAt(spec, "suspend");
  const std::string_view uid = StringAt(ObjectAt(&document, "metadata"), "uid");
  const bool was_suspended = IsTrue(ObjectAt(&document, "status"), "Suspended");
  if (suspended && !was_suspended) {
    Record(document, EventType::kNormal, "Suspended", "Job suspended");
  } else if (!suspended && was_suspended) {
    Record(document, EventType::kNormal, "Resumed", "Job resumed");
  }
  if (outcome.type == "Complete") {
    Record(document, EventType::kNormal, "Completed", "Job completed");
  } else if (outcome.type == "Failed") {
    Record(document, EventType::kWarning, outcome.reason, outcome.message);
  }
  const auto done = context_.api.Modify(Jobs(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != uid) return false;
    JsonObject& status = EnsureObject(fields, "status");
    SetCount(status, "active", static_cast<int64_t>(pods.active.size()));
    SetInt(status, "ready", pods.ready);
    SetInt(status, "terminating", pods.terminating);
    SetCount(status, "succeeded", pods.succeeded);
    SetCount(status, "failed", pods.failures.counted);
    EnsureObject(status, "uncountedTerminatedPods");
    if (IsIndexed(spec)) {
      const std::string indexes = FormatIndexes(pods.done_indexes);
      if (!indexes.empty()) SetString(status, "completedIndexes", indexes);
      if (At(spec, "backoffLimitPerIndex")) {
        SetString(status, "failedIndexes", FormatIndexes(pods.failed_indexes));
      }
    }
    const auto set = [&](std::string_view type, std::string_view value, std::string_view reason,
                         std::string_view message) {
      apiserver::admission::SetCondition(status, type, value, reason, message, now);
    };
    if (suspended) {
      set("Suspended", "True", "JobSuspended", "Job suspended");
      status.erase("startTime");
    } else {
      if (IsTrue(&status, "Suspended")) set("Suspended", "False", "JobResumed", "Job resumed");
      if (!At(&status, "startTime")) SetString(status, "startTime", api::FormatTime(now));
    }
    if (outcome.type == "Complete") {
      set("SuccessCriteriaMet", "True", outcome.reason, outcome.message);
      SetString(status, "completionTime", api::FormatTime(now));
    } else if (outcome.type == "Failed") {
      set("FailureTarget", "True", outcome.reason, outcome.message);
    }
    if (!outcome.type.empty()) set(outcome.type, "True", outcome.reason, outcome.message);
    return true;
  });
  if (done) Wrote(key, *done);
}

}  // namespace berth::localcluster
