#include "scheduler/groups/group_sums.h"

#include <algorithm>

#include "base/saturating.h"

namespace berth::scheduler::groups {
namespace {

int64_t Product(int64_t request, size_t count) {
  return SaturatingMultiply(request, static_cast<int64_t>(count));
}

}  // namespace

size_t MembersThatFit(const std::vector<int64_t>& requests,
                      const std::vector<std::vector<int64_t>>& free, size_t row, size_t limit) {
  for (size_t i = 0; i < free.size() && limit > 0; ++i) {
    if (requests[i] <= 0) continue;
    const int64_t fit = std::max<int64_t>(free[i][row], 0) / requests[i];
    limit = std::min(limit, static_cast<size_t>(fit));
  }
  return limit;
}

GroupSums::GroupSums(const GroupProblem& problem)
    : problem_(problem),
      free_(problem.free),
      least_(problem.free.size(), INT64_MAX),
      capacity_(problem.kinds.size()),
      useful_(problem.free.size()) {
  for (const MemberKind& kind : problem.kinds) {
    members_ += kind.members.size();
    for (size_t i = 0; i < least_.size(); ++i) least_[i] = std::min(least_[i], kind.requests[i]);
  }
  const size_t rows = problem.node_class.size();
  const int64_t most = rows == 0 ? 0 : INT64_MAX / static_cast<int64_t>(rows);
  for (const std::vector<int64_t>& column : free_)
    overflows_.push_back(std::ranges::any_of(column, [&](int64_t free) { return free > most; }));
  for (size_t row = 0; row < rows; ++row) Count(row, +1);
}

size_t GroupSums::MostMembers() const {
  size_t most = 0;
  for (size_t kind = 0; kind < capacity_.size(); ++kind)
    most += std::min(capacity(kind), problem_.kinds[kind].members.size());
  return std::min(most, static_cast<size_t>(total_capacity_));
}

bool GroupSums::MayFit(const std::vector<Demand>& exact, const std::vector<Demand>& pool,
                       size_t others) const {
  size_t wanted = others, possible = 0;
  for (const Demand& demand : exact) {
    if (capacity(demand.kind) < demand.count) return false;
    wanted += demand.count;
  }
  for (const Demand& demand : pool) possible += std::min(capacity(demand.kind), demand.count);
  if (possible < others || static_cast<size_t>(total_capacity_) < wanted) return false;
  for (size_t i = 0; i < free_.size(); ++i) {
    if (overflows_[i]) continue;
    int64_t least = LeastOf(i, pool, others);
    for (const Demand& demand : exact)
      least = SaturatingAdd(least, Product(RequestOf(demand.kind, i), demand.count));
    if (least > useful_[i]) return false;
  }
  return true;
}

int64_t GroupSums::LeastOf(size_t resource, std::vector<Demand> pool, size_t count) const {
  std::ranges::sort(pool, {},
                    [&](const Demand& demand) { return RequestOf(demand.kind, resource); });
  int64_t sum = 0;
  for (const Demand& demand : pool) {
    const size_t taken = std::min(count, demand.count);
    sum = SaturatingAdd(sum, Product(RequestOf(demand.kind, resource), taken));
    count -= taken;
  }
  return sum;
}

void GroupSums::Change(size_t kind, size_t row, int64_t sign) {
  Count(row, -1);
  for (size_t i = 0; i < free_.size(); ++i) free_[i][row] += sign * RequestOf(kind, i);
  Count(row, +1);
}

void GroupSums::Count(size_t row, int64_t sign) {
  bool useful = false;
  for (size_t kind = 0; kind < capacity_.size(); ++kind) {
    const MemberKind& members = problem_.kinds[kind];
    if (!members.nodes.Test(row)) continue;
    const size_t fit = MembersThatFit(members.requests, free_, row, members.members.size());
    capacity_[kind] += sign * static_cast<int64_t>(fit);
    useful = useful || fit > 0;
  }
  if (!useful) return;
  total_capacity_ += sign * static_cast<int64_t>(MembersThatFit(least_, free_, row, members_));
  for (size_t i = 0; i < free_.size(); ++i) {
    if (!overflows_[i]) useful_[i] += sign * std::max<int64_t>(free_[i][row], 0);
  }
}

}  // namespace berth::scheduler::groups
