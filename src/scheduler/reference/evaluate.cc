#include "scheduler/reference/evaluate.h"

#include <algorithm>

#include "scheduler/reference/filter_and_score.h"
#include "scheduler/reference/preemption.h"

namespace berth::scheduler::reference {
namespace {

// Tries every node that PreFilter left, or that the pod is nominated to.
void FilterNodes(const EvaluationInput& input, const Filtering& filtering,
                 const Filtering::Outcome& pre_filter, Evaluation& answer) {
  const std::string& nominated = input.pod.status.nominated_node_name;
  for (const auto& [key, node] : input.world.nodes) {
    NodeEvaluation& at = answer.nodes[key.name];
    at.excluded_by_pre_filter = pre_filter.nodes && !pre_filter.nodes->contains(key.name);
    if (!at.excluded_by_pre_filter || key.name == nominated) {
      at.verdict = filtering.Filter(NodeState(input.world, *node));
    }
    if (key.name == nominated) answer.nominated_node_fits = at.verdict.ok();
    // What goes wrong on the nominated node alone is of no account.
    if (at.excluded_by_pre_filter && !at.verdict.rejected()) {
      at.verdict =
          Unresolvable("node(s) didn't satisfy plugin(s) " + Bracketed(pre_filter.restricting));
    }
  }
}

// Any node's error ends the search, unless the pod has its nominated node already.
std::string FirstError(const Evaluation& answer) {
  std::string first;
  for (const auto& [name, at] : answer.nodes) {
    if (answer.nominated_node_fits || at.verdict.code() != framework::Code::kError) continue;
    if (first.empty() || at.verdict.Message() < first) first = at.verdict.Message();
  }
  return first;
}

void ScoreFeasible(const EvaluationInput& input, const Filtering& filtering, Evaluation& answer) {
  std::vector<const api::Node*> feasible;
  for (const auto& [key, node] : input.world.nodes) {
    if (answer.nodes[key.name].verdict.ok()) feasible.push_back(node.get());
  }
  if (feasible.empty()) return;
  auto scores = ScoreNodes(input, filtering.rules(), feasible);
  if (!scores) {
    // A lone candidate is not scored, so that scoring cannot fail.
    const bool alone = feasible.size() == 1 || answer.nominated_node_fits;
    if (!alone) answer.error = std::move(scores.error().message);
    return;
  }
  for (auto& [name, by_plugin] : *scores) {
    NodeEvaluation& at = answer.nodes[name];
    at.scores = std::move(by_plugin);
    for (const auto& [plugin, score] : at.scores) at.total += score;
  }
}

void ChooseBest(const api::Pod& pod, Evaluation& answer) {
  if (answer.nominated_node_fits) {
    answer.best_nodes = {pod.status.nominated_node_name};
    return;
  }
  if (!answer.error.empty()) return;
  const NodeEvaluation* best = nullptr;
  for (const auto& [name, at] : answer.nodes) {
    if (!at.verdict.ok()) continue;
    if (best != nullptr && at.total < best->total) continue;
    if (best != nullptr && at.total > best->total) answer.best_nodes.clear();
    best = &at;
    answer.best_nodes.push_back(name);
  }
}

// The plugins that may do something about a pod that does not fit, in order.
void PostFilter(const EvaluationInput& input, const Filtering& filtering,
                const Filtering::Outcome& pre_filter, Evaluation& answer) {
  std::map<std::string, framework::Verdict> verdicts;
  for (const auto& [name, at] : answer.nodes) verdicts[name] = at.verdict;
  answer.preemption.emplace();
  std::vector<std::string> reasons;
  std::string first_plugin;
  for (const std::string& plugin : input.rules.post_filters) {
    framework::Verdict verdict;
    if (plugin == "DynamicResources") {
      // It looks for what its PreFilter left behind.
      verdict = pre_filter.ran.contains(plugin) ? Unschedulable("no new claims to deallocate")
                                                : framework::Verdict::Error("not found");
    } else if (plugin == "DefaultPreemption") {
      auto outcome = Preempt(input, filtering, verdicts);
      verdict = std::move(outcome.verdict);
      answer.preemption = std::move(outcome.preemption);
    } else {
      continue;
    }
    if (!verdict.rejected()) {
      answer.post_filter = verdict.ok() ? framework::Verdict() : std::move(verdict).By(plugin);
      return;
    }
    reasons.insert(reasons.end(), verdict.reasons().begin(), verdict.reasons().end());
    if (first_plugin.empty()) first_plugin = plugin;
  }
  answer.post_filter =
      framework::Verdict(framework::Code::kUnschedulable, reasons).By(first_plugin);
}

std::string FitErrorBeforePostFilter(const Snapshot& world, const Evaluation& answer) {
  if (!answer.pre_filter.ok())
    return FitErrorMessage(world.nodes.size(), answer.pre_filter.Message());
  std::map<std::string, framework::Verdict> verdicts;
  for (const auto& [name, at] : answer.nodes) verdicts[name] = at.verdict;
  return FitErrorMessage(world.nodes.size(), verdicts, {});
}

std::set<std::string> UnschedulablePlugins(const Filtering::Outcome& pre_filter,
                                           const Evaluation& answer) {
  std::set<std::string> plugins = pre_filter.restricting;
  plugins.insert(answer.pre_filter.plugin());
  for (const auto& [name, at] : answer.nodes) plugins.insert(at.verdict.plugin());
  plugins.erase("");
  return plugins;
}

}  // namespace

Evaluation Evaluate(const Snapshot& world, const api::Pod& pod, const ReferenceProfile& rules,
                    Instant now) {
  Evaluation answer;
  if (world.nodes.empty()) {
    answer.error = "no nodes available to schedule pods";
    return answer;
  }
  const EvaluationInput input{world, pod, rules, now};
  Filtering filtering(input);
  const Filtering::Outcome pre_filter = filtering.PreFilter();
  answer.pre_filter = pre_filter.verdict;
  if (answer.pre_filter.code() == framework::Code::kError) {
    answer.error = answer.pre_filter.Message();
    return answer;
  }
  if (answer.pre_filter.ok()) {
    if (pre_filter.nodes)
      answer.restricted_to.emplace(pre_filter.nodes->begin(), pre_filter.nodes->end());
    FilterNodes(input, filtering, pre_filter, answer);
    answer.error = FirstError(answer);
    if (answer.error.empty()) ScoreFeasible(input, filtering, answer);
    ChooseBest(pod, answer);
    if (!answer.error.empty() || !answer.best_nodes.empty()) return answer;
  }
  answer.fit_error_before_post_filter = FitErrorBeforePostFilter(world, answer);
  answer.fit_error = answer.fit_error_before_post_filter;
  answer.unschedulable_plugins = UnschedulablePlugins(pre_filter, answer);
  PostFilter(input, filtering, pre_filter, answer);
  const std::string message = answer.post_filter.Message();
  if (!message.empty()) answer.fit_error += " " + message;
  return answer;
}

}  // namespace berth::scheduler::reference
