#include "cluster/nominations.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

using Pods = std::vector<PodId>;

constexpr PodId kA{1}, kB{2}, kC{3};
constexpr Symbol kNode{10}, kOther{11};

TEST(Nominations, ListPodsInOrderOfNomination) {
  Nominations nominations;
  EXPECT_TRUE(nominations.empty());
  nominations.Set(kC, kNode);
  nominations.Set(kA, kNode);
  nominations.Set(kB, kOther);
  EXPECT_EQ(nominations.PodsOn(kNode), Pods({kC, kA}));
  EXPECT_EQ(nominations.PodsOn(kOther), Pods({kB}));
  EXPECT_EQ(nominations.NodeOf(kC), kNode);
  EXPECT_EQ(nominations.by_node().size(), 2u);
}

TEST(Nominations, NewOneReplacesTheOld) {
  Nominations nominations;
  nominations.Set(kA, kNode);
  nominations.Set(kB, kNode);
  nominations.Set(kA, kOther);
  EXPECT_EQ(nominations.PodsOn(kNode), Pods({kB}));
  EXPECT_EQ(nominations.NodeOf(kA), kOther);
  nominations.Set(kA, kNode);
  EXPECT_EQ(nominations.PodsOn(kNode), Pods({kB, kA}));
  EXPECT_TRUE(nominations.PodsOn(kOther).empty());
}

TEST(Nominations, ClearLeavesNothing) {
  Nominations nominations;
  nominations.Set(kA, kNode);
  nominations.Clear(kA);
  nominations.Clear(kB);
  EXPECT_FALSE(nominations.NodeOf(kA).valid());
  EXPECT_TRUE(nominations.PodsOn(kNode).empty());
  EXPECT_TRUE(nominations.empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
