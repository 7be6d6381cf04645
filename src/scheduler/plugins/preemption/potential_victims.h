// PotentialVictims lists, for pods of one priority, the pods of each node that preemption might
// evict, in the order in which it tries to reprieve them.
//
// All classes of that priority share it. It follows the log of changed rows and the disruption
// budgets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/framework/priority_view.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/resources.h"

namespace berth::scheduler::model {
class Cluster;
}

namespace berth::scheduler::plugins {

struct QuickRating {
  framework::VictimRating rating;
  // None of the victims of the highest priority has a start time: they count as starting now.
  bool no_start_time = false;
  bool exact = true;  // Otherwise the real rating may be higher.

  framework::VictimRating At(Instant now) const {
    return no_start_time ? rating.StartingAt(now) : rating;
  }
};

class PotentialVictims final : public framework::PriorityState {
 public:
  struct Victim {
    const model::ResourceVector* requests;
    int32_t priority;
    bool over_budget;              // Its eviction would exceed a disruption budget.
    std::optional<Instant> start;  // Absent if it has not started.
  };

  // Those of one node.
  struct List {
    std::vector<Victim> victims;
    bool has_none = false;  // No pod on the node has a lower priority.
    // What the node has less of without them, but with the rivals: the sum of their requests
    // without that of the rivals, and the number of pods.
    model::ResourceVector freed;
    int64_t freed_pods = 0;
    bool has_scalars = false;  // In what is freed.
    bool any_over_budget = false;
    // Whichever of them are evicted, their rating is not lower. Only if there are any.
    QuickRating lowest_rating{framework::VictimRating({})};
  };

  explicit PotentialVictims(int32_t priority) : priority_(priority) {}

  // Removes the lists of nodes that changed, or all if a disruption budget did.
  void Refresh(const model::Cluster& cluster);

  // Returns the potential victims on `node`: the list is empty also if they must be looked for anew
  // each time, since the order is not final, or the requests of pods are too large to be summed up.
  // `view` is that of the priority, up to date. Valid until Refresh.
  const List& On(const model::Cluster& cluster, const framework::PriorityView& view,
                 model::NodeRow node, Instant now);
  // The same for a node that On was called for since Refresh.
  const List& Known(model::NodeRow node) const { return lists_[node.index()]; }
  // The sums of the nodes whose lists were asked for, are not empty and have no scalars: without
  // the potential victims, with the rivals. For TrySwapSums.
  model::PodSums& sums_without_victims() { return sums_; }

 private:
  static void SumUp(List& list);
  void StoreSums(const model::Cluster& cluster, model::NodeRow node, const List& list);
  static void SubtractRivals(List& list, const framework::PriorityView::Rivals& rivals);

  const int32_t priority_;
  std::vector<List> lists_;  // By row.
  model::PodSums sums_;
  model::NodeMask known_;  // The rows whose lists are up to date.
  uint64_t position_ = 0;  // In the log of changed rows.
  uint64_t budgets_ = 0;   // Their version.
};

}  // namespace berth::scheduler::plugins
