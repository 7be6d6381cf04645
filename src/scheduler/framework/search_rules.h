// SearchRules are what the plugins of a profile require of a node for one pod, and how they rate
// it, so that a search (node_search.h) finds the best node without evaluating every one.
//
// They are made of the conditions of the filters and the ratings of the scorers, but those that add
// their own (ScorePlugin::DescribeScore). If one of them cannot be searched by, every node is
// evaluated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/symbol_table.h"
#include "scheduler/framework/conditions.h"
#include "scheduler/framework/domain_score.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/usage_bound.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/topology.h"

namespace berth::scheduler::framework {

// How a scorer takes part.
enum class Described : uint8_t {
  kNo,    // Every node must be evaluated.
  kSkip,  // The plugin does not influence this decision.
  kYes,   // Its rules are among the SearchRules; without any, it prefers no node to another.
  // Scores depend on which nodes are feasible. PreScore is called, then AddScores.
  kByFeasibleNodes,
};

struct SearchRules {
  using Scorer = Profile::Scorer;

  // Adds what the filter requires of a node in this cycle. Returns false if every node must be
  // evaluated.
  bool AddFilter(const Cycle& cycle, const FilterPlugin& filter);

  // Adds how the scorer rates nodes in this cycle.
  Described AddScorer(const Cycle& cycle, const Scorer& scorer);

  // --- what a node is ---

  // These depend on the pod only as far as `key` says, and of the node on its labels, taints,
  // features and whether it is unschedulable. Pods with equal keys share their results.
  std::string key;
  std::vector<const NodePredicate*> static_conditions;
  // The only domains whose nodes pass.
  struct OnlyDomain {
    std::span<const model::DomainId> domain_of;  // By row.
    model::DomainId domain;
  };
  std::vector<OnlyDomain> only_domains;
  // The filters whose conditions are all above.
  PluginMask static_filters = 0;
  std::vector<Scorer> static_scorers;

  // --- what it holds, and where it is ---

  // Checked of few nodes. `bound` has what they request of cpu and memory, how `scorers` rate nodes
  // by their usage, and of `other_scorers` the highest sum only.
  std::vector<Condition> conditions;
  std::vector<Scorer> scorers, other_scorers;
  ScoreBound bound;

  // Checked before `conditions`, of many nodes.
  std::vector<RowCondition> row_conditions;
  // Domains that row conditions may exclude as a whole, or that scores are about. If they exclude
  // too many nodes to check one by one, nodes are divided by these.
  struct Division {
    model::Topology::KeyRef domains;
    std::string key;  // The same for the same domains.
  };
  std::optional<Division> division;
  // Divides nodes by the domains of the key, unless they are too small or others divide them
  // already. Returns whether these do now.
  bool DivideBy(const model::Topology::KeyRef& topology_key, const SymbolTable& symbols);

  // Returns the condition as one about the domains that divide the nodes, of each of which all
  // nodes pass, or none; null if it is not.
  const DomainCount* AboutDivision(const RowCondition& condition) const;

  // The only nodes that may pass, if they are so few that each is evaluated; not sorted.
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
