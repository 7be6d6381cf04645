// How raw scores become the scores that count: normalised, weighted and summed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "twin/rule.h"

namespace berth::twin {

using RuleSet = std::map<std::string, std::unique_ptr<Rule>, std::less<>>;

// The weighted scores of each feasible node by plugin. Plugins that skip are absent.
Result<std::map<std::string, Scores>> ScoreNodes(const Question& question, const RuleSet& rules,
                                                 const std::vector<const api::Node*>& feasible);

// Scales the scores so that the highest becomes 100 or, with `reverse`, so that the highest becomes
// 0 and 0 becomes 100.
void DefaultNormalize(Scores& scores, bool reverse);

}  // namespace berth::twin
