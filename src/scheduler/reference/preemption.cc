#include "scheduler/reference/preemption.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <tuple>

#include "api/selector.h"
#include "base/check.h"
#include "scheduler/reference/filter_and_score.h"

namespace berth::scheduler::reference {
namespace {

using Pods = std::vector<api::Ref<api::Pod>>;

// Reports whether the pod is terminating because the scheduler preempted it.
bool IsBeingPreempted(const api::Pod& pod) {
  if (!pod.metadata.deletion_timestamp) return false;
  const auto& conditions = pod.status.conditions;
  const auto found = std::ranges::find(conditions, "DisruptionTarget", &api::PodCondition::type);
  return found != conditions.end() && found->status == "True" &&
         found->reason == "PreemptionByScheduler";
}

Instant StartOf(const api::Pod& pod, Instant now) { return pod.status.start_time.value_or(now); }

// kube-scheduler does not define the order of equals; here it is by name.
void SortByImportance(Pods& pods, Instant now) {
  std::ranges::sort(pods, [&](const auto& a, const auto& b) {
    if (a->priority() != b->priority()) return a->priority() > b->priority();
    if (StartOf(*a, now) != StartOf(*b, now)) return StartOf(*a, now) < StartOf(*b, now);
    return std::tie(a->metadata.namespace_, a->metadata.name) <
           std::tie(b->metadata.namespace_, b->metadata.name);
  });
}

bool Covers(const api::PodDisruptionBudget& budget, const api::Pod& pod) {
  if (pod.metadata.labels.empty()) return false;
  if (budget.metadata.namespace_ != pod.metadata.namespace_) return false;
  const auto selector = api::Selector::FromLabelSelector(budget.selector);
  if (!selector || selector->empty() || !selector->Matches(pod.metadata.labels)) return false;
  return !budget.disrupted_pods.contains(pod.metadata.name);
}

// Returns the pods whose eviction, in this order, violates a budget, and the others.
std::pair<Pods, Pods> SplitByBudgets(const Snapshot& snapshot, const Pods& pods) {
  std::map<api::ObjectKey, int64_t> allowed;
  for (const auto& [key, budget] : snapshot.budgets) allowed[key] = budget->disruptions_allowed;
  Pods violating;
  Pods others;
  for (const auto& pod : pods) {
    bool violates = false;
    for (const auto& [key, budget] : snapshot.budgets) {
      if (Covers(*budget, *pod) && --allowed[key] < 0) violates = true;
    }
    (violates ? violating : others).push_back(pod);
  }
  return {violating, others};
}

struct Victims {
  Pods pods;  // Most important first.
  int pdb_violations = 0;
};

// Removes all pods of lower priority, then reprieves as many as possible, one by one.
std::expected<Victims, framework::Verdict> SelectVictimsOnNode(const EvaluationInput& input,
                                                               const Filtering& filtering,
                                                               const api::Node& node) {
  NodeState node_state(input.snapshot, node);
  Pods potential = node_state.pods();
  std::erase_if(potential,
                [&](const auto& pod) { return pod->priority() >= input.pod.priority(); });
  if (potential.empty()) {
    return std::unexpected(Unresolvable("No preemption victims found for incoming pod"));
  }
  for (const auto& pod : potential) node_state.Remove(pod);
  if (framework::Verdict verdict = filtering.Filter(node_state); !verdict.ok())
    return std::unexpected(verdict);

  SortByImportance(potential, input.now);
  const auto [violating, others] = SplitByBudgets(input.snapshot, potential);
  Victims victims;
  const auto reprieve = [&](const api::Ref<api::Pod>& pod) {
    node_state.Add(pod);
    if (filtering.Filter(node_state).ok()) return true;
    node_state.Remove(pod);
    victims.pods.push_back(pod);
    return false;
  };
  for (const auto& pod : violating) victims.pdb_violations += reprieve(pod) ? 0 : 1;
  for (const auto& pod : others) reprieve(pod);
  SortByImportance(victims.pods, input.now);
  if (victims.pods.empty()) {
    return std::unexpected(framework::Verdict::Error("expected at least one victim pod on node \"" +
                                                     node.metadata.name + "\""));
  }
  return victims;
}

// Lower is better, compared lexicographically.
auto Cost(const Victims& victims, Instant now) {
  const Pods& pods = victims.pods;
  constexpr int64_t kAboveZero = int64_t{1} << 31;  // Makes every priority count as a loss.
  const int32_t highest = pods[0]->priority();
  int64_t sum = 0;
  Instant earliest = StartOf(*pods[0], now);
  for (const auto& pod : pods) {
    sum += pod->priority() + kAboveZero;
    if (pod->priority() == highest) earliest = std::min(earliest, StartOf(*pod, now));
  }
  return std::tuple(victims.pdb_violations, highest, sum, pods.size(), -earliest.nanos);
}

std::vector<std::string> PickBest(const std::map<std::string, Victims>& candidates, Instant now) {
  std::vector<std::string> best;
  for (const auto& [node, victims] : candidates) {
    if (!best.empty()) {
      const auto best_cost = Cost(candidates.at(best[0]), now);
      if (best_cost < Cost(victims, now)) continue;
      if (Cost(victims, now) < best_cost) best.clear();
    }
    best.push_back(node);
  }
  return best;
}

Candidate ToCandidate(const Victims& victims) {
  Candidate candidate;
  candidate.pdb_violations = victims.pdb_violations;
  for (const auto& pod : victims.pods) {
    candidate.victims.push_back({pod->metadata.namespace_, pod->metadata.name});
  }
  return candidate;
}

// Returns why the pod may not preempt others; "" if it may.
std::string WhyNotEligible(const EvaluationInput& input,
                           const std::map<std::string, framework::Verdict>& verdicts) {
  const api::Pod& pod = input.pod;
  if (pod.spec.preemption_policy == "Never") return "not eligible due to preemptionPolicy=Never.";
  const std::string& nominated = pod.status.nominated_node_name;
  if (Find(input.snapshot.nodes, nominated) == nullptr) return "";
  const auto verdict = verdicts.find(nominated);
  if (verdict == verdicts.end() ||
      verdict->second.code() == framework::Code::kUnschedulableAndUnresolvable) {
    return "";
  }
  for (const auto& [key, other] : input.snapshot.PodsOn(nominated)) {
    if (other->priority() < pod.priority() && IsBeingPreempted(*other)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return "";
}

std::string NoCandidates(const EvaluationInput& input,
                         const std::map<std::string, framework::Verdict>& tried) {
  return FitErrorMessage(input.snapshot.nodes.size(), tried,
                         {"Preemption is not helpful for scheduling"});
}

}  // namespace

size_t WantedCandidates(const framework::DefaultPreemptionArgs& args, size_t potential) {
  const size_t share = potential * static_cast<size_t>(args.min_candidate_nodes_percentage) / 100;
  const size_t wanted = std::max(share, static_cast<size_t>(args.min_candidate_nodes_absolute));
  return std::min(wanted, potential);
}

PreemptionOutcome Preempt(const EvaluationInput& input, const Filtering& filtering,
                          const std::map<std::string, framework::Verdict>& verdicts) {
  PreemptionOutcome outcome;
  if (std::string why = WhyNotEligible(input, verdicts); !why.empty()) {
    outcome.preemption.eligible = false;
    outcome.verdict = Unschedulable("preemption: " + why);
    return outcome;
  }
  std::map<std::string, Victims> found;
  std::vector<std::string> errors;
  for (const auto& [name, verdict] : verdicts) {
    if (verdict.code() != framework::Code::kUnschedulable) continue;
    const api::Node* node = Find(input.snapshot.nodes, name);
    CHECK(node != nullptr);
    auto victims = SelectVictimsOnNode(input, filtering, *node);
    if (victims) {
      outcome.preemption.candidates[name] = ToCandidate(*victims);
      found[name] = *std::move(victims);
    } else {
      if (victims.error().code() == framework::Code::kError)
        errors.push_back(victims.error().Message());
      outcome.preemption.rejected[name] = std::move(victims.error());
    }
  }
  outcome.preemption.equally_good = PickBest(found, input.now);
  if (!found.empty()) return outcome;
  outcome.verdict =
      errors.empty()
          ? Unschedulable("preemption: " + NoCandidates(input, outcome.preemption.rejected))
          : framework::Verdict::Error("preemption: " + JoinErrors(errors));
  return outcome;
}

}  // namespace berth::scheduler::reference
