#include "localcluster/cron_job.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/timestamp.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kCronComponent = "cronjob-controller";
constexpr std::string_view kScheduledAt = "batch.kubernetes.io/cronjob-scheduled-timestamp";
constexpr int64_t kMaxMissed = 100;
constexpr int64_t kSecondsPerMinute = 60;

const Kind& CronJobs() {
  static const Kind& kind = api::scheme::KindOf("cronjobs.batch");
  return kind;
}

std::string JobName(std::string_view cron_job, Instant at) {
  return fmt::format("{}-{}", cron_job, at.unix_seconds() / kSecondsPerMinute);
}

// Formats the local time with its offset: "2026-01-01T06:00:00+01:00".
std::string FormatIn(const api::TimeZone& zone, Instant at) {
  const int64_t offset = zone.OffsetAt(at.unix_seconds());
  std::string text = api::FormatTime(at + Duration::Seconds(offset));
  if (offset == 0) return text;
  text.pop_back();
  const int64_t minutes = std::abs(offset) / kSecondsPerMinute;
  return text + fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

// Formats as Go's RFC1123Z: "Thu, 01 Jan 2026 00:00:00 +0000".
std::string FormatRfc1123(Instant at) {
  const std::chrono::sys_seconds time{std::chrono::seconds(at.unix_seconds())};
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} +0000", time);
}

}  // namespace

JsonObject JobOfCronJob(const JsonObject& cron_job, Instant at, const api::TimeZone& zone) {
  const JsonObject* from = ObjectAt(ObjectAt(&cron_job, "spec"), "jobTemplate");
  JsonObject job;
  JsonObject& metadata = EnsureObject(job, "metadata");
  for (const std::string_view key : {"labels", "annotations"}) {
    if (const Json* value = At(ObjectAt(from, "metadata"), key)) metadata[key] = *value;
  }
  SetString(EnsureObject(metadata, "annotations"), kScheduledAt, FormatIn(zone, at));
  SetString(metadata, "name", JobName(StringAt(ObjectAt(&cron_job, "metadata"), "name"), at));
  SetController(metadata, CronJobs(), cron_job);
  if (const Json* spec = At(from, "spec")) job["spec"] = *spec;
  return job;
}

MissedStarts FindMissedStarts(const api::CronSchedule& schedule, const api::TimeZone& zone,
                              Instant last, Instant now) {
  MissedStarts missed{.earliest = last};
  const auto first = schedule.Next(last, zone);
  if (first && now < *first) return missed;
  const auto second = first ? schedule.Next(*first, zone) : std::nullopt;
  if (!second) {
    missed.invalid = true;
    return missed;
  }
  if (now < *second) {
    missed.latest = first;
    return missed;
  }
  // The number is an estimate from the first interval, which may differ from others. The search
  // starts one interval before the last start that it predicts.
  const Duration interval = *second - *first;
  const int64_t count = (now - *first) / interval + 1;
  missed.any = true;
  missed.many = count > kMaxMissed;
  auto at = schedule.Next(*first + interval * (count - 2), zone);
  for (; at && *at <= now; at = schedule.Next(*at, zone)) missed.latest = at;
  return missed;
}

struct CronJobController::Job {
  std::string name;
  std::string uid;
  std::string_view finished = {};  // "Complete", "Failed" or "".
  std::string start_time = {};
  std::string completion_time = {};
};

struct CronJobController::Progress {
  struct Active {
    std::string name;
    std::string uid;
    std::string version;
  };

  ObjectName key;
  const JsonObject& document;
  std::vector<Job> jobs = {};
  std::vector<Active> active = {};
  std::string last_schedule = {};
  std::string last_success = {};
  apiserver::store::ObjectPtr wrote = {};

  const JsonObject* spec() const { return ObjectAt(&document, "spec"); }
  bool IsActive(std::string_view uid) const {
    return std::ranges::find(active, uid, &Active::uid) != active.end();
  }
  void Deactivate(std::string_view uid) {
    std::erase_if(active, [&](const Active& one) { return one.uid == uid; });
  }
};

void CronJobController::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &CronJobs()) {
    return change.deleted ? queue_.Forget(name) : queue_.Add(name);
  }
  if (&change.kind != &Jobs()) return;
  const JsonObject* owner = ControllerOf(ObjectAt(&change.document, "metadata"));
  if (StringAt(owner, "kind") != CronJobs().kind) owner = nullptr;
  if (const auto known = owner_of_.find(name); known != owner_of_.end()) {
    const auto jobs = jobs_of_.find(known->second);
    jobs->second.erase(name);
    if (jobs->second.empty()) jobs_of_.erase(jobs);
    owner_of_.erase(known);
  }
  if (!owner) return;
  queue_.Add({name.namespace_, std::string(StringAt(owner, "name"))});
  if (change.deleted) return;
  const std::string uid(StringAt(owner, "uid"));
  owner_of_.emplace(name, uid);
  jobs_of_[uid].insert(name);
}

void CronJobController::Event(const Progress& progress, EventType type, std::string_view reason,
                              std::string message) {
  context_.events.Record(InvolvedObject::Of(CronJobs(), progress.document), type, reason,
                         std::move(message), kCronComponent);
}

void CronJobController::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(CronJobs().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  Progress progress{.key = key, .document = parsed.get_object()};
  if (const auto jobs = jobs_of_.find(object->uid); jobs != jobs_of_.end()) {
    for (const ObjectName& name : jobs->second) {
      const apiserver::store::ObjectPtr job = context_.store().Get(Jobs().collection, name);
      if (!job) continue;
      const Json document = apiserver::store::Parse(*job);
      const JsonObject* status = ObjectAt(AsObject(document), "status");
      Job& read = progress.jobs.emplace_back(Job{.name = name.name, .uid = job->uid});
      if (IsTrue(status, "Complete")) read.finished = "Complete";
      if (IsTrue(status, "Failed")) read.finished = "Failed";
      read.start_time = StringAt(status, "startTime");
      read.completion_time = StringAt(status, "completionTime");
    }
  }
  const JsonObject* status = ObjectAt(&progress.document, "status");
  for (const JsonObject& one : ObjectsAt(status, "active")) {
    progress.active.push_back({std::string(StringAt(&one, "name")),
                               std::string(StringAt(&one, "uid")),
                               std::string(StringAt(&one, "resourceVersion"))});
  }
  progress.last_schedule = StringAt(status, "lastScheduleTime");
  progress.last_success = StringAt(status, "lastSuccessfulTime");
  CheckActive(progress);
  if (!At(ObjectAt(&progress.document, "metadata"), "deletionTimestamp")) {
    StartDue(progress);
    DeleteOldJobs(progress);
  }
  WriteStatus(progress);
  Wrote(key, progress.wrote);
}

void CronJobController::CheckActive(Progress& progress) {
  std::set<std::string_view> present;
  for (const Job& job : progress.jobs) {
    present.insert(job.uid);
    const bool active = progress.IsActive(job.uid);
    if (job.finished.empty()) {
      if (active) continue;
      Event(progress, EventType::kWarning, "UnexpectedJob",
            "Saw a job that the controller did not create or forgot: " + job.name);
      continue;
    }
    if (active) {
      progress.Deactivate(job.uid);
      Event(progress, EventType::kNormal, "SawCompletedJob",
            fmt::format("Saw completed job: {}, condition: {}", job.name, job.finished));
    }
    // Times of this form compare as text.
    if (job.finished == "Complete") {
      progress.last_success = std::max(progress.last_success, job.completion_time);
    }
  }
  std::erase_if(progress.active, [&](const Progress::Active& one) {
    if (present.contains(one.uid)) return false;
    Event(progress, EventType::kNormal, "MissingJob", "Active job went missing: " + one.name);
    return true;
  });
}

std::optional<api::TimeZone> CronJobController::ZoneOf(const Progress& progress) {
  const Json* given = At(progress.spec(), "timeZone");
  if (!given) return api::TimeZone();
  const std::string name(AsString(given));
  const auto& read = context_.options.read_time_zone;
  const auto data = read ? read(name) : std::nullopt;
  if (data) {
    if (auto zone = api::TimeZone::Parse(*data)) return *std::move(zone);
  }
  if (name == "UTC" || name == "Etc/UTC") return api::TimeZone();
  Event(progress, EventType::kWarning, "UnknownTimeZone",
        fmt::format("invalid timeZone: \"{}\": unknown time zone {}", name, name));
  return std::nullopt;
}

void CronJobController::QueueNext(const Progress& progress, const api::CronSchedule& schedule,
                                  const api::TimeZone& zone) {
  if (const auto next = schedule.Next(context_.now(), zone)) queue_.AddAt(progress.key, *next);
}

void CronJobController::StartDue(Progress& progress) {
  const Instant now = context_.now();
  const JsonObject* spec = progress.spec();
  const auto zone = ZoneOf(progress);
  if (!zone || BoolAt(spec, "suspend")) return;
  const std::string text(StringAt(spec, "schedule"));
  const auto schedule = api::CronSchedule::Parse(text);
  if (!schedule) {
    return Event(progress, EventType::kWarning, "UnparseableSchedule",
                 fmt::format("unparseable schedule: \"{}\" : {}", text, schedule.error().message));
  }
  const auto last_start = api::ParseTimestamp(progress.last_schedule);
  Instant last =
      last_start
          ? *last_start
          : TimeAt(ObjectAt(&progress.document, "metadata"), "creationTimestamp").value_or(now);
  const auto deadline = IntAt(spec, "startingDeadlineSeconds");
  if (deadline) last = std::max(last, now - Duration::Seconds(*deadline));
  const MissedStarts missed = FindMissedStarts(*schedule, *zone, last, now);
  if (missed.invalid) {
    return Event(progress, EventType::kWarning, "InvalidSchedule",
                 fmt::format("invalid schedule: {} : time difference between two schedules is less "
                             "than 1 second",
                             text));
  }
  QueueNext(progress, *schedule, *zone);
  if (!missed.latest) return;
  if (missed.many) {
    Event(progress, EventType::kWarning, "TooManyMissedTimes",
          "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check "
          "clock skew");
  }
  const Instant at = *missed.latest;
  if (deadline && at + Duration::Seconds(*deadline) < now) {
    return Event(progress, EventType::kWarning, "MissSchedule",
                 "Missed scheduled time to start a job: " + FormatRfc1123(at));
  }
  const bool started = std::ranges::find(progress.active, JobName(progress.key.name, at),
                                         &Progress::Active::name) != progress.active.end();
  if (started || (last_start && *last_start == at)) return;
  const std::string_view policy = StringAt(spec, "concurrencyPolicy");
  if (policy == "Forbid" && !progress.active.empty()) {
    return Event(progress, EventType::kNormal, "JobAlreadyActive",
                 "Not starting job because prior execution is running and concurrency policy is "
                 "Forbid");
  }
  if (policy == "Replace") {
    for (const Progress::Active& one : std::vector(progress.active)) {
      if (!DeleteJob(progress, one.name, one.uid)) {
        return queue_.AddAfterFailure(progress.key, now);
      }
    }
  }
  Start(progress, at, *zone);
}

void CronJobController::Start(Progress& progress, Instant at, const api::TimeZone& zone) {
  const ObjectName& key = progress.key;
  auto created =
      context_.api.Create(Jobs(), key.namespace_, JobOfCronJob(progress.document, at, zone));
  apiserver::store::ObjectPtr job = created ? created->object : nullptr;
  if (!created && created.error().code == 409) {
    // It was created before, but the status was not written.
    job = context_.store().Get(Jobs().collection, {key.namespace_, JobName(key.name, at)});
    if (!job || progress.IsActive(job->uid)) return;
    const auto owner = owner_of_.find(job->key);
    const std::string_view uid = StringAt(ObjectAt(&progress.document, "metadata"), "uid");
    if (owner == owner_of_.end() || owner->second != uid) return;
  } else if (!created) {
    Event(progress, EventType::kWarning, "FailedCreate",
          "Error creating job: " + created.error().message);
    return queue_.AddAfterFailure(key, context_.now());
  } else {
    Event(progress, EventType::kNormal, "SuccessfulCreate", "Created job " + job->key.name);
  }
  queue_.Succeeded(key);
  progress.wrote = job;
  progress.active.push_back({job->key.name, job->uid, fmt::format("{}", job->version)});
  progress.last_schedule = api::FormatTime(at);
}

bool CronJobController::DeleteJob(Progress& progress, const std::string& name,
                                  const std::string& uid) {
  const auto deleted = context_.api.Delete(Jobs(), {progress.key.namespace_, name},
                                           {.propagation_policy = "Background", .uid = uid});
  if (!deleted && deleted.error().code != 404) {
    Event(progress, EventType::kWarning, "FailedDelete", "Deleted job: " + deleted.error().message);
    return false;
  }
  progress.Deactivate(uid);
  Event(progress, EventType::kNormal, "SuccessfulDelete", "Deleted job " + name);
  if (deleted) progress.wrote = deleted->object;
  return true;
}

void CronJobController::DeleteOldJobs(Progress& progress) {
  constexpr std::pair<std::string_view, std::string_view> kLimits[] = {
      {"Complete", "successfulJobsHistoryLimit"}, {"Failed", "failedJobsHistoryLimit"}};
  for (const auto& [outcome, field] : kLimits) {
    const auto limit = IntAt(progress.spec(), field);
    if (!limit) continue;
    std::vector<const Job*> jobs;
    for (const Job& job : progress.jobs) {
      if (job.finished == outcome) jobs.push_back(&job);
    }
    std::ranges::sort(jobs, {}, [](const Job* job) {
      // Those that never started come last.
      return std::tuple(job->start_time.empty(), job->start_time, job->name);
    });
    const auto kept = static_cast<size_t>(std::max<int64_t>(0, *limit));
    for (size_t i = 0; i + kept < jobs.size(); ++i) {
      DeleteJob(progress, jobs[i]->name, jobs[i]->uid);
    }
  }
}

void CronJobController::WriteStatus(const Progress& progress) {
  const std::string_view uid = StringAt(ObjectAt(&progress.document, "metadata"), "uid");
  const auto done = context_.api.Modify(CronJobs(), progress.key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != uid) return false;
    JsonObject& status = EnsureObject(fields, "status");
    status.erase("active");
    for (const Progress::Active& one : progress.active) {
      JsonObject& reference =
          EnsureArray(status, "active").emplace_back(boost::json::object_kind).get_object();
      SetString(reference, "kind", Jobs().kind);
      SetString(reference, "namespace", progress.key.namespace_);
      SetString(reference, "name", one.name);
      SetString(reference, "uid", one.uid);
      SetString(reference, "apiVersion", Jobs().api_version());
      SetString(reference, "resourceVersion", one.version);
    }
    if (!progress.last_schedule.empty()) {
      SetString(status, "lastScheduleTime", progress.last_schedule);
    }
    if (!progress.last_success.empty()) {
      SetString(status, "lastSuccessfulTime", progress.last_success);
    }
    return true;
  });
  if (done) Wrote(progress.key, *done);
}

}  // namespace berth::localcluster
