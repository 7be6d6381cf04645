#include "scheduler/plugins/preemption/victims.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "scheduler/model/cluster.h"
#include "scheduler/plugins/preemption/disruption_budgets.h"

namespace berth::scheduler::plugins {
namespace {

// DIFFERS: among equals the first by name; kube-scheduler leaves it to an unstable sort.
bool MoreImportant(const model::PodRecord& a, const model::PodRecord& b, Instant now) {
  if (a.object->priority() != b.object->priority())
    return a.object->priority() > b.object->priority();
  if (framework::StartOf(a, now) != framework::StartOf(b, now))
    return framework::StartOf(a, now) < framework::StartOf(b, now);
  const api::ObjectMeta& one = a.object->metadata;
  const api::ObjectMeta& other = b.object->metadata;
  return std::tie(one.namespace_, one.name) < std::tie(other.namespace_, other.name);
}

struct ByImportance {
  const model::Cluster& cluster;
  Instant now;

  bool operator()(model::PodId a, model::PodId b) const {
    return MoreImportant(cluster.pod(a), cluster.pod(b), now);
  }
};

// One node without its pods of lower priority, until this is destroyed.
class NodeWithoutVictims {
 public:
  NodeWithoutVictims(framework::Attempt& attempt, model::NodeRow node)
      : attempt_(attempt), node_(node), saved_(attempt.cycle().CloneStates()) {}

  ~NodeWithoutVictims() {
    for (model::PodId id : removed_)
      attempt_.cluster().TryAddPod(attempt_.cluster().pod(id), node_);
    attempt_.cycle().ReplaceStates(std::move(saved_));
  }
  NodeWithoutVictims(const NodeWithoutVictims&) = delete;
  NodeWithoutVictims& operator=(const NodeWithoutVictims&) = delete;

  void Remove(model::PodId id) {
    attempt_.TryRemove(attempt_.cluster().pod(id), node_);
    removed_.push_back(id);
  }

  // Reprieves the pod if the preemptor still fits then; returns whether it does. If a plugin fails,
  // it does not, as in kube-scheduler.
  bool Reprieve(model::PodId id) {
    attempt_.TryAdd(attempt_.cluster().pod(id), node_);
    const bool fits = attempt_.FilterNode(node_).ok();
    if (fits) {
      std::erase(removed_, id);
    } else {
      attempt_.TryRemove(attempt_.cluster().pod(id), node_);
    }
    return fits;
  }

 private:
  framework::Attempt& attempt_;
  const model::NodeRow node_;
  framework::CycleStates saved_;
  std::vector<model::PodId> removed_;
};

}  // namespace

std::vector<model::PodId> LessImportantPods(const model::Cluster& cluster, model::NodeRow node,
                                            int32_t priority) {
  std::vector<model::PodId> pods;
  for (model::PodId id : cluster.nodes().info(node).pods) {
    if (cluster.pod(id).object->priority() < priority) pods.push_back(id);
  }
  return pods;
}

bool IsStartOrderFinal(const model::Cluster& cluster, model::NodeRow node, Instant now) {
  return std::ranges::all_of(cluster.nodes().info(node).pods, [&](model::PodId id) {
    const auto& start = cluster.pod(id).object->status.start_time;
    return !start || *start < now;
  });
}

VictimsByBudget InOrderOfReprieve(const model::Cluster& cluster, std::vector<model::PodId> pods,
                                  Instant now) {
  std::ranges::sort(pods, ByImportance{cluster, now});
  VictimsByBudget order;
  DisruptionBudgets budgets(cluster);
  for (model::PodId id : pods)
    (budgets.Overdraws(cluster.pod(id)) ? order.over_budget : order.others).push_back(id);
  return order;
}

framework::Verdict NoVictims() {
  return {framework::Code::kUnschedulableAndUnresolvable,
          "No preemption victims found for incoming pod"};
}

framework::Verdict SelectVictimsOnNode(framework::Attempt& attempt, model::NodeRow node,
                                       Instant now, framework::Victims& out) {
  const model::Cluster& cluster = attempt.cluster();
  const std::vector<model::PodId> potential =
      LessImportantPods(cluster, node, attempt.cycle().pod_class().priority);
  if (potential.empty()) return NoVictims();
  NodeWithoutVictims node_without_victims(attempt, node);
  for (model::PodId id : potential) node_without_victims.Remove(id);
  if (framework::Verdict verdict = attempt.FilterNode(node); !verdict.ok()) return verdict;

  const VictimsByBudget order = InOrderOfReprieve(cluster, potential, now);
  out = {};
  for (const auto* group : {&order.over_budget, &order.others}) {
    for (model::PodId id : *group) {
      if (node_without_victims.Reprieve(id)) continue;
      out.pods.push_back(id);
      if (group != &order.over_budget) continue;
      ++out.budget_violations;
      out.over_budget.push_back(id);
    }
  }
  if (out.pods.empty()) {
    return framework::Verdict::Error(
        fmt::format("expected at least one victim pod on node \"{}\"", cluster.nodes().name(node)));
  }
  if (!order.over_budget.empty() && !order.others.empty())
    std::ranges::sort(out.pods, ByImportance{cluster, now});
  return {};
}

std::vector<size_t> IndicesOfMinimum(std::span<const framework::VictimRating> ratings) {
  std::vector<size_t> lowest;
  for (size_t i = 0; i < ratings.size(); ++i) {
    if (!lowest.empty() && ratings[i] > ratings[lowest[0]]) continue;
    if (!lowest.empty() && ratings[i] < ratings[lowest[0]]) lowest.clear();
    lowest.push_back(i);
  }
  return lowest;
}

std::vector<size_t> BestCandidates(const model::Cluster& cluster,
                                   std::span<const framework::PreemptionCandidate> candidates,
                                   Instant now) {
  std::vector<framework::VictimRating> ratings;
  for (const framework::PreemptionCandidate& candidate : candidates)
    ratings.emplace_back(cluster, candidate.victims, now);
  return IndicesOfMinimum(ratings);
}

}  // namespace berth::scheduler::plugins
