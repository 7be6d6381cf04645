// Rule is one plugin's rule, made for one question: where may this pod go in this world?
//
// A rule is asked once for the whole cluster (PreFilter, PreScore), where it may take stock, and
// then node by node. Each part has a default for the plugins that have nothing to say there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "framework/verdict.h"
#include "twin/rules.h"
#include "twin/trial.h"
#include "twin/world.h"

namespace berth::twin {

struct Question {
  const World& world;
  const api::Pod& pod;
  const Rules& rules;
  Instant now;
};

// Scores by node name.
using Scores = std::map<std::string, int64_t>;

class Rule {
 public:
  explicit Rule(const Question& question)
      : world_(question.world), pod_(question.pod), rules_(question.rules) {}
  virtual ~Rule() = default;

  struct PreFilterAnswer {
    Verdict verdict;                                  // Skip: the rule lets every node pass.
    std::optional<std::set<std::string>> nodes = {};  // Absent: any node may do.
  };
  virtual PreFilterAnswer PreFilter() { return {}; }

  // Whether the pod may go to the node.
  virtual Verdict Filter(const Trial&) const { return {}; }

  // Skip: the rule gives no scores. `feasible` are the nodes to score.
  virtual Verdict PreScore(const std::vector<const api::Node*>& /*feasible*/) { return {}; }
  virtual int64_t Score(const api::Node&) const { return 0; }
  // Brings the scores of all feasible nodes into 0..100.
  virtual void Normalize(Scores&) const {}

 protected:
  const World& world_;
  const api::Pod& pod_;
  const Rules& rules_;
};

inline Verdict Unschedulable(std::string reason) {
  return {Code::kUnschedulable, std::move(reason)};
}
inline Verdict Unresolvable(std::string reason) {
  return {Code::kUnschedulableAndUnresolvable, std::move(reason)};
}

// Several errors as one text, as kube-scheduler joins them: "[first, second]".
std::string JoinErrors(const std::vector<std::string>& errors);

// Makes the rule of the plugin; nullptr if the twin knows none of that name.
std::unique_ptr<Rule> MakeRule(std::string_view plugin, const Question& question);

}  // namespace berth::twin
