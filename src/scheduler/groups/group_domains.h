// GroupDomains finds the topology domains that may hold a group, level by level, from sums of what
// their nodes have free.
//
// The sums of a level cost its nodes once, however many domains there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/groups/group_problem.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::groups {

class GroupDomains {
 public:
  // `levels` are labels, from the smallest domains to the largest. A domain is part of one of
  // `within`. If `scheduled`, the nodes of members that run already, is not empty, the group joins
  // them: a domain has all of these. All must outlive this, and the cluster must not change.
  GroupDomains(const model::Cluster& cluster, const GroupProblem& problem,
               const std::vector<std::string>& levels,
               const std::vector<framework::Placement>& within,
               const std::vector<model::NodeRow>& scheduled);

  size_t levels() const { return levels_.size(); }

  // Returns the domains of a level which may hold `members` members of the group, as far as sums
  // tell. Those with the least capacity come first, so that large free domains stay whole; among
  // equals those in larger domains with the least capacity, then by name.
  struct Domain;
  std::vector<const Domain*> Holding(size_t level, size_t members) const;
  framework::Placement PlacementOf(const Domain& domain) const;

  struct Domain {
    std::string name;
    size_t within = 0;
    std::vector<uint32_t> rows;
    std::vector<size_t> fit;  // By kind: how many members fit, if there were no others.
    size_t scheduled = 0;     // How many of the nodes with members are in it.
    // How many members fit in it, and in the domains of the next levels which it is part of.
    std::vector<size_t> capacity;
  };

 private:
  struct Level {
    std::vector<Domain> domains;
    std::vector<uint32_t> domain_of;  // By row.
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  Level Divide(const std::string& label) const;
  void CountCapacity(Level& level) const;

  const model::Cluster& cluster_;
  const GroupProblem& problem_;
  const std::vector<framework::Placement>& within_;
  const std::vector<model::NodeRow>& scheduled_;
  std::vector<Level> levels_;
};

}  // namespace berth::scheduler::groups
