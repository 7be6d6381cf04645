#include "scheduler/plugins/preemption/potential_victims.h"

#include <algorithm>
#include <utility>

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
  for (auto* sums : {&sums_.cpu, &sums_.memory, &sums_.ephemeral_storage, &sums_.pods})
    sums->resize(cluster.nodes().rows());
  lists_.resize(cluster.nodes().rows());
  known_.Resize(cluster.nodes().rows());
  position_ = changes.now();
  budgets_ = budgets;
}

const PotentialVictims::List& PotentialVictims::On(const model::Cluster& cluster,
                                                   const framework::PriorityView& view,
                                                   model::NodeRow node, Instant now) {
  List& list = lists_[node.index()];
  if (known_.Test(node.index())) return list;
  list.victims.clear();
  std::vector<model::PodId> pods = LessImportantPods(cluster, node, priority_);
  list.has_none = pods.empty();
  if (!list.has_none && !IsStartOrderFinal(cluster, node, now)) return list;
  known_.Set(node.index());
  if (list.has_none) return list;
  const bool contested = view.contested().Test(node.index());
  if (!cluster.nodes().SumsAreSmall(node) || (contested && !view.rivals(node).are_small))
    return list;
  const VictimsByBudget order = InOrderOfReprieve(cluster, std::move(pods), now);
  for (const auto* group : {&order.over_budget, &order.others}) {
    for (model::PodId id : *group) {
      const model::PodRecord& pod = cluster.pod(id);
      list.victims.push_back({&cluster.class_of(pod).placed, pod.object->priority(),
                              group == &order.over_budget, pod.object->status.start_time});
    }
  }
  SumUp(list);
  if (contested) SubtractRivals(list, view.rivals(node));
  list.has_scalars = !list.freed.scalars.empty();
  if (!list.has_scalars) StoreSums(cluster, node, list);
  return list;
}

void PotentialVictims::StoreSums(const model::Cluster& cluster, model::NodeRow node,
                                 const List& list) {
  const model::NodeColumns& columns = cluster.nodes().columns();
  const size_t row = node.index();
  sums_.cpu[row] = columns.requested_cpu[row] - list.freed.milli_cpu;
  sums_.memory[row] = columns.requested_memory[row] - list.freed.memory;
  sums_.ephemeral_storage[row] = columns.requested_ephemeral[row] - list.freed.ephemeral_storage;
  sums_.pods[row] = columns.pod_count[row] - list.freed_pods;
}

void PotentialVictims::SumUp(List& list) {
  list.freed = {};
  list.freed_pods = static_cast<int64_t>(list.victims.size());
  list.any_over_budget = false;
  framework::VictimRating::Values lowest;
  lowest.highest_priority = list.victims.front().priority;
  lowest.victims = 1;
  bool no_start_time = false;
  for (const Victim& victim : list.victims) {
    list.freed.Add(*victim.requests);
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

void PotentialVictims::SubtractRivals(List& list, const framework::PriorityView::Rivals& rivals) {
  list.freed_pods -= rivals.pods;
  list.freed.milli_cpu -= rivals.requests.milli_cpu;
  list.freed.memory -= rivals.requests.memory;
  list.freed.ephemeral_storage -= rivals.requests.ephemeral_storage;
  for (const model::ResourceVector::Scalar& scalar : rivals.requests.scalars) {
    const auto found =
        std::ranges::find(list.freed.scalars, scalar.id, &model::ResourceVector::Scalar::id);
    if (found != list.freed.scalars.end()) {
      found->amount -= scalar.amount;
    } else {
      list.freed.scalars.push_back({scalar.id, -scalar.amount});
    }
  }
}

}  // namespace berth::scheduler::plugins
