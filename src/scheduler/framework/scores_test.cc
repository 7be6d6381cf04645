#include "scheduler/framework/scores.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "base/random.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

using Scores = std::vector<int64_t>;

struct NormalizeCase {
  const char* name;
  bool reverse;
  Scores scores;
  Scores want;
};

TEST(DefaultNormalize, ScalesToAHundred) {
  const NormalizeCase cases[] = {
      {"HighestBecomesAHundred", false, {0, 5, 10}, {0, 50, 100}},
      {"Truncates", false, {1, 2, 3}, {33, 66, 100}},
      {"Reversed", true, {0, 5, 10}, {100, 50, 0}},
      {"ReversedTruncatesBeforeItTurns", true, {1, 2, 3}, {67, 34, 0}},
      {"AllZeroStay", false, {0, 0}, {0, 0}},
      {"AllZeroReversedAreBest", true, {0, 0}, {100, 100}},
      {"NegativeMaximumCountsAsZero", false, {-5, -1}, {-5, -1}},
      {"NegativeMaximumReversed", true, {-5, -1}, {100, 100}},
      {"NegativesScaleToo", false, {-5, 10}, {-50, 100}},
  };
  for (const NormalizeCase& c : cases) {
    SCOPED_TRACE(c.name);
    Scores scores = c.scores;
    DefaultNormalize(model::NodeMask(scores.size(), true), c.reverse, scores);
    EXPECT_EQ(scores, c.want);
  }
}

TEST(DefaultNormalize, LooksAtFeasibleNodesOnly) {
  Scores scores = {1000, 5, 10, -7};
  model::NodeMask feasible(4);
  feasible.Set(1);
  feasible.Set(2);
  DefaultNormalize(feasible, false, scores);
  EXPECT_EQ(scores, Scores({1000, 50, 100, -7}));
}

struct LineCase {
  int64_t x, want;
};

TEST(BrokenLinear, FollowsThePoints) {
  const std::vector<ShapePoint> falling = {{0, 100}, {70, 50}, {100, 0}};
  for (const LineCase& c : {LineCase{0, 100},
                            {1, 100},
                            {27, 81},
                            {50, 65},
                            {70, 50},
                            {71, 49},
                            {85, 25},
                            {99, 2},
                            {100, 0}}) {
    EXPECT_EQ(BrokenLinear(falling, c.x), c.want) << c.x;
  }
  const std::vector<ShapePoint> rising = {{10, 0}, {20, 100}};
  for (const LineCase& c : {LineCase{0, 0}, {10, 0}, {11, 10}, {19, 90}, {20, 100}, {99, 100}}) {
    EXPECT_EQ(BrokenLinear(rising, c.x), c.want) << c.x;
  }
  const std::vector<ShapePoint> flat = {{50, 7}};
  EXPECT_EQ(BrokenLinear(flat, 0), 7);
  EXPECT_EQ(BrokenLinear(flat, 100), 7);
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

constexpr uint32_t kOut = UINT32_MAX;

struct Candidates {
  std::vector<int32_t> totals;
  std::vector<model::NodeRow> order;
  std::vector<uint32_t> rank;

  // `order_of_rows` lists the rows in node order.
  Candidates(std::vector<int32_t> given, const std::vector<uint32_t>& order_of_rows)
      : totals(std::move(given)), rank(totals.size()) {
    for (uint32_t row : order_of_rows) {
      rank[row] = static_cast<uint32_t>(order.size());
      order.push_back(model::NodeRow{row});
    }
  }

  uint32_t Fast(uint32_t start = 0) const { return SelectBest(totals, rank, start, order).value; }
  model::NodeMask Feasible() const {
    model::NodeMask feasible(totals.size());
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

TEST(SelectBest, EqualsTakeTurnsFromTheStartOn) {
  const Candidates candidates({9, 5, 9, 9}, {0, 1, 2, 3});
  EXPECT_EQ(candidates.Fast(0), 0u);
  EXPECT_EQ(candidates.Fast(1), 2u);
  EXPECT_EQ(candidates.Fast(2), 2u);
  EXPECT_EQ(candidates.Fast(3), 3u);
  EXPECT_EQ(Candidates({5, 9, 5, 5}, {0, 1, 2, 3}).Fast(3), 1u);
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
  model::NodeMask feasible(4);
  feasible.Set(1);
  feasible.Set(3);
  const std::vector<uint32_t> rank = {0, 3, 2, 1};
  EXPECT_EQ(
      SelectBest(feasible, std::span<const int64_t>(std::vector<int64_t>{9, -4, 9, -8}), rank, 0),
      model::NodeRow{1});
  EXPECT_EQ(
      SelectBest(feasible, std::span<const int64_t>(std::vector<int64_t>{9, 4, 9, 4}), rank, 0),
      model::NodeRow{3});
  EXPECT_FALSE(
      SelectBest(model::NodeMask(4), std::span<const int64_t>(std::vector<int64_t>(4)), rank, 0)
          .valid());
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
  const std::vector<model::NodeRow>& rows_in_any_order = candidates.order;

  const auto start = static_cast<uint32_t>(random.Below(size + 1));
  model::NodeRow plain;
  for (size_t i = 0; i < size; ++i) {
    const model::NodeRow row = candidates.order[(start + i) % size];
    if (totals[row.index()] < 0) continue;
    if (!plain.valid() || totals[row.index()] > totals[plain.index()]) plain = row;
  }

  RC_ASSERT(candidates.Fast(start) == plain.value);
  const std::vector<int64_t> wide(totals.begin(), totals.end());
  Tournament tournament;
  tournament.Start(size, [](size_t) { return 0; });
  for (model::NodeRow row : rows_in_any_order) {
    tournament.Set(candidates.rank[row.index()], totals[row.index()]);
  }
  const bool none_feasible = size == 0 || tournament.highest() < 0;
  RC_ASSERT((none_feasible ? model::NodeRow{} : candidates.order[tournament.Winner(start)]) ==
            plain);
  RC_ASSERT(SelectBest(candidates.Feasible(), std::span<const int64_t>(wide), candidates.rank,
                       start) == plain);
}

RC_GTEST_PROP(TournamentProperty, RunnersUpHaveTheNextHighestTotals, (uint64_t seed)) {
  Random random(seed);
  const auto size = static_cast<size_t>(1 + random.Below(100));
  const uint64_t spread = 1 + random.Below(6);
  std::vector<int32_t> totals;
  for (size_t place = 0; place < size; ++place)
    totals.push_back(static_cast<int32_t>(random.Below(spread)) - 1);
  Tournament tournament;
  tournament.Start(size, [&](size_t place) { return totals[place]; });
  const size_t winner = tournament.Winner(static_cast<size_t>(random.Below(size)));
  std::vector<int32_t> want = totals;
  want.erase(want.begin() + static_cast<ptrdiff_t>(winner));
  std::erase_if(want, [](int32_t total) { return total < 0; });
  std::ranges::sort(want, std::greater());
  const auto count = static_cast<size_t>(random.Below(Tournament::kMaxRunnersUp + 1));
  want.resize(std::min(want.size(), count));

  std::vector<int32_t> found;
  std::set<size_t> places = {winner};
  tournament.ForEachRunnerUp(winner, count, [&](size_t place, int32_t total) {
    RC_ASSERT(totals[place] == total);
    RC_ASSERT(places.insert(place).second);
    found.push_back(total);
  });
  RC_ASSERT(found == want);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
