#include "scheduler/framework/kernels.h"

#include <algorithm>
#include <bit>

#include "base/vectorised.h"
#include "scheduler/model/pod_counters.h"

namespace berth::scheduler::framework {
namespace {

// Up to this many domains, a set of them is one word. Rows in no domain are its last bit, as the
// last bits of DomainId::kNone say.
constexpr size_t kFewDomains = 31;

BERTH_VECTORISED
void CopyWord(uint64_t word, const int32_t* from, int32_t* to) {
  for (uint32_t half = 0; half < 2; ++half) {
    const auto bits = static_cast<uint32_t>(word >> (32 * half));
    for (uint32_t bit = 0; bit < 32; ++bit) {
      const int32_t value = from[32 * half + bit];
      to[32 * half + bit] = (bits >> bit) & 1 ? value : kRowOut;
    }
  }
}

BERTH_VECTORISED
uint64_t EqualIn(const uint32_t* values, uint32_t value) {
  uint64_t members = 0;
  for (uint32_t half = 0; half < 2; ++half) {
    uint32_t bits = 0;
    for (uint32_t bit = 0; bit < 32; ++bit)
      bits |= uint32_t{values[32 * half + bit] == value} << bit;
    members |= uint64_t{bits} << (32 * half);
  }
  return members;
}

BERTH_VECTORISED
void SetIn(uint32_t* values, uint64_t members, uint32_t value) {
  for (uint32_t half = 0; half < 2; ++half) {
    const auto bits = static_cast<uint32_t>(members >> (32 * half));
    for (uint32_t bit = 0; bit < 32; ++bit) {
      uint32_t& old = values[32 * half + bit];
      old = (bits >> bit) & 1 ? value : old;
    }
  }
}

BERTH_VECTORISED
uint64_t RowsOf(uint32_t domains, const model::DomainId* domain_of) {
  uint64_t rows = 0;
  for (uint32_t half = 0; half < 2; ++half) {
    uint32_t bits = 0;
    for (uint32_t bit = 0; bit < 32; ++bit)
      bits |= ((domains >> (domain_of[32 * half + bit].value & 31)) & 1) << bit;
    rows |= uint64_t{bits} << (32 * half);
  }
  return rows;
}

BERTH_VECTORISED
uint64_t RowsOf(const int32_t* keep, const model::DomainId* domain_of) {
  uint64_t rows = 0;
  for (uint32_t half = 0; half < 2; ++half) {
    uint32_t bits = 0;
    for (uint32_t bit = 0; bit < 32; ++bit) {
      const int32_t bit_value = keep[static_cast<int32_t>(domain_of[32 * half + bit].value)];
      bits |= static_cast<uint32_t>(bit_value) << bit;
    }
    rows |= uint64_t{bits} << (32 * half);
  }
  return rows;
}

BERTH_VECTORISED
void AddProducts(const int32_t* __restrict counts, int32_t factor, size_t domains,
                 int32_t* __restrict values) {
  for (size_t domain = 0; domain < domains; ++domain) values[domain] += factor * counts[domain];
}

BERTH_VECTORISED
void SetByDomain(const model::DomainId* domain_of, const int32_t* __restrict by_domain, size_t rows,
                 int32_t* __restrict values) {
  for (size_t row = 0; row < rows; ++row)
    values[row] = by_domain[static_cast<int32_t>(domain_of[row].value)];
}

BERTH_VECTORISED
void AddByDomain(const model::DomainId* domain_of, const int32_t* __restrict values, size_t rows,
                 int32_t* __restrict totals) {
  // DomainId::kNone is -1 as a signed number.
  for (size_t row = 0; row < rows; ++row)
    totals[row] += values[static_cast<int32_t>(domain_of[row].value)];
}

BERTH_VECTORISED
ValueRange RangeOf(const int32_t* values, const int32_t* totals, size_t rows) {
  int32_t lowest = INT32_MAX, highest = INT32_MIN;
  for (size_t row = 0; row < rows; ++row) {
    const int32_t value = values[row];
    const int32_t out = totals[row] >> 31;
    lowest = std::min(lowest, (value & ~out) | (INT32_MAX & out));
    highest = std::max(highest, (value & ~out) | (INT32_MIN & out));
  }
  return {lowest, highest};
}

BERTH_VECTORISED
ShareRange RangeOf(const float* values, size_t count) {
  // Numbers that are not negative are ordered as their bits are, and those are vectorised.
  int32_t lowest = INT32_MAX, highest = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<int32_t>(values[i]);
    lowest = std::min(lowest, bits);
    highest = std::max(highest, bits);
  }
  return {std::bit_cast<float>(lowest), std::bit_cast<float>(highest)};
}

BERTH_VECTORISED
void AddByValue(const int32_t* values, int32_t lowest, int32_t highest,
                const int32_t* __restrict table, size_t rows, int32_t* __restrict totals) {
  for (size_t row = 0; row < rows; ++row)
    totals[row] += table[std::clamp(values[row], lowest, highest) - lowest];
}

BERTH_VECTORISED
void LookUp(const model::DomainId* domain_of, const int32_t* counts,
            const int32_t* __restrict table, int32_t width, size_t rows,
            int32_t* __restrict values) {
  for (size_t row = 0; row < rows; ++row)
    values[row] = table[static_cast<int32_t>(domain_of[row].value) * width + counts[row]];
}

BERTH_VECTORISED
int32_t Highest(const int32_t* totals, size_t rows) {
  int32_t highest = -1;
  for (size_t row = 0; row < rows; ++row) highest = std::max(highest, totals[row]);
  return highest;
}

BERTH_VECTORISED
uint32_t FirstRank(const int32_t* totals, const uint32_t* rank, uint32_t start, size_t rows,
                   int32_t total) {
  uint32_t nearest = UINT32_MAX;
  for (size_t row = 0; row < rows; ++row) {
    const uint32_t out = -static_cast<uint32_t>(totals[row] != total);
    // Ranks before `start` wrap around to the highest numbers, in their order.
    const uint32_t distance = (rank[row] - start) | out;
    nearest = distance < nearest ? distance : nearest;
  }
  return start + nearest;
}

}  // namespace

uint64_t MembersEqualTo(std::span<const uint32_t, 64> values, uint32_t value) {
  return EqualIn(values.data(), value);
}

void SetMembers(std::span<uint32_t, 64> values, uint64_t members, uint32_t value) {
  SetIn(values.data(), members, value);
}

void CopyRows(const model::NodeMask& rows, std::span<const int32_t> from, std::span<int32_t> to) {
  const size_t full = from.size() / 64;
  for (size_t w = 0; w < full; ++w) CopyWord(rows.words()[w], &from[w * 64], &to[w * 64]);
  for (size_t row = full * 64; row < from.size(); ++row)
    to[row] = rows.Test(row) ? from[row] : kRowOut;
}

void KeepDomains(model::NodeMask& rows, std::span<const model::DomainId> domain_of,
                 const DomainTable& keep) {
  // Of the last word, rows that do not exist are left out.
  const size_t full = rows.size() / 64;
  const auto last = [&](size_t first) {
    uint64_t kept = 0;
    for (size_t row = first; row < rows.size(); ++row) {
      const int32_t value = keep.data()[static_cast<int32_t>(domain_of[row].value)];
      kept |= uint64_t{value != 0} << (row - first);
    }
    return kept;
  };
  if (keep.domains() <= kFewDomains) {
    uint32_t domains = static_cast<uint32_t>(keep.none()) << kFewDomains;
    for (size_t domain = 0; domain < keep.domains(); ++domain)
      domains |= static_cast<uint32_t>(keep[domain]) << domain;
    rows.KeepByWord(
        [&](size_t w) { return w < full ? RowsOf(domains, &domain_of[w * 64]) : last(w * 64); });
  } else {
    rows.KeepByWord([&](size_t w) -> uint64_t {
      if (rows.words()[w] == 0) return 0;
      return w < full ? RowsOf(keep.data(), &domain_of[w * 64]) : last(w * 64);
    });
  }
}

void AddCounts(const model::IndexedCounts& counts, int32_t factor, DomainTable& values) {
  const std::span<const int32_t> dense = counts.dense();
  AddProducts(dense.data(), factor, std::min(dense.size(), values.domains()), values.data());
  counts.ForEachOther([&](size_t domain, int32_t count) {
    if (domain < values.domains()) values[domain] += factor * count;
  });
}

void SetByDomain(std::span<const model::DomainId> domain_of, const DomainTable& by_domain,
                 std::span<int32_t> values) {
  SetByDomain(domain_of.data(), by_domain.data(), values.size(), values.data());
}

void AddByDomain(std::span<const model::DomainId> domain_of, const DomainTable& values,
                 std::span<int32_t> totals) {
  AddByDomain(domain_of.data(), values.data(), totals.size(), totals.data());
}

ValueRange RangeOf(std::span<const int32_t> values, std::span<const int32_t> totals) {
  return RangeOf(values.data(), totals.data(), totals.size());
}

ShareRange RangeOf(std::span<const float> values) { return RangeOf(values.data(), values.size()); }

void AddByValue(std::span<const int32_t> values, int32_t lowest, std::span<const int32_t> table,
                std::span<int32_t> totals) {
  const auto highest = static_cast<int32_t>(lowest + static_cast<int64_t>(table.size()) - 1);
  AddByValue(values.data(), lowest, highest, table.data(), totals.size(), totals.data());
}

void LookUpByDomainAndCount(std::span<const model::DomainId> domain_of,
                            std::span<const int32_t> counts, std::span<const int32_t> table,
                            int32_t width, std::span<int32_t> values) {
  const int32_t* first_domain = table.data() + width;
  const size_t counted = std::min(counts.size(), values.size());
  LookUp(domain_of.data(), counts.data(), first_domain, width, counted, values.data());
  for (size_t row = counted; row < values.size(); ++row)
    values[row] = first_domain[static_cast<int32_t>(domain_of[row].value) * width];
}

int32_t HighestOf(std::span<const int32_t> totals) { return Highest(totals.data(), totals.size()); }

uint32_t FirstRankAt(std::span<const int32_t> totals, std::span<const uint32_t> rank,
                     uint32_t start, int32_t total) {
  return FirstRank(totals.data(), rank.data(), start, totals.size(), total);
}

}  // namespace berth::scheduler::framework
