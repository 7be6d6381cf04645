#include "scheduler/framework/ranking_budget.h"

#include <gtest/gtest.h>

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

TEST(RankingBudget, GivesAShareOfTheTime) {
  RankingBudget budget;
  Instant now = Instant::FromUnixSeconds(1'000'000);
  budget.Advance(now);
  EXPECT_FALSE(budget.Take(20'000)) << "that is more than a millisecond";
  EXPECT_TRUE(budget.Take(10'000));
  EXPECT_FALSE(budget.Take(10'000));
  EXPECT_TRUE(budget.Take(6'666)) << "the rest";
  EXPECT_FALSE(budget.Take(1));
  now = now + Duration::Millis(6);
  budget.Advance(now);
  EXPECT_TRUE(budget.Take(1'000));
  EXPECT_FALSE(budget.Take(10));
  budget.Advance(now + Duration::Seconds(3600));
  EXPECT_FALSE(budget.Take(20'000)) << "time that has passed does not add up";
  EXPECT_TRUE(budget.Take(16'666));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
