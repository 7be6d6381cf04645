#include "framework/select.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "base/random.h"
#include "framework/tournament.h"

namespace berth {
namespace BERTH_TEST_FILE {

constexpr uint32_t kOut = UINT32_MAX;

struct Candidates {
  std::vector<int32_t> totals;
  std::vector<NodeRow> order;
  std::vector<uint32_t> rank;

  // `order_of_rows` lists the rows in node order.
  Candidates(std::vector<int32_t> given, const std::vector<uint32_t>& order_of_rows)
      : totals(std::move(given)), rank(totals.size()) {
    for (uint32_t row : order_of_rows) {
      rank[row] = static_cast<uint32_t>(order.size());
      order.push_back(NodeRow{row});
    }
  }

  uint32_t Fast() const { return SelectBest(totals, rank, order).value; }
  NodeMask Feasible() const {
    NodeMask feasible(totals.size());
    for (size_t row = 0; row < totals.size(); ++row) feasible.Assign(row, totals[row] >= 0);
    return feasible;
  }
};

TEST(SelectBest, TakesTheHighestTotalAndTheFirstAmongEquals) {
  EXPECT_EQ(Candidates({3, 9, 5}, {0, 1, 2}).Fast(), 1u);
  EXPECT_EQ(Candidates({9, 5, 9}, {0, 1, 2}).Fast(), 0u);
  EXPECT_EQ(Candidates({9, 5, 9}, {2, 1, 0}).Fast(), 2u);
  EXPECT_EQ(Candidates({0, 0, 0}, {1, 2, 0}).Fast(), 1u);
}

TEST(SelectBest, NegativeTotalsAreOut) {
  EXPECT_EQ(Candidates({-1, 0, -1}, {0, 1, 2}).Fast(), 1u);
  EXPECT_EQ(Candidates({-1, -1}, {0, 1}).Fast(), kOut);
  EXPECT_EQ(Candidates({}, {}).Fast(), kOut);
}

TEST(SelectBest, RowsOutsideTheOrderAreNeverTaken) {
  // Row 1 has no node: it has a rank all the same, here that of the best row.
  EXPECT_EQ(Candidates({5, -1, 7}, {2, 0}).Fast(), 2u);
}

TEST(SelectBest, AmongSomeRowsNegativeTotalsCountLikeOthers) {
  NodeMask feasible(4);
  feasible.Set(1);
  feasible.Set(3);
  const std::vector<uint32_t> rank = {0, 3, 2, 1};
  EXPECT_EQ(
      SelectBest(feasible, std::span<const int64_t>(std::vector<int64_t>{9, -4, 9, -8}), rank),
      NodeRow{1});
  EXPECT_EQ(SelectBest(feasible, std::span<const int64_t>(std::vector<int64_t>{9, 4, 9, 4}), rank),
            NodeRow{3});
  EXPECT_FALSE(
      SelectBest(NodeMask(4), std::span<const int64_t>(std::vector<int64_t>(4)), rank).valid());
}

// Few distinct totals, so that ties are common; sizes around those of vector registers.
RC_GTEST_PROP(SelectBestProperty, FastLoopsEqualThePlainOne, (uint64_t seed)) {
  Random random(seed);
  const auto size = static_cast<size_t>(random.Below(100));
  const uint64_t spread = 1 + random.Below(6);
  std::vector<int32_t> totals;
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < size; ++row) {
    totals.push_back(static_cast<int32_t>(random.Below(spread)) - 1);
    rows.insert(rows.begin() + static_cast<ptrdiff_t>(random.Below(rows.size() + 1)), row);
  }
  const Candidates candidates(totals, rows);
  const std::vector<NodeRow>& rows_in_any_order = candidates.order;

  NodeRow plain;
  for (NodeRow row : candidates.order) {
    if (totals[row.index()] < 0) continue;
    if (!plain.valid() || totals[row.index()] > totals[plain.index()]) plain = row;
  }

  RC_ASSERT(candidates.Fast() == plain.value);
  const std::vector<int64_t> wide(totals.begin(), totals.end());
  Tournament tournament;
  tournament.Start(size, [](size_t) { return 0; });
  for (NodeRow row : rows_in_any_order) {
    tournament.Set(candidates.rank[row.index()], totals[row.index()]);
  }
  const bool nobody = size == 0 || tournament.highest() < 0;
  RC_ASSERT((nobody ? NodeRow{} : candidates.order[tournament.winner()]) == plain);
  RC_ASSERT(SelectBest(candidates.Feasible(), std::span<const int64_t>(wide), candidates.rank) ==
            plain);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
