#include "scheduler/reference/filter_and_score.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace berth::scheduler::reference {

std::string FitErrorMessage(size_t all_nodes,
                            const std::map<std::string, framework::Verdict>& verdicts,
                            const std::vector<std::string>& others) {
  std::map<std::string, size_t> counts;
  for (const auto& [node, verdict] : verdicts) {
    for (const std::string& reason : verdict.reasons()) ++counts[reason];
  }
  if (verdicts.size() < all_nodes) {
    for (const std::string& reason : others) counts[reason] += all_nodes - verdicts.size();
  }
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(parts);
  const std::string head = fmt::format("0/{} nodes are available:", all_nodes);
  return parts.empty() ? head : fmt::format("{} {}.", head, fmt::join(parts, ", "));
}

std::string FitErrorMessage(size_t all_nodes, const std::string& pre_filter_message) {
  return fmt::format("0/{} nodes are available: {}.", all_nodes, pre_filter_message);
}

Result<std::map<std::string, Scores>> ScoreNodes(const EvaluationInput& input, const RuleSet& rules,
                                                 const std::vector<const api::Node*>& feasible) {
  std::map<std::string, Scores> by_node;
  for (const api::Node* node : feasible) by_node[node->metadata.name];
  for (const auto& [plugin, weight] : input.profile.scorers) {
    const auto found = rules.find(plugin);
    if (found == rules.end()) continue;
    Rule& rule = *found->second;
    const framework::Verdict before = rule.PreScore(feasible);
    if (before.skipped()) continue;
    if (!before.ok()) {
      return Fail(fmt::format("running PreScore plugin \"{}\": {}", plugin, before.Message()));
    }
    Scores scores;
    for (const api::Node* node : feasible) scores[node->metadata.name] = rule.Score(*node);
    rule.Normalize(scores);
    for (const auto& [node, score] : scores) {
      if (score < 0 || score > 100) {
        return Fail(
            fmt::format("applying score defaultWeights on Score plugins: plugin \"{}\" returns an "
                        "invalid score "
                        "{}, it should in the range of [0, 100] after normalizing",
                        plugin, score));
      }
      by_node[node][plugin] = score * weight;
    }
  }
  return by_node;
}

void DefaultNormalize(Scores& scores, bool reverse) {
  int64_t highest = 0;
  for (const auto& [node, score] : scores) highest = std::max(highest, score);
  for (auto& [node, score] : scores) {
    if (highest > 0) score = 100 * score / highest;
    if (reverse) score = 100 - score;
  }
}

namespace {

// Removes from `nodes` what is not in `with`.
void Intersect(const std::set<std::string>& with, std::optional<std::set<std::string>>& nodes) {
  if (!nodes) {
    nodes = with;
  } else {
    std::erase_if(*nodes, [&](const std::string& name) { return !with.contains(name); });
  }
}

framework::Verdict NothingLeft(const std::set<std::string>& plugins) {
  if (plugins.size() == 1) return Unresolvable("node(s) didn't satisfy plugin " + *plugins.begin());
  return Unresolvable(
      fmt::format("node(s) didn't satisfy plugin(s) {} simultaneously", Bracketed(plugins)));
}

}  // namespace

std::string Bracketed(const std::set<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  return "[" + all + "]";
}

Filtering::Filtering(const EvaluationInput& input) : input_(input) {
  const auto add = [&](const std::string& plugin) {
    auto rule = MakeRule(plugin, input);
    if (rule != nullptr) rules_.try_emplace(plugin, std::move(rule));
  };
  for (const std::string& plugin : input.profile.pre_filters) add(plugin);
  for (const std::string& plugin : input.profile.filters) add(plugin);
  for (const auto& [plugin, weight] : input.profile.scorers) add(plugin);
}

Filtering::Outcome Filtering::PreFilter() {
  Outcome outcome;
  for (const std::string& plugin : input_.profile.pre_filters) {
    const auto rule = rules_.find(plugin);
    if (rule == rules_.end()) continue;
    outcome.ran.insert(plugin);
    auto [verdict, nodes] = rule->second->PreFilter();
    if (verdict.skipped()) {
      skipped_.insert(plugin);
      continue;
    }
    if (verdict.rejected()) {
      outcome.verdict = std::move(verdict).By(plugin);
      return outcome;
    }
    if (!verdict.ok()) {
      outcome.verdict = framework::Verdict::Error(fmt::format("running PreFilter plugin \"{}\": {}",
                                                              plugin, verdict.Message()))
                            .By(plugin);
      return outcome;
    }
    if (!nodes) continue;
    outcome.restricting.insert(plugin);
    Intersect(*nodes, outcome.nodes);
    if (outcome.nodes->empty()) {
      outcome.verdict = NothingLeft(outcome.restricting);
      return outcome;
    }
  }
  return outcome;
}

framework::Verdict Filtering::RunFilters(const NodeState& node_state) const {
  for (const std::string& plugin : input_.profile.filters) {
    const auto rule = rules_.find(plugin);
    if (rule == rules_.end() || skipped_.contains(plugin)) continue;
    framework::Verdict verdict = rule->second->Filter(node_state);
    if (verdict.ok()) continue;
    if (verdict.rejected()) return std::move(verdict).By(plugin);
    return framework::Verdict::Error(
               fmt::format("running \"{}\" filter plugin: {}", plugin, verdict.Message()))
        .By(plugin);
  }
  return {};
}

framework::Verdict Filtering::Filter(const NodeState& node_state) const {
  NodeState with_nominated = node_state;
  bool any = false;
  for (const auto& [key, pod] : input_.snapshot.NominatedTo(node_state.name())) {
    if (pod->priority() < input_.pod.priority()) continue;
    if (pod->metadata.uid == input_.pod.metadata.uid) continue;
    with_nominated.Add(pod);
    any = true;
  }
  if (any) {
    framework::Verdict verdict = RunFilters(with_nominated);
    if (!verdict.ok()) return verdict;
  }
  // Filter without them as well: affinity to a pod that is only nominated does not count.
  return RunFilters(node_state);
}

}  // namespace berth::scheduler::reference
