#include "scheduler/plugins/preemption/potential_victims.h"

#include <algorithm>

#include "api/workloads.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/plugins/preemption/victims.h"

namespace berth::scheduler::plugins {

void PotentialVictims::Refresh(const model::Cluster& cluster) {
  const model::RowChanges& changes = cluster.nodes().changes();
  const uint64_t budgets = cluster.objects<api::PodDisruptionBudget>().version();
  if (budgets != budgets_ || !changes.Covers(position_)) {
    known_.ClearAll();
  } else {
    for (model::NodeRow row : changes.Since(position_)) {
      if (row.index() < known_.size()) known_.Clear(row.index());
    }
  }
  lists_.resize(cluster.nodes().rows());
  known_.Resize(cluster.nodes().rows());
  position_ = changes.now();
  budgets_ = budgets;
}

const PotentialVictims::List& PotentialVictims::On(const model::Cluster& cluster,
                                                   model::NodeRow node, Instant now) {
  List& list = lists_[node.index()];
  if (known_.Test(node.index())) return list;
  list.victims.clear();
  if (!IsStartOrderFinal(cluster, node, now)) return list;
  known_.Set(node.index());
  if (!cluster.nodes().SumsAreSmall(node)) return list;
  const VictimsByBudget order =
      InOrderOfReprieve(cluster, LessImportantPods(cluster, node, priority_), now);
  for (const auto* group : {&order.over_budget, &order.others}) {
    for (model::PodId id : *group) {
      const model::PodRecord& pod = cluster.pod(id);
      list.victims.push_back({&cluster.class_of(pod).placed, pod.object->priority(),
                              group == &order.over_budget, pod.object->status.start_time});
    }
  }
  if (!list.victims.empty()) SumUp(list);
  return list;
}

void PotentialVictims::SumUp(List& list) {
  list.requests = {};
  list.any_over_budget = false;
  framework::VictimRating::Values lowest;
  lowest.highest_priority = list.victims.front().priority;
  lowest.victims = 1;
  bool no_start_time = false;
  for (const Victim& victim : list.victims) {
    list.requests.Add(*victim.requests);
    list.any_over_budget |= victim.over_budget;
    lowest.highest_priority = std::min(lowest.highest_priority, victim.priority);
    if (victim.start)
      lowest.earliest_start = std::max(lowest.earliest_start, *victim.start);
    else
      no_start_time = true;
  }
  lowest.priority_sum = framework::VictimRating::CountedPriority(lowest.highest_priority);
  list.lowest_rating = {framework::VictimRating(lowest), no_start_time, /*exact=*/false};
}

}  // namespace berth::scheduler::plugins
