#include "base/time.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(Duration, CountsNanoseconds) {
  EXPECT_EQ(Duration::Seconds(3).nanos, 3'000'000'000);
  EXPECT_EQ(Duration::Millis(-250).nanos, -250'000'000);
  EXPECT_DOUBLE_EQ(Duration::Millis(1500).seconds(), 1.5);
  EXPECT_EQ(Duration{}.nanos, 0);
}

TEST(Duration, IsOrderedByLength) {
  EXPECT_LT(Duration::Millis(999), Duration::Seconds(1));
  EXPECT_EQ(Duration::Millis(1000), Duration::Seconds(1));
  EXPECT_LT(Duration::Seconds(-1), Duration{});
}

TEST(Instant, AddsAndSubtracts) {
  const Instant noon = Instant::FromUnixSeconds(43'200);
  EXPECT_EQ(noon.nanos, 43'200'000'000'000);
  EXPECT_EQ((noon + Duration::Millis(1)).nanos, 43'200'001'000'000);
  EXPECT_EQ(noon + Duration::Seconds(5) - noon, Duration::Seconds(5));
  EXPECT_EQ(Instant{} - noon, Duration::Seconds(-43'200));
}

TEST(Instant, IsOrderedByTime) {
  EXPECT_LT(Instant::FromUnixSeconds(1), Instant::FromUnixSeconds(2));
  EXPECT_LT(Instant::FromUnixSeconds(-1), Instant{});
}

TEST(SimClock, StandsStillUntilItIsMoved) {
  SimClock clock(Instant::FromUnixSeconds(100));
  EXPECT_EQ(clock.Now(), Instant::FromUnixSeconds(100));
  EXPECT_EQ(clock.Now(), Instant::FromUnixSeconds(100));
  clock.Advance(Duration::Seconds(20));
  EXPECT_EQ(clock.Now(), Instant::FromUnixSeconds(120));
}

TEST(SystemClock, CountsFromTheUnixEpoch) {
  const Instant year_2020 = Instant::FromUnixSeconds(1'577'836'800);
  const Instant year_2200 = Instant::FromUnixSeconds(7'258'118'400);
  const Instant now = SystemClock().Now();
  EXPECT_GT(now, year_2020);
  EXPECT_LT(now, year_2200);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
