// CronJobController starts the Jobs of CronJobs by their schedules, and deletes old ones.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/cron_schedule.h"
#include "api/time_zone.h"
#include "localcluster/controller.h"

namespace berth::localcluster {

// Returns the Job that a CronJob starts at `at`.
JsonObject JobOfCronJob(const JsonObject& cron_job, Instant at, const api::TimeZone& zone = {});

// The starts that a CronJob has missed, including one that is due now.
struct MissedStarts {
  Instant earliest = {};               // Starts before it do not count.
  std::optional<Instant> latest = {};  // The last one, if any.
  bool any = false;                    // More than one.
  bool many = false;                   // More than a hundred: clocks may be wrong.
  bool invalid = false;                // The schedule never fires.
};
// `last` is the last start, or the creation of the CronJob.
MissedStarts FindMissedStarts(const api::CronSchedule& schedule, const api::TimeZone& zone,
                              Instant last, Instant now);

class CronJobController final : public Controller {
 public:
  explicit CronJobController(Context& context) : Controller("cron-jobs", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& key) override;
  size_t index_size() const override { return owner_of_.size() + jobs_of_.size(); }

 private:
  struct Job;       // What it reads of a Job.
  struct Progress;  // Of one Sync: the CronJob, its Jobs and its new status.

  void Event(const Progress& progress, EventType type, std::string_view reason,
             std::string message);
  // Removes Jobs that have ended or are gone from the list of active ones.
  void CheckActive(Progress& progress);
  // Starts the Job that is due, unless the concurrency policy forbids it. Queues the next start.
  void StartDue(Progress& progress);
  void Start(Progress& progress, Instant at, const api::TimeZone& zone);
  void DeleteOldJobs(Progress& progress);
  bool DeleteJob(Progress& progress, const std::string& name, const std::string& uid);
  // Returns the zone of the CronJob, or nullopt if there is no such zone.
  std::optional<api::TimeZone> ZoneOf(const Progress& progress);
  void QueueNext(const Progress& progress, const api::CronSchedule& schedule,
                 const api::TimeZone& zone);
  void WriteStatus(const Progress& progress);

  std::map<ObjectName, std::string> owner_of_;                     // Of Jobs: the uid.
  std::unordered_map<std::string, std::set<ObjectName>> jobs_of_;  // By the owner's uid.
};

}  // namespace berth::localcluster
