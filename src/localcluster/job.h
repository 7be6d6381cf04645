// The pods of a Job, counted.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "localcluster/controller.h"

namespace berth::localcluster {

inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";

// What has become of pods that are gone.
struct JobTally {
  int64_t succeeded = 0;
  int64_t failed = 0;
  std::set<int64_t> indexes = {};  // Completed ones.
};

struct JobPods {
  std::vector<const PodRecord*> active = {};
  int64_t ready = 0;
  int64_t terminating = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t restarts = 0;
  std::set<int64_t> done_indexes = {};
  std::set<int64_t> active_indexes = {};
};

// -1 if the pod has none.
int64_t CompletionIndexOf(const PodRecord& pod);

JobPods CountJobPods(const PodIndex::Set& pods, const JobTally& gone, int64_t completions);

// "0-2,5"
std::string FormatIndexes(const std::set<int64_t>& indexes);
std::set<int64_t> ParseIndexes(std::string_view text);

// JobController runs Jobs: pods until enough have succeeded or too many have failed.
//
// What pods came to that are gone since is remembered by the controller; after a restart, by the
// Job's status. The finalizer by which Kubernetes counts pods is not used.
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

  // One that was running when it went has failed, like one that says so.
  void CountGone(const PodRecord& pod);
  Tally& TallyOf(const apiserver::store::Object& job, const JsonObject& document);
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

}  // namespace berth::localcluster
