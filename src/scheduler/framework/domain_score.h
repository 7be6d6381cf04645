// DomainScore rates nodes by where they are: by their domain of one topology key, and few of them
// by their own pods, too. So a search compares domains, and looks at few nodes of each.
//
// Scorers whose scores depend on which nodes are feasible describe themselves so
// (ScorePlugin::DescribeScore). Domains are those that divide the nodes (SearchRules::division); if
// none do, all nodes are in none. What a DomainScore refers to must not change while it is used.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/model/ids.h"

namespace berth::scheduler::framework {

class DomainScore {
 public:
  virtual ~DomainScore() = default;

  // About how many nodes are not rated as the others of their domain.
  virtual size_t exceptions() const = 0;
  // Appends those, and possibly more; returns false if some are not known.
  virtual bool AppendExceptions(std::vector<model::NodeRow>& rows) const = 0;

  // The nodes that can be chosen, and the domains that have some; those in no domain count as one.
  struct Feasible {
    size_t nodes = 0;
    size_t domains = 0;
  };
  virtual void SetFeasible(const Feasible& feasible) = 0;

  // The score before Normalize of the nodes of a domain that are no exceptions, and of a single
  // node; an invalid domain is that of nodes in none. SetFeasible comes first.
  virtual int64_t OfDomain(model::DomainId domain) const = 0;
  virtual int64_t OfNode(model::NodeRow node) const = 0;
  // Returns the score as Normalize does, if those of the feasible nodes are from `lowest` to
  // `highest`.
  virtual int64_t Normalized(int64_t score, int64_t lowest, int64_t highest) const = 0;
};

}  // namespace berth::scheduler::framework
