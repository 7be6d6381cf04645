// Running the rules of all plugins in order: first for the cluster, then for a node.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "twin/rule.h"
#include "twin/scoring.h"

namespace berth::twin {

class Filtering {
 public:
  explicit Filtering(const Question& question);

  // What all PreFilter plugins say together.
  struct Outcome {
    Verdict verdict;
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
  Verdict Filter(const Trial& trial) const;

  const RuleSet& rules() const { return rules_; }

 private:
  Verdict RunFilters(const Trial& trial) const;

  const Question question_;
  RuleSet rules_;
  std::set<std::string, std::less<>> skipped_;
};

// Names as Go prints a slice: "[A B]".
std::string Bracketed(const std::set<std::string>& names);

}  // namespace berth::twin
