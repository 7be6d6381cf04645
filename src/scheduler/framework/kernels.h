// Kernels are the loops over all rows that decisions run, each simple enough for the compiler to
// vectorise.
//
// Totals are one number per row; a negative one marks an excluded row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/model/ids.h"

namespace berth::scheduler::model {
class IndexedCounts;
}

namespace berth::scheduler::framework {

// The total of an excluded row: so low that adding scores does not make it positive.
inline constexpr int32_t kRowOut = INT32_MIN / 2;
// Sums of scores stay below this, so that excluded rows remain excluded.
inline constexpr int64_t kMaxTotal = INT32_MAX / 2;

// A value for each domain of a topology key, and one for rows in none.
class DomainTable {
 public:
  explicit DomainTable(size_t domains, int32_t value = 0) : values_(domains + 1, value) {}

  size_t domains() const { return values_.size() - 1; }
  int32_t& operator[](size_t domain) { return values_[domain + 1]; }
  int32_t operator[](size_t domain) const { return values_[domain + 1]; }
  int32_t& none() { return values_[0]; }
  int32_t none() const { return values_[0]; }
  // The value of domain 0; that of rows in no domain is stored before it.
  const int32_t* data() const { return values_.data() + 1; }
  int32_t* data() { return values_.data() + 1; }

 private:
  std::vector<int32_t> values_;
};

// Copies `from` to `to` for the rows of `rows`; the others are excluded.
void CopyRows(const model::NodeMask& rows, std::span<const int32_t> from, std::span<int32_t> to);

// Clears from `rows` those whose domain has the value 0; the others have 1.
void KeepDomains(model::NodeMask& rows, std::span<const model::DomainId> domain_of,
                 const DomainTable& keep);

// Adds to the value of each domain `factor` times its count. Counts of other domains do not matter.
void AddCounts(const model::IndexedCounts& counts, int32_t factor, DomainTable& values);

// Sets each value to that of the row's domain.
void SetByDomain(std::span<const model::DomainId> domain_of, const DomainTable& by_domain,
                 std::span<int32_t> values);
// Adds to each total the value of the row's domain.
void AddByDomain(std::span<const model::DomainId> domain_of, const DomainTable& values,
                 std::span<int32_t> totals);

// Of 64 values: returns those that equal `value`, a bit each; sets the `members` to `value`.
uint64_t MembersEqualTo(std::span<const uint32_t, 64> values, uint32_t value);
void SetMembers(std::span<uint32_t, 64> values, uint64_t members, uint32_t value);

// Returns the lowest and the highest of `values` over the rows that are not excluded; {INT32_MAX,
// INT32_MIN} if all are.
struct ValueRange {
  int32_t lowest = INT32_MAX;
  int32_t highest = INT32_MIN;
};
ValueRange RangeOf(std::span<const int32_t> values, std::span<const int32_t> totals);

// Returns the lowest and the highest of `values`, none of which is negative. There must be one.
struct ShareRange {
  float lowest = 0;
  float highest = 0;
};
ShareRange RangeOf(std::span<const float> values);

// Adds to each total the entry of `table` for the row's value, counted from `lowest`; values beyond
// the table, which only excluded rows have, count as the nearest.
void AddByValue(std::span<const int32_t> values, int32_t lowest, std::span<const int32_t> table,
                std::span<int32_t> totals);

// values[row] = table[domain * width + counts[row]], where `table` begins with the entries of rows
// in no domain. Counts are below `width`; rows beyond the end of `counts` count 0.
void LookUpByDomainAndCount(std::span<const model::DomainId> domain_of,
                            std::span<const int32_t> counts, std::span<const int32_t> table,
                            int32_t width, std::span<int32_t> values);

// Returns the highest total; negative if all rows are excluded.
int32_t HighestOf(std::span<const int32_t> totals);
// Returns the first rank from `start` on, around the end, of the rows with this total, of which
// there is at least one.
uint32_t FirstRankAt(std::span<const int32_t> totals, std::span<const uint32_t> rank,
                     uint32_t start, int32_t total);

}  // namespace berth::scheduler::framework
