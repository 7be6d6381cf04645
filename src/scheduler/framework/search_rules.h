// SearchRules describe what the plugins of a profile require of a node for one pod, so that a
// search (node_search.h) finds the best node without evaluating every one.
//
// Each filter and scorer that takes part adds its own rules (FilterPlugin::DescribeFilter,
// ScorePlugin::DescribeScore). If one cannot, every node is evaluated.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/framework/profile.h"
#include "scheduler/framework/usage_bound.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/pod_counters.h"

namespace berth::scheduler::framework {

// A filter by topology domain: nodes pass if the number of their domain is in a range.
class DomainRule {
 public:
  // `counts` and `domain_of` must outlive the rule. `none_passes`: nodes in no domain pass.
  DomainRule(std::span<const model::DomainId> domain_of, const model::IndexedCounts& counts,
             int32_t lowest, int32_t highest, bool none_passes)
      : domain_of_(domain_of),
        counts_(&counts),
        lowest_(lowest),
        highest_(highest),
        none_passes_(none_passes) {}
  // passes[domain] is whether nodes of the domain pass; nodes in no domain do not.
  DomainRule(std::span<const model::DomainId> domain_of, std::vector<bool> passes)
      : domain_of_(domain_of), passes_(std::move(passes)) {}

  bool Passes(size_t row) const {
    const model::DomainId domain = domain_of_[row];
    if (!domain.valid()) return none_passes_;
    if (counts_ == nullptr) return passes_[domain.index()];
    const int32_t count = (*counts_)[domain.index()];
    return lowest_ <= count && count <= highest_;
  }

 private:
  std::span<const model::DomainId> domain_of_;
  const model::IndexedCounts* counts_ = nullptr;
  std::vector<bool> passes_;
  int32_t lowest_ = 0, highest_ = 0;
  bool none_passes_ = false;
};

// A plugin's answer to DescribeFilter or DescribeScore.
enum class Described : uint8_t {
  kNo,    // Every node must be evaluated.
  kSkip,  // The plugin does not influence this decision.
  kYes,   // Its rules are among the SearchRules.
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
  std::vector<Scorer> static_scorers;

  // --- what it holds ---

  // Evaluated with FilterPlugin::Passes and ScorePlugin::ScoreOneNode, for few nodes. `bound` says
  // how `scorers` rate nodes by their usage; of `other_scorers` it has the highest sum only.
  std::vector<const FilterPlugin*> filters;
  std::vector<Scorer> scorers, other_scorers;
  ScoreBound bound;

  // --- where it is ---

  std::vector<DomainRule> domains;
  std::vector<Scorer> by_feasible_nodes;
};

}  // namespace berth::scheduler::framework
