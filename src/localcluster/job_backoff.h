// JobBackoff says when a Job may replace failed pods: ten seconds after the last failure, twice as
// long for each further failure since the last success, and at most ten minutes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/time.h"
#include "localcluster/pod_index.h"

namespace berth::localcluster {

class JobBackoff {
 public:
  void Succeeded(Instant at);
  void Failed(Instant at);

  // Returns when the wait ends, which may be past; nullopt if nothing has failed.
  std::optional<Instant> due() const;

 private:
  std::optional<Instant> last_success_;
  std::vector<Instant> failures_;  // Sorted; the latest of them, as many as make a difference.
};

// The backoff of a Job, and with backoffLimitPerIndex that of each index.
struct JobBackoffs {
  JobBackoff job = {};
  std::map<int64_t, JobBackoff> indexes = {};

  // Adds a pod that has finished or was removed; `index` is its completion index, or -1.
  void Succeeded(const PodRecord& pod) { job.Succeeded(pod.ended); }
  void Failed(const PodRecord& pod, int64_t index);
  std::optional<Instant> IndexDue(int64_t index) const;
};

}  // namespace berth::localcluster
