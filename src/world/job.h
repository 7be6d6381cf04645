// JobController runs Jobs: pods until enough have succeeded or too many have failed.
//
// What pods came to that are gone since is remembered by the controller; after a restart, by the
// Job's status. The finalizer by which Kubernetes counts pods is not used.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "world/controller.h"
#include "world/job_pods.h"

namespace berth::world {

class JobController final : public Controller {
 public:
  explicit JobController(Context& context) : Controller("jobs", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& job) override;
  size_t index_size() const override { return tallies_.size() + dropped_.size(); }

 private:
  struct Tally {
    JobTally gone = {};
    bool adjusted = false;  // To what the status said when the Job was first seen.
  };
  struct Outcome {
    std::string_view type = {};  // "Complete" or "Failed"; empty: it goes on.
    std::string_view reason = {};
    std::string_view message = {};
  };

  Tally& TallyOf(const store::Object& job, const JsonObject& document);
  void ExpireFinished(const ObjectName& key, const JsonObject& document);
  Outcome Judge(const ObjectName& key, const JsonObject& document, const JobPods& pods);
  // Makes or deletes pods, as many as may run at a time.
  void Scale(const ObjectName& key, const JsonObject& document, JobPods& pods);
  void CreatePods(const ObjectName& key, const JsonObject& document, JobPods& pods, int64_t count);
  void DeletePods(const ObjectName& key, std::vector<const PodRecord*> pods, size_t count);
  void WriteStatus(const ObjectName& key, const JsonObject& document, const JobPods& pods,
                   const Outcome& outcome);

  std::unordered_map<std::string, Tally> tallies_;  // By the Job's uid.
  // Pods that it has deleted itself, which count for nothing.
  std::unordered_set<std::string> dropped_;
};

}  // namespace berth::world
