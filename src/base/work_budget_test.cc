#include "base/work_budget.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(WorkBudget, HoldsUpToItsLimit) {
  WorkBudget budget(10);
  EXPECT_TRUE(budget.Spend(4));
  EXPECT_TRUE(budget.Spend(6));
  EXPECT_EQ(budget.left(), 0u);
  EXPECT_FALSE(budget.exceeded());
  EXPECT_FALSE(budget.Spend(1));
  EXPECT_TRUE(budget.exceeded());
  EXPECT_FALSE(budget.Spend(0));
  EXPECT_EQ(budget.spent(), 11u);
}

TEST(WorkBudget, ASumThatOverflowsIsBeyondTheLimit) {
  WorkBudget budget(100);
  EXPECT_TRUE(budget.Spend(1));
  EXPECT_FALSE(budget.Spend(UINT64_MAX));
  EXPECT_FALSE(budget.Spend(UINT64_MAX));
  EXPECT_EQ(budget.left(), 0u);
}

TEST(WorkBudget, CanBeExhausted) {
  WorkBudget budget(100);
  budget.Exhaust();
  EXPECT_TRUE(budget.exceeded());
}

TEST(WorkBudget, WithoutLimitNothingIsTooMuch) {
  WorkBudget budget;
  EXPECT_TRUE(budget.Spend(UINT64_MAX));
  EXPECT_TRUE(budget.Spend(UINT64_MAX));
  budget.Exhaust();
  EXPECT_FALSE(budget.exceeded());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
