// SpreadDomainScore rates nodes by soft spread constraints over one topology key and over host
// names, such as the default ones: most nodes have none of the pods that are counted, so that all
// nodes of a domain are rated alike but those few that have some.
#pragma once

#include <memory>
#include <vector>

#include "scheduler/framework/domain_score.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/plugins/pod_topology_spread/constraints.h"

namespace berth::scheduler::plugins {

class SpreadDomainScore final : public framework::DomainScore {
 public:
  // Returns null if the constraints are of another kind; otherwise the key divides the nodes of
  // `rules`. `counts` are those of the cycle's pod.
  static std::unique_ptr<SpreadDomainScore> Make(const framework::Cycle& cycle,
                                                 SpreadConstraints& constraints,
                                                 const SpreadConstraints::Counts& counts,
                                                 framework::SearchRules& rules);

  size_t exceptions() const override;
  bool AppendExceptions(std::vector<model::NodeRow>& rows) const override;
  void SetFeasible(const Feasible& feasible) override;
  int64_t OfDomain(model::DomainId domain) const override;
  int64_t OfNode(model::NodeRow node) const override;
  int64_t Normalized(int64_t score, int64_t lowest, int64_t highest) const override;

 private:
  struct Constraint {
    const SpreadRule* rule;
    const model::IndexedCounts* pods;  // By row for host names, else by domain.
    double weight = 0;
  };

  std::vector<Constraint> constraints_;
  model::Topology::KeyRef key_;  // Null if there are only host names.
};

}  // namespace berth::scheduler::plugins
