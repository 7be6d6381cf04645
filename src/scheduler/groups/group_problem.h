// GroupProblem is the question where the members of a group may go, with what is known beforehand:
// by numbers, without a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/model/ids.h"

namespace berth::scheduler::groups {

// Members that may stand for one another.
struct MemberKind {
  std::vector<size_t> members;
  // What each of them takes of a node, in the order of GroupProblem::free; maybe more than that.
  std::vector<int64_t> requests;
  // The nodes on which they may fit at some point, and no others.
  model::NodeMask nodes;
};

struct GroupProblem {
  std::vector<MemberKind> kinds;
  size_t needed = 0;  // How many members must have a node; at least one.

  // What nodes have free, by resource and row. Without resources nothing is bounded.
  std::vector<std::vector<int64_t>> free;
  // By row: nodes of one class are equal in all that matters, as long as equal members, or none,
  // are on them. Classes are small numbers.
  std::vector<uint32_t> node_class;

  // A member that does not fit on a node does not fit there later either, and the order in which
  // members are placed does not matter.
  bool monotone = false;
  // What fits depends on the order in which others were placed, not only on where they are.
  bool depends_on_order = false;
};

// Returns how many members with these requests fit into what is free at the row, at most `limit`,
// if resources alone count.
size_t MembersThatFit(const std::vector<int64_t>& requests,
                      const std::vector<std::vector<int64_t>>& free, size_t row, size_t limit);

}  // namespace berth::scheduler::groups
