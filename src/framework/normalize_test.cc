#include "framework/normalize.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth {
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
    DefaultNormalize(NodeMask(scores.size(), true), c.reverse, scores);
    EXPECT_EQ(scores, c.want);
  }
}

TEST(DefaultNormalize, LooksAtFeasibleNodesOnly) {
  Scores scores = {1000, 5, 10, -7};
  NodeMask feasible(4);
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
  EXPECT_EQ(BrokenLinear({{50, 7}}, 0), 7);
  EXPECT_EQ(BrokenLinear({{50, 7}}, 100), 7);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
