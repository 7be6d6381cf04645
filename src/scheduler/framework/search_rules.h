// SearchRules describe what the plugins of a profile require of a node for one pod, so that a
// search (node_search.h) finds the best node without evaluating every one.
//
// Each filter and scorer that takes part adds its own rules (FilterPlugin::DescribeFilter,
// ScorePlugin::DescribeScore). If one cannot, every node is evaluated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/symbol_table.h"
#include "scheduler/framework/domain_score.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/row_rule.h"
#include "scheduler/framework/usage_bound.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/node_selector.h"
#include "scheduler/model/topology.h"

namespace berth::scheduler::framework {

// A plugin's answer to DescribeFilter or DescribeScore.
enum class Described : uint8_t {
  kNo,    // Every node must be evaluated.
  kSkip,  // The plugin does not influence this decision.
  kYes,   // Its rules are among the SearchRules; without any, it prefers no node to another.
  // For scorers: scores depend on which nodes are feasible. PreScore is called, then AddScores.
  kByFeasibleNodes,
};

struct SearchRules {
  using Scorer = Profile::Scorer;

  // --- what a node is ---

  // These depend on the pod only as far as `key` says, and of the node on its labels, taints,
  // features and whether it is unschedulable. Pods with equal keys share their results.
  std::string key;
  std::vector<const FilterPlugin*> static_filters;
  // The only domains whose nodes pass.
  struct OnlyDomain {
    std::span<const model::DomainId> domain_of;  // By row.
    model::DomainId domain;
  };
  std::vector<OnlyDomain> only_domains;
  // Conditions on labels, all of which hold where the pod passes.
  std::vector<const model::NodeLabelTerms*> label_terms;
  std::vector<Scorer> static_scorers;

  // --- what it holds, and where it is ---

  // Evaluated with FilterPlugin::Passes and ScorePlugin::ScoreOneNode, for few nodes. `bound` says
  // how `scorers` rate nodes by their usage; of `other_scorers` it has the highest sum only.
  std::vector<const FilterPlugin*> filters;
  std::vector<Scorer> scorers, other_scorers;
  ScoreBound bound;

  // Checked before `filters`, of many nodes.
  std::vector<RowRule> row_rules;
  // Domains that row rules may exclude as a whole, or that scores are about. If rules exclude too
  // many nodes to check one by one, nodes are divided by these.
  struct Division {
    model::Topology::KeyRef domains;
    std::string key;  // The same for the same domains.
  };
  std::optional<Division> division;
  // Divides nodes by the domains of the key, unless they are too small or others divide them
  // already. Returns whether these do now.
  bool DivideBy(const model::Topology::KeyRef& topology_key, const SymbolTable& symbols);

  // The only nodes that may pass, if they are so few that each is evaluated; not sorted. Their
  // filters need not be among the rules above.
  static constexpr size_t kFewRows = 16;
  std::optional<std::vector<model::NodeRow>> only_rows;

  // Scores that are known when all feasible nodes are. Those by domain are also in `domain_scores`,
  // and nodes are rated domain by domain if all are.
  std::vector<Scorer> by_feasible_nodes;
  struct WeightedDomainScore {
    std::unique_ptr<DomainScore> score;
    int32_t weight;
  };
  std::vector<WeightedDomainScore> domain_scores;
};

}  // namespace berth::scheduler::framework
