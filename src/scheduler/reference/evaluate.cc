#include "scheduler/reference/evaluate.h"

#include <algorithm>

#include "scheduler/reference/filter_and_score.h"
#include "scheduler/reference/preemption.h"

namespace berth::scheduler::reference {
namespace {

// Filters every node that PreFilter left, and the nominated node.
void FilterNodes(const EvaluationInput& input, const Filtering& filtering,
                 const Filtering::Outcome& pre_filter, Evaluation& evaluation) {
  const std::string& nominated = input.pod.status.nominated_node_name;
  for (const auto& [key, node] : input.snapshot.nodes) {
    NodeEvaluation& node_evaluation = evaluation.nodes[key.name];
    node_evaluation.excluded_by_pre_filter =
        pre_filter.nodes && !pre_filter.nodes->contains(key.name);
    if (!node_evaluation.excluded_by_pre_filter || key.name == nominated) {
      node_evaluation.verdict = filtering.Filter(NodeState(input.snapshot, *node));
    }
    if (key.name == nominated) evaluation.nominated_node_fits = node_evaluation.verdict.ok();
    // An error on a nominated node that PreFilter excluded does not count.
    if (node_evaluation.excluded_by_pre_filter && !node_evaluation.verdict.rejected()) {
      node_evaluation.verdict =
          Unresolvable("node(s) didn't satisfy plugin(s) " + Bracketed(pre_filter.restricting));
    }
  }
}

// Returns the first error by text. Any node's error ends the search, unless the pod fits its
// nominated node.
std::string FirstError(const Evaluation& evaluation) {
  std::string first;
  for (const auto& [name, node_evaluation] : evaluation.nodes) {
    if (evaluation.nominated_node_fits || node_evaluation.verdict.code() != framework::Code::kError)
      continue;
    if (first.empty() || node_evaluation.verdict.Message() < first)
      first = node_evaluation.verdict.Message();
  }
  return first;
}

void NoteAllocations(const Filtering& filtering, Evaluation& evaluation) {
  for (const auto& [plugin, rule] : filtering.rules()) {
    if (rule->gave_up()) evaluation.gave_up = true;
    for (auto& [name, node_evaluation] : evaluation.nodes) {
      if (!node_evaluation.verdict.ok()) continue;
      auto allocations = rule->AllocationsOn(name);
      if (!allocations.empty()) node_evaluation.allocations = std::move(allocations);
    }
  }
}

void ScoreFeasible(const EvaluationInput& input, const Filtering& filtering,
                   Evaluation& evaluation) {
  std::vector<const api::Node*> feasible;
  for (const auto& [key, node] : input.snapshot.nodes) {
    if (evaluation.nodes[key.name].verdict.ok()) feasible.push_back(node.get());
  }
  if (feasible.empty()) return;
  auto scores = ScoreNodes(input, filtering.rules(), feasible);
  if (!scores) {
    // A single candidate is not scored, so its scoring cannot fail.
    const bool alone = feasible.size() == 1 || evaluation.nominated_node_fits;
    if (!alone) evaluation.error = std::move(scores.error().message);
    return;
  }
  for (auto& [name, by_plugin] : *scores) {
    NodeEvaluation& node_evaluation = evaluation.nodes[name];
    node_evaluation.scores = std::move(by_plugin);
    for (const auto& [plugin, score] : node_evaluation.scores) node_evaluation.total += score;
  }
}

void ChooseBest(const api::Pod& pod, Evaluation& evaluation) {
  if (evaluation.nominated_node_fits) {
    evaluation.best_nodes = {pod.status.nominated_node_name};
    return;
  }
  if (!evaluation.error.empty()) return;
  const NodeEvaluation* best = nullptr;
  for (const auto& [name, node_evaluation] : evaluation.nodes) {
    if (!node_evaluation.verdict.ok()) continue;
    if (best != nullptr && node_evaluation.total < best->total) continue;
    if (best != nullptr && node_evaluation.total > best->total) evaluation.best_nodes.clear();
    best = &node_evaluation;
    evaluation.best_nodes.push_back(name);
  }
}

// Runs the PostFilter plugins, in order.
void PostFilter(const EvaluationInput& input, const Filtering& filtering,
                const Filtering::Outcome& pre_filter, Evaluation& evaluation) {
  std::map<std::string, framework::Verdict> verdicts;
  for (const auto& [name, node_evaluation] : evaluation.nodes)
    verdicts[name] = node_evaluation.verdict;
  evaluation.preemption.emplace();
  std::vector<std::string> reasons;
  std::string first_plugin;
  for (const std::string& plugin : input.profile.post_filters) {
    framework::Verdict verdict;
    if (plugin == "DynamicResources") {
      // It requires the state of its PreFilter.
      verdict = pre_filter.ran.contains(plugin) ? filtering.rules().at(plugin)->PostFilter()
                                                : framework::Verdict::Error("not found");
    } else if (plugin == "DefaultPreemption") {
      auto outcome = Preempt(input, filtering, verdicts);
      verdict = std::move(outcome.verdict);
      evaluation.preemption = std::move(outcome.preemption);
    } else {
      continue;
    }
    if (!verdict.rejected()) {
      evaluation.post_filter = verdict.ok() ? framework::Verdict() : std::move(verdict).By(plugin);
      return;
    }
    reasons.insert(reasons.end(), verdict.reasons().begin(), verdict.reasons().end());
    if (first_plugin.empty()) first_plugin = plugin;
  }
  evaluation.post_filter =
      framework::Verdict(framework::Code::kUnschedulable, reasons).By(first_plugin);
}

std::string FitErrorBeforePostFilter(const Snapshot& snapshot, const Evaluation& evaluation) {
  if (!evaluation.pre_filter.ok())
    return FitErrorMessage(snapshot.nodes.size(), evaluation.pre_filter.Message());
  std::map<std::string, framework::Verdict> verdicts;
  for (const auto& [name, node_evaluation] : evaluation.nodes)
    verdicts[name] = node_evaluation.verdict;
  return FitErrorMessage(snapshot.nodes.size(), verdicts, {});
}

std::set<std::string> UnschedulablePlugins(const Filtering::Outcome& pre_filter,
                                           const Evaluation& evaluation) {
  std::set<std::string> plugins = pre_filter.restricting;
  plugins.insert(evaluation.pre_filter.plugin());
  for (const auto& [name, node_evaluation] : evaluation.nodes)
    plugins.insert(node_evaluation.verdict.plugin());
  plugins.erase("");
  return plugins;
}

}  // namespace

Evaluation Evaluate(const Snapshot& snapshot, const api::Pod& pod, const ReferenceProfile& profile,
                    Instant now) {
  Evaluation evaluation;
  if (snapshot.nodes.empty()) {
    evaluation.error = "no nodes available to schedule pods";
    return evaluation;
  }
  const EvaluationInput input{snapshot, pod, profile, now};
  Filtering filtering(input);
  const Filtering::Outcome pre_filter = filtering.PreFilter();
  evaluation.pre_filter = pre_filter.verdict;
  if (evaluation.pre_filter.code() == framework::Code::kError) {
    evaluation.error = evaluation.pre_filter.Message();
    return evaluation;
  }
  if (evaluation.pre_filter.ok()) {
    if (pre_filter.nodes)
      evaluation.restricted_to.emplace(pre_filter.nodes->begin(), pre_filter.nodes->end());
    FilterNodes(input, filtering, pre_filter, evaluation);
    NoteAllocations(filtering, evaluation);
    evaluation.error = FirstError(evaluation);
    if (evaluation.error.empty()) ScoreFeasible(input, filtering, evaluation);
    ChooseBest(pod, evaluation);
    if (!evaluation.error.empty() || !evaluation.best_nodes.empty()) return evaluation;
  }
  evaluation.fit_error_before_post_filter = FitErrorBeforePostFilter(snapshot, evaluation);
  evaluation.fit_error = evaluation.fit_error_before_post_filter;
  evaluation.unschedulable_plugins = UnschedulablePlugins(pre_filter, evaluation);
  PostFilter(input, filtering, pre_filter, evaluation);
  const std::string message = evaluation.post_filter.Message();
  if (!message.empty()) evaluation.fit_error += " " + message;
  return evaluation;
}

}  // namespace berth::scheduler::reference
