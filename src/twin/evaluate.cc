#include "twin/evaluate.h"

#include <algorithm>

#include "twin/filtering.h"
#include "twin/fit_error.h"
#include "twin/preemption.h"
#include "twin/scoring.h"

namespace berth::twin {
namespace {

// Tries every node that PreFilter left, or that the pod is nominated to.
void FilterNodes(const Question& question, const Filtering& filtering,
                 const Filtering::Outcome& pre_filter, Answer& answer) {
  const std::string& nominated = question.pod.status.nominated_node_name;
  for (const auto& [key, node] : question.world.nodes) {
    NodeAnswer& at = answer.nodes[key.name];
    at.excluded_by_pre_filter = pre_filter.nodes && !pre_filter.nodes->contains(key.name);
    if (!at.excluded_by_pre_filter || key.name == nominated) {
      at.verdict = filtering.Filter(Trial(question.world, *node));
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
std::string FirstError(const Answer& answer) {
  std::string first;
  for (const auto& [name, at] : answer.nodes) {
    if (answer.nominated_node_fits || at.verdict.code() != Code::kError) continue;
    if (first.empty() || at.verdict.Message() < first) first = at.verdict.Message();
  }
  return first;
}

void ScoreFeasible(const Question& question, const Filtering& filtering, Answer& answer) {
  std::vector<const api::Node*> feasible;
  for (const auto& [key, node] : question.world.nodes) {
    if (answer.nodes[key.name].verdict.ok()) feasible.push_back(node.get());
  }
  if (feasible.empty()) return;
  auto scores = ScoreNodes(question, filtering.rules(), feasible);
  if (!scores) {
    // A lone candidate is not scored, so that scoring cannot fail.
    const bool alone = feasible.size() == 1 || answer.nominated_node_fits;
    if (!alone) answer.error = std::move(scores.error().message);
    return;
  }
  for (auto& [name, by_plugin] : *scores) {
    NodeAnswer& at = answer.nodes[name];
    at.scores = std::move(by_plugin);
    for (const auto& [plugin, score] : at.scores) at.total += score;
  }
}

void ChooseBest(const api::Pod& pod, Answer& answer) {
  if (answer.nominated_node_fits) {
    answer.best_nodes = {pod.status.nominated_node_name};
    return;
  }
  if (!answer.error.empty()) return;
  const NodeAnswer* best = nullptr;
  for (const auto& [name, at] : answer.nodes) {
    if (!at.verdict.ok()) continue;
    if (best != nullptr && at.total < best->total) continue;
    if (best != nullptr && at.total > best->total) answer.best_nodes.clear();
    best = &at;
    answer.best_nodes.push_back(name);
  }
}

// The plugins that may do something about a pod that does not fit, in order.
void PostFilter(const Question& question, const Filtering& filtering,
                const Filtering::Outcome& pre_filter, Answer& answer) {
  std::map<std::string, Verdict> verdicts;
  for (const auto& [name, at] : answer.nodes) verdicts[name] = at.verdict;
  answer.preemption.emplace();
  std::vector<std::string> reasons;
  std::string first_plugin;
  for (const std::string& plugin : question.rules.post_filters) {
    Verdict verdict;
    if (plugin == "DynamicResources") {
      // It looks for what its PreFilter left behind.
      verdict = pre_filter.ran.contains(plugin) ? Unschedulable("no new claims to deallocate")
                                                : Verdict::Error("not found");
    } else if (plugin == "DefaultPreemption") {
      auto outcome = Preempt(question, filtering, verdicts);
      verdict = std::move(outcome.verdict);
      answer.preemption = std::move(outcome.preemption);
    } else {
      continue;
    }
    if (!verdict.rejected()) {
      answer.post_filter = verdict.ok() ? Verdict() : std::move(verdict).By(plugin);
      return;
    }
    reasons.insert(reasons.end(), verdict.reasons().begin(), verdict.reasons().end());
    if (first_plugin.empty()) first_plugin = plugin;
  }
  answer.post_filter = Verdict(Code::kUnschedulable, reasons).By(first_plugin);
}

std::string FitErrorBeforePostFilter(const World& world, const Answer& answer) {
  if (!answer.pre_filter.ok()) return FitErrorOf(world.nodes.size(), answer.pre_filter.Message());
  std::map<std::string, Verdict> verdicts;
  for (const auto& [name, at] : answer.nodes) verdicts[name] = at.verdict;
  return FitErrorOf(world.nodes.size(), verdicts, {});
}

std::set<std::string> UnschedulablePlugins(const Filtering::Outcome& pre_filter,
                                           const Answer& answer) {
  std::set<std::string> plugins = pre_filter.restricting;
  plugins.insert(answer.pre_filter.plugin());
  for (const auto& [name, at] : answer.nodes) plugins.insert(at.verdict.plugin());
  plugins.erase("");
  return plugins;
}

}  // namespace

Answer Evaluate(const World& world, const api::Pod& pod, const Rules& rules, Instant now) {
  Answer answer;
  if (world.nodes.empty()) {
    answer.error = "no nodes available to schedule pods";
    return answer;
  }
  const Question question{world, pod, rules, now};
  Filtering filtering(question);
  const Filtering::Outcome pre_filter = filtering.PreFilter();
  answer.pre_filter = pre_filter.verdict;
  if (answer.pre_filter.code() == Code::kError) {
    answer.error = answer.pre_filter.Message();
    return answer;
  }
  if (answer.pre_filter.ok()) {
    if (pre_filter.nodes)
      answer.restricted_to.emplace(pre_filter.nodes->begin(), pre_filter.nodes->end());
    FilterNodes(question, filtering, pre_filter, answer);
    answer.error = FirstError(answer);
    if (answer.error.empty()) ScoreFeasible(question, filtering, answer);
    ChooseBest(pod, answer);
    if (!answer.error.empty() || !answer.best_nodes.empty()) return answer;
  }
  answer.fit_error_before_post_filter = FitErrorBeforePostFilter(world, answer);
  answer.fit_error = answer.fit_error_before_post_filter;
  answer.unschedulable_plugins = UnschedulablePlugins(pre_filter, answer);
  PostFilter(question, filtering, pre_filter, answer);
  const std::string message = answer.post_filter.Message();
  if (!message.empty()) answer.fit_error += " " + message;
  return answer;
}

}  // namespace berth::twin
