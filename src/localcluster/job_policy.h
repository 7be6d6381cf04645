// What a Job's policies say: podFailurePolicy about a failed pod, backoffLimitPerIndex and
// maxFailedIndexes about the indexes, successPolicy about the Job.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/json/json.h"
#include "localcluster/pod_index.h"

namespace berth::localcluster {

// The failures of a Job's pods.
struct JobFailures {
  int64_t counted = 0;                       // Without those that are to be ignored.
  std::map<int64_t, int64_t> by_index = {};  // Counted ones.
  std::map<int64_t, int64_t> ignored_by_index = {};
  std::set<int64_t> failed_indexes = {};  // Those that a pod's failure has ended.
  std::string fails_job = {};             // Why a pod's failure ends the Job, or "".

  // Adds the failure of a pod with that index, or -1, as the policy in the Job's spec says.
  void Add(const api::JsonObject* spec, const PodRecord& pod, int64_t index);
};

// Returns the indexes that are not tried again, because of the failures or of the limit.
std::set<int64_t> FailedIndexes(const api::JsonObject* spec, const JobFailures& failures);

// Returns which rule of the success policy holds, in the words of the condition; nullopt if none.
std::optional<std::string> MetSuccessRule(const api::JsonObject* spec,
                                          const std::set<int64_t>& succeeded);

}  // namespace berth::localcluster
