#include "scheduler/framework/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

#include "base/random.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

model::DomainId Domain(int number) {
  return number < 0 ? model::DomainId{} : model::DomainId{static_cast<uint32_t>(number)};
}

std::vector<model::DomainId> Domains(std::initializer_list<int> numbers) {
  std::vector<model::DomainId> domains;
  for (int number : numbers) domains.push_back(Domain(number));
  return domains;
}

TEST(Kernels, RangeOfSharesIsThatOfEach) {
  EXPECT_EQ(RangeOf(std::vector<float>{0.5F}).lowest, 0.5F);
  std::vector<float> shares;
  for (int i = 0; i < 100; ++i) shares.push_back(static_cast<float>(37 * i % 100) / 64);
  shares[71] = 1e9F;
  EXPECT_EQ(RangeOf(shares).lowest, 0.0F);
  EXPECT_EQ(RangeOf(shares).highest, 1e9F);
}

RC_GTEST_PROP(Kernels, MembersAreSetAndFoundOneByOneAndTogether, (uint64_t members)) {
  std::array<uint32_t, 64> values;
  for (size_t i = 0; i < values.size(); ++i) values[i] = *rc::gen::inRange<uint32_t>(0, 4);
  uint64_t equal = 0;
  for (size_t i = 0; i < values.size(); ++i) equal |= uint64_t{values[i] == 3} << i;
  RC_ASSERT(MembersEqualTo(values, 3) == equal);
  std::array<uint32_t, 64> expected = values;
  for (size_t i = 0; i < values.size(); ++i) {
    if ((members >> i) & 1) expected[i] = 7;
  }
  SetMembers(values, members, 7);
  RC_ASSERT(values == expected);
}

TEST(Kernels, ExcludedRowsStayExcluded) {
  model::NodeMask rows(3);
  rows.Set(1);
  std::vector<int32_t> totals(3);
  CopyRows(rows, std::vector<int32_t>{5, 6, 7}, totals);
  DomainTable most(1, static_cast<int32_t>(kMaxTotal));
  AddByDomain(Domains({0, -1, 0}), most, totals);
  EXPECT_LT(totals[0], 0);
  EXPECT_LT(totals[2], 0);
}

TEST(Kernels, RowsInNoDomainHaveAValueOfTheirOwn) {
  DomainTable values(2);
  values[0] = 10;
  values[1] = 20;
  values.none() = 3;
  std::vector<int32_t> totals = {1, 1, 1};
  AddByDomain(Domains({1, -1, 0}), values, totals);
  EXPECT_THAT(totals, ElementsAre(21, 4, 11));
}

TEST(Kernels, RangeIgnoresExcludedRows) {
  const ValueRange range =
      RangeOf(std::vector<int32_t>{9, 4, 6, 1}, std::vector<int32_t>{-1, 0, 7, -5});
  EXPECT_EQ(range.lowest, 4);
  EXPECT_EQ(range.highest, 6);
}

TEST(Kernels, ValuesBeyondTheTableCountAsTheNearest) {
  std::vector<int32_t> totals = {0, 0, -9, -9};
  AddByValue(std::vector<int32_t>{5, 6, 2, 40}, 5, std::vector<int32_t>{50, 60}, totals);
  EXPECT_THAT(totals, ElementsAre(50, 60, 41, 51));
}

TEST(Kernels, LooksUpByDomainAndCount) {
  // No domain, then domain 0, then domain 1; for 0 and 1 pods each.
  const std::vector<int32_t> table = {1, 2, 10, 20, 100, 200};
  std::vector<int32_t> values(4);
  LookUpByDomainAndCount(Domains({1, 0, -1, 1}), std::vector<int32_t>{1, 0, 1}, table, 2, values);
  EXPECT_THAT(values, ElementsAre(200, 10, 2, 100));
}

// Sizes around those of words and vector registers; few domains and many.
RC_GTEST_PROP(RowLoopsProperty, FastLoopsEqualThePlainOnes, (uint64_t seed)) {
  Random random(seed);
  const auto size = static_cast<size_t>(random.Below(200));
  const auto domains = static_cast<size_t>(1 + random.Below(random.Below(2) == 0 ? 5 : 60));
  model::NodeMask rows(size);
  std::vector<model::DomainId> domain_of;
  std::vector<int32_t> totals, values;
  for (size_t row = 0; row < size; ++row) {
    rows.Assign(row, random.Below(2) == 0);
    domain_of.push_back(Domain(static_cast<int>(random.Below(domains + 1)) - 1));
    totals.push_back(static_cast<int32_t>(random.Below(4)) - 1);
    values.push_back(static_cast<int32_t>(random.Below(50)));
  }
  DomainTable table(domains);
  table.none() = static_cast<int32_t>(random.Below(2));
  for (size_t domain = 0; domain < domains; ++domain)
    table[domain] = static_cast<int32_t>(random.Below(2));
  auto value_of = [&](size_t row) {
    return domain_of[row].valid() ? table[domain_of[row].index()] : table.none();
  };

  model::NodeMask retained = rows;
  KeepDomains(retained, domain_of, table);
  std::vector<int32_t> copied(size);
  CopyRows(rows, totals, copied);
  std::vector<int32_t> added = totals;
  AddByDomain(domain_of, table, added);
  ValueRange range;
  for (size_t row = 0; row < size; ++row) {
    RC_ASSERT(retained.Test(row) == (rows.Test(row) && value_of(row) != 0));
    RC_ASSERT(copied[row] == (rows.Test(row) ? totals[row] : kRowOut));
    RC_ASSERT(added[row] == totals[row] + value_of(row));
    if (totals[row] < 0) continue;
    range.lowest = std::min(range.lowest, values[row]);
    range.highest = std::max(range.highest, values[row]);
  }
  RC_ASSERT(RangeOf(values, totals).lowest == range.lowest);
  RC_ASSERT(RangeOf(values, totals).highest == range.highest);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
