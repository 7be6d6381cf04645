// PotentialVictims lists, for pods of one priority, the pods of each node that preemption might
// evict, in the order in which it tries to reprieve them.
//
// All classes of that priority share it. It follows the log of changed rows and the disruption
// budgets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "scheduler/framework/priority_view.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::model {
class Cluster;
struct ResourceVector;
}  // namespace berth::scheduler::model

namespace berth::scheduler::plugins {

class PotentialVictims final : public framework::PriorityState {
 public:
  struct Victim {
    const model::ResourceVector* requests;
    int32_t priority;
    bool over_budget;              // Its eviction would exceed a disruption budget.
    std::optional<Instant> start;  // Absent if it has not started.
  };

  explicit PotentialVictims(int32_t priority) : priority_(priority) {}

  // Removes the lists of nodes that changed, or all if a disruption budget did.
  void Refresh(const model::Cluster& cluster);

  // Returns the potential victims on `node`: none also if they must be looked for anew each time,
  // since the order is not final or their requests are too large to be summed up. Valid until
  // Refresh.
  std::span<const Victim> On(const model::Cluster& cluster, model::NodeRow node, Instant now);

 private:
  struct List {
    bool known = false;
    std::vector<Victim> victims;
  };

  const int32_t priority_;
  std::vector<List> lists_;  // By row.
  uint64_t position_ = 0;    // In the log of changed rows.
  uint64_t budgets_ = 0;     // Their version.
};

}  // namespace berth::scheduler::plugins
