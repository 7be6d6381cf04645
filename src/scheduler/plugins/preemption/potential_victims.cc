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
    lists_.clear();
  } else {
    for (model::NodeRow row : changes.Since(position_)) {
      if (row.index() < lists_.size()) lists_[row.index()].known = false;
    }
  }
  lists_.resize(cluster.nodes().rows());
  position_ = changes.now();
  budgets_ = budgets;
}

std::span<const PotentialVictims::Victim> PotentialVictims::On(const model::Cluster& cluster,
                                                               model::NodeRow node, Instant now) {
  List& list = lists_[node.index()];
  if (list.known) return list.victims;
  list.victims.clear();
  if (!IsStartOrderFinal(cluster, node, now)) return {};
  list.known = true;
  if (!cluster.nodes().SumsAreSmall(node)) return {};
  const VictimsByBudget order =
      InOrderOfReprieve(cluster, LessImportantPods(cluster, node, priority_), now);
  for (const auto* group : {&order.over_budget, &order.others}) {
    for (model::PodId id : *group) {
      const model::PodRecord& pod = cluster.pod(id);
      list.victims.push_back({&cluster.class_of(pod).placed, pod.object->priority(),
                              group == &order.over_budget, pod.object->status.start_time});
    }
  }
  return list.victims;
}

}  // namespace berth::scheduler::plugins
