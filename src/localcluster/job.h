// JobController runs Jobs: it creates pods until enough have succeeded or too many have failed.
// JobPods is the count of a Job's pods.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "localcluster/controller.h"
#include "localcluster/job_backoff.h"
#include "localcluster/job_policy.h"
#include "localcluster/pod_adoption.h"

namespace berth::localcluster {

inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";

// The outcomes of pods that no longer exist.
struct JobTally {
  int64_t succeeded = 0;
  JobFailures failures = {};
  JobBackoffs backoffs = {};
  std::set<int64_t> indexes = {};  // Completed indexes.
};

// The pods of a Job by state, including those that no longer exist.
struct JobPods {
  std::vector<const PodRecord*> active = {};
  int64_t ready = 0;
  int64_t terminating = 0;
  int64_t succeeded = 0;
  JobFailures failures = {};
  JobBackoffs backoffs = {};
  int64_t restarts = 0;
  std::set<int64_t> done_indexes = {};
  std::set<int64_t> failed_indexes = {};  // Not tried again.
  std::set<int64_t> active_indexes = {};
};

// Returns the pod's completion index, or -1 if it has none.
int64_t CompletionIndexOf(const PodRecord& pod);

// Counts the pods of a Job with that spec and adds `removed`. Indexes of spec.completions and above
// do not count.
JobPods CountJobPods(const PodIndex::Set& pods, const JobTally& removed, const JsonObject* spec);

// Format and parse completedIndexes, such as "0-2,5".
std::string FormatIndexes(const std::set<int64_t>& indexes);
std::set<int64_t> ParseIndexes(std::string_view text);

// The outcomes of pods that no longer exist are counted in memory and, after a restart, taken from
// the Job's status. The tracking finalizer of Kubernetes is not used.
class JobController final : public Controller {
 public:
  explicit JobController(Context& context) : Controller("jobs", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& job) override;
  size_t index_size() const override {
    return tallies_.size() + deleted_.size() + adoption_.size();
  }

 private:
  struct Tally {
    JobTally removed = {};
    bool adjusted = false;  // To the Job's status, when it was first synced.
  };
  struct Outcome {
    std::string_view type = {};  // "Complete", "Failed" or, while it runs, "".
    std::string_view reason = {};
    std::string message = {};
  };

  // Counts a pod that was removed. One that was running counts as failed.
  void CountRemoved(const PodRecord& pod);
  Tally& TallyOf(const apiserver::store::Object& job, const JsonObject& document);
  void ExpireFinished(const ObjectName& key, const JsonObject& document);
  // Decides whether the Job is complete or failed; queues it at its deadline otherwise.
  Outcome CheckFinished(const ObjectName& key, const JsonObject& document, const JobPods& pods);
  // Creates or deletes pods up to the parallelism.
  void Scale(const ObjectName& key, const JsonObject& document, JobPods& pods);
  void CreatePods(const ObjectName& key, const JsonObject& document, JobPods& pods, int64_t count);
  void DeletePods(const ObjectName& key, const JsonObject& document,
                  std::vector<const PodRecord*> pods, size_t count);
  void Record(const JsonObject& document, EventType type, std::string_view reason,
              std::string message);
  void WriteStatus(const ObjectName& key, const JsonObject& document, const JobPods& pods,
                   const Outcome& outcome);

  PodAdoption adoption_{Jobs()};
  std::unordered_map<std::string, Tally> tallies_;  // By the Job's uid.
  // Pods that the controller deleted itself, which count neither as succeeded nor as failed.
  std::unordered_set<std::string> deleted_;
};

}  // namespace berth::localcluster
