#include "plugins/victims.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/selector.h"

namespace berth {
namespace {

// DIFFERS: among equals the first by name; kube-scheduler leaves it to an unstable sort.
bool MoreImportant(const PodRecord& a, const PodRecord& b, Instant now) {
  if (a.object->priority() != b.object->priority())
    return a.object->priority() > b.object->priority();
  if (StartOf(a, now) != StartOf(b, now)) return StartOf(a, now) < StartOf(b, now);
  const api::ObjectMeta& one = a.object->metadata;
  const api::ObjectMeta& other = b.object->metadata;
  return std::tie(one.namespace_, one.name) < std::tie(other.namespace_, other.name);
}

// The disruption budgets of one namespace, and how many more evictions each bears.
class Budgets {
 public:
  Budgets(const Cluster& cluster, const std::string& namespace_) {
    const auto& all = cluster.objects<api::PodDisruptionBudget>().all();
    for (auto it = all.lower_bound({namespace_, ""});
         it != all.end() && it->first.namespace_ == namespace_; ++it) {
      auto selector = api::Selector::FromLabelSelector(it->second->selector);
      // A budget without conditions protects nothing.
      if (!selector || selector->empty() || selector->nothing()) continue;
      budgets_.push_back({it->second.get(), *std::move(selector), it->second->disruptions_allowed});
    }
  }

  // Takes the eviction of `pod` from every budget that covers it; true if one of them is overdrawn.
  bool Overdraws(const PodRecord& pod) {
    bool overdrawn = false;
    const api::ObjectMeta& meta = pod.object->metadata;
    if (meta.labels.empty()) return false;
    for (Budget& budget : budgets_) {
      if (!budget.selector.Matches(meta.labels) ||
          budget.object->disrupted_pods.contains(meta.name))
        continue;
      if (--budget.left < 0) overdrawn = true;
    }
    return overdrawn;
  }

 private:
  struct Budget {
    const api::PodDisruptionBudget* object;
    api::Selector selector;
    int64_t left;
  };
  std::vector<Budget> budgets_;
};

// One node, with its less important pods taken off until it is destroyed.
class Trial {
 public:
  Trial(Attempt& attempt, NodeRow node)
      : attempt_(attempt), node_(node), saved_(attempt.cycle().CloneStates()) {}

  ~Trial() {
    for (PodId id : off_) attempt_.cluster().TryAddPod(attempt_.cluster().pod(id), node_);
    attempt_.cycle().ReplaceStates(std::move(saved_));
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void Take(PodId id) {
    attempt_.TryRemove(attempt_.cluster().pod(id), node_);
    off_.push_back(id);
  }

  // Lets the pod back in if the preempting pod still fits then. Error only if a plugin fails.
  Verdict Reprieve(PodId id, bool& stays) {
    attempt_.TryAdd(attempt_.cluster().pod(id), node_);
    Verdict verdict = attempt_.FilterNode(node_);
    stays = verdict.ok();
    if (stays) {
      std::erase(off_, id);
    } else {
      attempt_.TryRemove(attempt_.cluster().pod(id), node_);
    }
    return verdict.ok() || verdict.rejected() ? Verdict() : verdict;
  }

 private:
  Attempt& attempt_;
  const NodeRow node_;
  CycleStates saved_;
  std::vector<PodId> off_;
};

std::vector<PodId> LessImportantPods(const Cluster& cluster, NodeRow node, int32_t priority) {
  std::vector<PodId> pods;
  for (PodId id : cluster.nodes().info(node).pods) {
    if (cluster.pod(id).object->priority() < priority) pods.push_back(id);
  }
  return pods;
}

// Separates the pods whose eviction would overdraw a budget; both parts keep their order.
void SplitByBudget(const Cluster& cluster, const std::vector<PodId>& pods,
                   std::vector<PodId>& violating, std::vector<PodId>& others) {
  std::map<std::string, Budgets> by_namespace;
  for (PodId id : pods) {
    const PodRecord& pod = cluster.pod(id);
    const std::string& namespace_ = pod.object->metadata.namespace_;
    auto budgets = by_namespace.find(namespace_);
    if (budgets == by_namespace.end()) {
      budgets = by_namespace.emplace(namespace_, Budgets(cluster, namespace_)).first;
    }
    (budgets->second.Overdraws(pod) ? violating : others).push_back(id);
  }
}

}  // namespace

Verdict SelectVictims(Attempt& attempt, NodeRow node, Instant now, PreemptionReport::Victims& out) {
  const Cluster& cluster = attempt.cluster();
  std::vector<PodId> potential =
      LessImportantPods(cluster, node, attempt.cycle().pod_class().priority);
  if (potential.empty()) {
    return {Code::kUnschedulableAndUnresolvable, "No preemption victims found for incoming pod"};
  }
  auto by_importance = [&](PodId a, PodId b) {
    return MoreImportant(cluster.pod(a), cluster.pod(b), now);
  };

  Trial trial(attempt, node);
  for (PodId id : potential) trial.Take(id);
  if (Verdict verdict = attempt.FilterNode(node); !verdict.ok()) return verdict;

  std::ranges::sort(potential, by_importance);
  std::vector<PodId> violating, others;
  SplitByBudget(cluster, potential, violating, others);
  out = {};
  for (const auto* group : {&violating, &others}) {
    for (PodId id : *group) {
      bool stays = false;
      if (Verdict error = trial.Reprieve(id, stays); !error.ok()) return error;
      if (stays) continue;
      out.pods.push_back(id);
      if (group != &violating) continue;
      ++out.budget_violations;
      out.over_budget.push_back(id);
    }
  }
  if (out.pods.empty()) {
    return Verdict::Error(
        fmt::format("expected at least one victim pod on node \"{}\"", cluster.nodes().name(node)));
  }
  if (!violating.empty() && !others.empty()) std::ranges::sort(out.pods, by_importance);
  return {};
}

std::vector<size_t> LowestRated(std::span<const VictimRating> ratings) {
  std::vector<size_t> lowest;
  for (size_t i = 0; i < ratings.size(); ++i) {
    if (!lowest.empty() && ratings[i] > ratings[lowest[0]]) continue;
    if (!lowest.empty() && ratings[i] < ratings[lowest[0]]) lowest.clear();
    lowest.push_back(i);
  }
  return lowest;
}

std::vector<size_t> BestCandidates(const Cluster& cluster,
                                   std::span<const PreemptionCandidate> candidates, Instant now) {
  std::vector<VictimRating> ratings;
  for (const PreemptionCandidate& candidate : candidates)
    ratings.emplace_back(cluster, candidate.victims, now);
  return LowestRated(ratings);
}

}  // namespace berth
