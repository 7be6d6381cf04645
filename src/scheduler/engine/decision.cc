#include "scheduler/engine/decision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "api/timestamp.h"

namespace berth::scheduler::engine {
namespace {

using Node = Explanation::Node;
using Candidate = Explanation::Preemption::Candidate;

int64_t ScoreOf(const Node& node, const std::string& plugin) {
  const auto found = node.scores.find(plugin);
  return found == node.scores.end() ? 0 : found->second;
}

// "NodeResourcesFit +7, TaintToleration -2": the differences, largest first.
std::string Differences(const Explanation& explanation, const Node& winner, const Node& other) {
  std::vector<std::pair<int64_t, std::string>> differences;
  for (const std::string& plugin : explanation.scoring_plugins) {
    const int64_t difference = ScoreOf(winner, plugin) - ScoreOf(other, plugin);
    if (difference != 0) differences.emplace_back(difference, plugin);
  }
  std::ranges::stable_sort(differences, std::greater<>(),
                           [](const auto& difference) { return std::abs(difference.first); });
  std::vector<std::string> texts;
  for (const auto& [difference, plugin] : differences) {
    texts.push_back(fmt::format("{} {:+}", plugin, difference));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

int64_t PrioritySum(const Candidate& candidate) {
  int64_t sum = 0;
  for (const auto& victim : candidate.victims) sum += victim.priority;
  return sum;
}

std::string WhyFewer(const Candidate& other, const Candidate& best, const std::string& name) {
  return fmt::format("needs {} victims, {} only {}", other.victims.size(), name,
                     best.victims.size());
}

}  // namespace

std::string WhyChosen(const Explanation& explanation, const std::string& chosen) {
  const auto winner = explanation.nodes.find(chosen);
  if (winner == explanation.nodes.end()) return "";
  if (explanation.nominated_node_fits) {
    return "is the nominated node, which is evaluated first";
  }
  if (!winner->second.verdict.ok()) return "";
  const std::pair<const std::string, Node>* next = nullptr;
  size_t equal = 0;
  for (const auto& node : explanation.nodes) {
    if (!node.second.verdict.ok() || node.first == chosen) continue;
    if (node.second.total == winner->second.total) ++equal;
    if (next == nullptr || node.second.total > next->second.total) next = &node;
  }
  if (next == nullptr) return "is the only node that fits";
  if (explanation.scoring_plugins.empty()) return "";
  if (equal > 0) {
    return fmt::format("scores {}, equal to {}{}; equals take turns", winner->second.total,
                       next->first, equal == 1 ? "" : fmt::format(" and {} more", equal - 1));
  }
  return fmt::format("scores {}, {} more than {}, the next best: {}", winner->second.total,
                     winner->second.total - next->second.total, next->first,
                     Differences(explanation, winner->second, next->second));
}

std::string WhyNot(const Explanation& explanation, const std::string& node) {
  const auto found = explanation.nodes.find(node);
  if (found == explanation.nodes.end()) {
    return explanation.pre_filter.rejected() ? explanation.pre_filter.Message()
                                             : "is not a node of this cluster";
  }
  const Node& other = found->second;
  if (other.excluded_by_pre_filter) return "was excluded by PreFilter";
  if (!other.verdict.ok()) {
    return fmt::format("{}: {}", other.verdict.plugin(), other.verdict.Message());
  }
  if (explanation.best_nodes.empty() ||
      (std::ranges::find(explanation.best_nodes, node) != explanation.best_nodes.end())) {
    return "";
  }
  const std::string& best = explanation.best_nodes.front();
  const Node& winner = explanation.nodes.at(best);
  return fmt::format("scores {}, {} less than {}: {}", other.total, winner.total - other.total,
                     best, Differences(explanation, other, winner));
}

std::string WhyNotThere(const Explanation::Preemption& preemption, const std::string& node) {
  const std::string& name = preemption.selected;
  const auto selected = preemption.candidates.find(name);
  const auto found = preemption.candidates.find(node);
  if (selected == preemption.candidates.end() || found == preemption.candidates.end() ||
      selected == found) {
    return "";
  }
  const Candidate& best = selected->second;
  const Candidate& other = found->second;
  switch (other.lost_by) {
    case framework::VictimCriterion::kBudgetViolations:
      return fmt::format(
          "violates PodDisruptionBudgets for {}, {} for {}",
          other.budget_violations == 1 ? "1 victim"
                                       : fmt::format("{} victims", other.budget_violations),
          name, best.budget_violations == 0 ? "none" : fmt::format("{}", best.budget_violations));
    case framework::VictimCriterion::kHighestPriority:
      return fmt::format("its highest-priority victim has priority {}, that of {} only {}",
                         other.victims.front().priority, name, best.victims.front().priority);
    case framework::VictimCriterion::kPrioritySum:
      // Priorities are summed from the lowest possible: the sum grows with every victim.
      if (PrioritySum(other) <= PrioritySum(best)) return WhyFewer(other, best, name);
      return fmt::format("the priorities of its victims sum up to {}, those of {} only to {}",
                         PrioritySum(other), name, PrioritySum(best));
    case framework::VictimCriterion::kVictimCount:
      return WhyFewer(other, best, name);
    case framework::VictimCriterion::kStartTime:
      return fmt::format("its highest-priority victim has run since {}, that of {} only since {}",
                         api::FormatTimestamp(other.started), name,
                         api::FormatTimestamp(best.started));
    case framework::VictimCriterion::kNone:
      break;
  }
  return fmt::format("equal to {}, which is first in node order", name);
}

}  // namespace berth::scheduler::engine
