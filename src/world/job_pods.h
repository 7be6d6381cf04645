// The pods of a Job, counted.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "world/controller.h"

namespace berth::world {

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
int64_t IndexOf(const PodRecord& pod);

JobPods CountJobPods(const PodIndex::Set& pods, const JobTally& gone, int64_t completions);

// "0-2,5"
std::string FormatIndexes(const std::set<int64_t>& indexes);
std::set<int64_t> ParseIndexes(std::string_view text);

}  // namespace berth::world
