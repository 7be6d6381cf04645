#include "twin/scoring.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::twin {

Result<std::map<std::string, Scores>> ScoreNodes(const Question& question, const RuleSet& rules,
                                                 const std::vector<const api::Node*>& feasible) {
  std::map<std::string, Scores> by_node;
  for (const api::Node* node : feasible) by_node[node->metadata.name];
  for (const auto& [plugin, weight] : question.rules.scorers) {
    const auto found = rules.find(plugin);
    if (found == rules.end()) continue;
    Rule& rule = *found->second;
    const Verdict before = rule.PreScore(feasible);
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

}  // namespace berth::twin
