#include "explain/explanation_summary.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "scheduler/engine/decision.h"

namespace berth::explain {
namespace {

using Rejection = ExplanationSummary::Rejection;
using Details = ExplanationSummary::Details;

// Adds `node` to a group, and to its examples while these are few.
template <typename Group>
void Join(Group& group, const std::string& node) {
  if (++group.count <= ExplanationSummary::kExamples) group.examples.push_back(node);
}

void AddMostFrequent(std::map<std::string, Details> by_text, Rejection& rejection) {
  for (auto& [text, details] : by_text) {
    details.text = text;
    rejection.details.push_back(std::move(details));
  }
  // Ties by the name of the first node.
  std::ranges::sort(rejection.details, [](const Details& a, const Details& b) {
    return a.count != b.count ? a.count > b.count : a.examples[0] < b.examples[0];
  });
  while (rejection.details.size() > ExplanationSummary::kSentences) {
    rejection.with_other_details += rejection.details.back().count;
    rejection.details.pop_back();
  }
}

std::vector<Rejection> GroupRejections(const scheduler::engine::Explanation& explanation) {
  struct Group {
    Rejection rejection;
    std::map<std::string, Details> details;  // By text.
  };
  // By plugin and reasons, without a copy of them for each node.
  using scheduler::framework::Verdict;
  const auto less = [](const Verdict* x, const Verdict* y) {
    return std::tie(x->plugin(), x->reasons()) < std::tie(y->plugin(), y->reasons());
  };
  std::map<const Verdict*, Group, decltype(less)> groups(less);
  for (const auto& [name, node] : explanation.nodes) {
    const Verdict& verdict = node.verdict;
    if (verdict.ok()) continue;
    auto& [rejection, details] = groups[&verdict];
    if (rejection.count == 0) {
      rejection.plugin = verdict.plugin();
      rejection.reasons = verdict.reasons();
    }
    rejection.code = scheduler::framework::ToString(verdict.code());
    Join(rejection, name);
    if (!node.details.empty()) Join(details[node.details], name);
  }
  std::vector<Rejection> result;
  for (auto& [key, group] : groups) {
    AddMostFrequent(std::move(group.details), group.rejection);
    result.push_back(std::move(group.rejection));
  }
  std::ranges::stable_sort(result, std::greater<>(), &Rejection::count);
  return result;
}

void SummarizeScores(const scheduler::engine::Explanation& explanation, const std::string& chosen,
                     ExplanationSummary& summary) {
  std::vector<std::pair<const std::string*, const scheduler::engine::Explanation::Node*>> feasible;
  for (const auto& [name, node] : explanation.nodes) {
    if (node.verdict.ok()) feasible.emplace_back(&name, &node);
  }
  summary.feasible = feasible.size();
  // Ties: the chosen node first, then by name.
  std::ranges::stable_sort(feasible, [&](const auto& a, const auto& b) {
    if (a.second->total != b.second->total) return a.second->total > b.second->total;
    return *a.first == chosen && *b.first != chosen;
  });
  auto score_of = [](const scheduler::engine::Explanation::Node& node, const std::string& plugin) {
    auto found = node.scores.find(plugin);
    return found == node.scores.end() ? 0 : found->second;
  };
  for (const std::string& plugin : explanation.scoring_plugins) {
    if (feasible.empty()) break;
    const int64_t first = score_of(*feasible.front().second, plugin);
    const bool equal = std::ranges::all_of(
        feasible, [&](const auto& node) { return score_of(*node.second, plugin) == first; });
    if (equal) summary.equal.emplace(plugin, first);
  }
  for (size_t i = 0; i < feasible.size(); ++i) {
    const auto& [name, node] = feasible[i];
    if (i >= ExplanationSummary::kTop && *name != chosen) continue;
    summary.scores.push_back({*name, node->total, node->scores, *name == chosen});
  }
}

void SummarizePreemption(const scheduler::engine::Explanation::Preemption& preemption,
                         ExplanationSummary& summary) {
  summary.preemption_tried = true;
  summary.preemption_eligible = preemption.eligible;
  summary.priority = preemption.priority;
  summary.candidate_count = preemption.candidates.size();
  for (const auto& [node, candidate] : preemption.candidates) {
    summary.candidates.push_back({node, candidate.victims, candidate.budget_violations,
                                  node == preemption.selected,
                                  scheduler::engine::WhyNotThere(preemption, node)});
  }
  std::ranges::stable_partition(summary.candidates, &ExplanationSummary::Candidate::chosen);
  if (summary.candidates.size() > ExplanationSummary::kTop) {
    summary.candidates.resize(ExplanationSummary::kTop);
  }
}

}  // namespace

ExplanationSummary Summarize(const scheduler::engine::Explanation& explanation,
                             const std::string& chosen, size_t cluster_size) {
  ExplanationSummary summary;
  summary.nodes = cluster_size;
  if (explanation.pre_filter.rejected() ||
      explanation.pre_filter.code() == scheduler::framework::Code::kError) {
    summary.pre_filter = explanation.pre_filter.Message();
    summary.pre_filter_plugin = explanation.pre_filter.plugin();
  }
  summary.rejections = GroupRejections(explanation);
  summary.plugins = explanation.scoring_plugins;
  SummarizeScores(explanation, chosen, summary);
  summary.why = scheduler::engine::WhyChosen(explanation, chosen);
  summary.nominated_node_fits = explanation.nominated_node_fits;
  if (explanation.preemption) SummarizePreemption(*explanation.preemption, summary);
  if (!explanation.fit_error.empty()) summary.post_filter = explanation.post_filter.reasons();
  return summary;
}

}  // namespace berth::explain
