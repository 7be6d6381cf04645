#include "scheduler/framework/ranking_budget.h"

#include <gtest/gtest.h>

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

TEST(RankingBudget, GivesAShareOfTheTime) {
  RankingBudget budget;
  Instant now = Instant::FromUnixSeconds(1'000'000);
  budget.Advance(now);
  EXPECT_FALSE(budget.Take(Duration::Millis(1) + Duration{1}));
  EXPECT_TRUE(budget.Take(Duration{600'000}));
  EXPECT_FALSE(budget.Take(Duration{600'000}));
  EXPECT_TRUE(budget.Take(Duration{400'000})) << "the rest";
  EXPECT_FALSE(budget.Take(Duration{1}));
  now = now + Duration::Millis(6);
  budget.Advance(now);
  EXPECT_TRUE(budget.Take(Duration{15'000}));
  EXPECT_FALSE(budget.Take(Duration{1}));
  budget.Advance(now + Duration::Seconds(3600));
  EXPECT_TRUE(budget.Take(Duration::Millis(1)));
  EXPECT_FALSE(budget.Take(Duration{1})) << "time that has passed does not add up";
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
