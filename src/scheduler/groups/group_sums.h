// GroupSums bounds how many members of a group still fit on nodes, by sums of what is free.
//
// Placing a member costs the kinds, not the nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/groups/group_problem.h"

namespace berth::scheduler::groups {

class GroupSums {
 public:
  // `problem` must outlive the sums.
  explicit GroupSums(const GroupProblem& problem);

  // A member of the kind is placed at the row, or no longer.
  void Add(size_t kind, size_t row) { Change(kind, row, -1); }
  void Remove(size_t kind, size_t row) { Change(kind, row, +1); }

  // How many members of the kind fit, if there were no others.
  size_t capacity(size_t kind) const { return static_cast<size_t>(capacity_[kind]); }
  // No more members than that fit together.
  size_t MostMembers() const;
  // What is free at the row.
  int64_t free(size_t resource, size_t row) const { return free_[resource][row]; }

  struct Demand {
    size_t kind;
    size_t count;
  };
  // Returns false if it is impossible to place all of `exact`, and `others` of those in `pool`.
  bool MayFit(const std::vector<Demand>& exact, const std::vector<Demand>& pool,
              size_t others) const;

 private:
  int64_t RequestOf(size_t kind, size_t resource) const {
    return problem_.kinds[kind].requests[resource];
  }
  // Returns what `count` members of the pool take at least.
  int64_t LeastOf(size_t resource, std::vector<Demand> pool, size_t count) const;
  void Change(size_t kind, size_t row, int64_t sign);
  // Adds the row to the sums, or takes it out.
  void Count(size_t row, int64_t sign);

  const GroupProblem& problem_;
  std::vector<std::vector<int64_t>> free_;
  std::vector<int64_t> least_;  // By resource: what any member takes at least.
  size_t members_ = 0;
  std::vector<int64_t> capacity_;  // By kind.
  int64_t total_capacity_ = 0;     // How many members fit, were all as small as `least_`.
  std::vector<int64_t> useful_;    // By resource: what is free where some member fits.
  std::vector<bool> overflows_;    // By resource: the sum is not known.
};

}  // namespace berth::scheduler::groups
