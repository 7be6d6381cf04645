// Runs the rules of all plugins in order: Filtering for PreFilter and Filter, ScoreNodes for
// scores; FitErrorMessage formats the result if no node fits.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/reference/rule.h"

namespace berth::scheduler::reference {

// Returns "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu." Nodes
// without a verdict count with the reasons `others`.
std::string FitErrorMessage(size_t all_nodes,
                            const std::map<std::string, framework::Verdict>& verdicts,
                            const std::vector<std::string>& others);

// Returns the message of a pod that PreFilter rejected.
std::string FitErrorMessage(size_t all_nodes, const std::string& pre_filter_message);

// The rules by plugin name.
using RuleSet = std::map<std::string, std::unique_ptr<Rule>, std::less<>>;

// Returns the normalized and weighted scores of each feasible node by plugin. Plugins that skip are
// absent.
Result<std::map<std::string, Scores>> ScoreNodes(const EvaluationInput& input, const RuleSet& rules,
                                                 const std::vector<const api::Node*>& feasible);

// Scales the scores so that the highest becomes 100 or, with `reverse`, so that the highest becomes
// 0 and 0 becomes 100.
void DefaultNormalize(Scores& scores, bool reverse);

// Filtering runs PreFilter once for the cluster, then Filter for each node.
class Filtering {
 public:
  explicit Filtering(const EvaluationInput& input);

  // The combined result of all PreFilter plugins.
  struct Outcome {
    framework::Verdict verdict;
    // The nodes that may be filtered; nullopt for all.
    std::optional<std::set<std::string>> nodes;
    // The plugins that restricted the nodes.
    std::set<std::string> restricting;
    // The plugins that were run.
    std::set<std::string> ran;
  };
  // Must be called once, before Filter.
  Outcome PreFilter();

  // Runs the filters, with and without the pods that are nominated to the node and have at least
  // the pod's priority.
  framework::Verdict Filter(const NodeState& node_state) const;

  const RuleSet& rules() const { return rules_; }

 private:
  framework::Verdict RunFilters(const NodeState& node_state) const;

  const EvaluationInput input_;
  RuleSet rules_;
  std::set<std::string, std::less<>> skipped_;
};

// Formats names as Go prints a slice: "[A B]".
std::string Bracketed(const std::set<std::string>& names);

}  // namespace berth::scheduler::reference
