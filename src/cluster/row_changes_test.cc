#include "cluster/row_changes.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

using Rows = std::vector<uint32_t>;

Rows Since(const RowChanges& changes, uint64_t position) {
  Rows rows;
  for (NodeRow row : changes.Since(position)) rows.push_back(row.value);
  return rows;
}

TEST(RowChanges, GivesWhatChangedSinceAPositionWithRepetitions) {
  RowChanges changes;
  EXPECT_EQ(changes.now(), 0u);
  EXPECT_EQ(Since(changes, 0), Rows());
  changes.Add(NodeRow{3}, 4);
  const uint64_t position = changes.now();
  changes.Add(NodeRow{1}, 4);
  changes.Add(NodeRow{3}, 4);
  changes.Add(NodeRow{1}, 4);
  EXPECT_EQ(Since(changes, position), Rows({1, 3, 1}));
  EXPECT_EQ(Since(changes, 0), Rows({3, 1, 3, 1}));
  EXPECT_EQ(Since(changes, changes.now()), Rows());
}

// With one row, at most 2 * 1 + 1024 changes are kept; the next one drops the older half.
TEST(RowChanges, ForgetsTheOlderHalfWhenItGrowsTooLong) {
  RowChanges changes;
  for (uint32_t i = 0; i < 1026; ++i) changes.Add(NodeRow{i}, 1);
  EXPECT_TRUE(changes.Covers(0));
  changes.Add(NodeRow{1026}, 1);
  EXPECT_FALSE(changes.Covers(0));
  EXPECT_FALSE(changes.Covers(512));
  EXPECT_TRUE(changes.Covers(513));
  EXPECT_EQ(changes.now(), 1027u);
  EXPECT_EQ(Since(changes, 1025), Rows({1025, 1026}));
  EXPECT_EQ(changes.Since(513).size(), 514u);
}

TEST(RowChanges, KeepsMoreWhenThereAreMoreRows) {
  RowChanges changes;
  for (uint32_t i = 0; i < 3024; ++i) changes.Add(NodeRow{i % 1000}, 1000);
  EXPECT_TRUE(changes.Covers(0));
  EXPECT_EQ(changes.Since(0).size(), 3024u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
