// The sentence that tells why no node will do.
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

// "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu." Nodes without a
// verdict of their own have the reasons `others`.
std::string FitErrorMessage(size_t all_nodes,
                            const std::map<std::string, framework::Verdict>& verdicts,
                            const std::vector<std::string>& others);

// The same if PreFilter has said no already.
std::string FitErrorMessage(size_t all_nodes, const std::string& pre_filter_message);

// How raw scores become the scores that count: normalised, weighted and summed.
using RuleSet = std::map<std::string, std::unique_ptr<Rule>, std::less<>>;

// The weighted scores of each feasible node by plugin. Plugins that skip are absent.
Result<std::map<std::string, Scores>> ScoreNodes(const EvaluationInput& input, const RuleSet& rules,
                                                 const std::vector<const api::Node*>& feasible);

// Scales the scores so that the highest becomes 100 or, with `reverse`, so that the highest becomes
// 0 and 0 becomes 100.
void DefaultNormalize(Scores& scores, bool reverse);

// Running the rules of all plugins in order: first for the cluster, then for a node.
class Filtering {
 public:
  explicit Filtering(const EvaluationInput& input);

  // What all PreFilter plugins say together.
  struct Outcome {
    framework::Verdict verdict;
    // The nodes that may be looked at; absent: all of them.
    std::optional<std::set<std::string>> nodes;
    // The plugins that named nodes.
    std::set<std::string> restricting;
    // The plugins that got to run.
    std::set<std::string> ran;
  };
  // To be called once, before Filter.
  Outcome PreFilter();

  // Whether the pod may go to the node, also when the pods that are nominated to it arrive. These
  // count if they are at least as important as the pod.
  framework::Verdict Filter(const NodeState& node_state) const;

  const RuleSet& rules() const { return rules_; }

 private:
  framework::Verdict RunFilters(const NodeState& node_state) const;

  const EvaluationInput input_;
  RuleSet rules_;
  std::set<std::string, std::less<>> skipped_;
};

// Names as Go prints a slice: "[A B]".
std::string Bracketed(const std::set<std::string>& names);

}  // namespace berth::scheduler::reference
