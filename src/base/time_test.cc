#include "base/time.h"

#include <gtest/gtest.h>

#include "base/chrono.h"
#include "base/steady_clock.h"

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

TEST(Duration, HasArithmetic) {
  const Duration second = Duration::Seconds(1);
  EXPECT_EQ(second + second / 2, Duration::Millis(1500));
  EXPECT_EQ(second * 3 - second, Duration::Seconds(2));
  EXPECT_EQ(-second, Duration::Seconds(-1));
  EXPECT_EQ(second * 0.25, Duration::Millis(250));
  EXPECT_EQ(second / 4.0, Duration::Millis(250));
  EXPECT_EQ(Duration::Millis(2500) / second, 2);
  EXPECT_EQ(Duration::Millis(2500) % second, Duration::Millis(500));
  EXPECT_EQ(Duration::FromSeconds(1.5), Duration::Millis(1500));
  EXPECT_DOUBLE_EQ(Duration::Millis(1500).millis(), 1500);
  EXPECT_GT(second * 1e300, Duration::Seconds(9'000'000'000));
  Duration sum = second;
  sum += second;
  sum *= 4;
  sum -= second;
  EXPECT_EQ(sum, Duration::Seconds(7));
}

TEST(Duration, ConvertsToChronoAndBack) {
  EXPECT_EQ(ToChrono(Duration::Millis(20)), std::chrono::milliseconds(20));
  EXPECT_EQ(FromChrono(std::chrono::seconds(2)), Duration::Seconds(2));
  EXPECT_EQ(FromChrono(std::chrono::duration<double, std::milli>(1.5)), Duration{1'500'000});
}

TEST(Instant, AddsAndSubtracts) {
  const Instant noon = Instant::FromUnixSeconds(43'200);
  EXPECT_EQ(noon.nanos, 43'200'000'000'000);
  EXPECT_EQ((noon + Duration::Millis(1)).nanos, 43'200'001'000'000);
  EXPECT_EQ(noon + Duration::Seconds(5) - noon, Duration::Seconds(5));
  EXPECT_EQ(Instant{} - noon, Duration::Seconds(-43'200));
  EXPECT_EQ(noon - Duration::Seconds(43'200), Instant{});
  EXPECT_EQ(noon.since_epoch(), Duration::Seconds(43'200));
}

TEST(Instant, IsRoundedDownToSeconds) {
  const struct {
    Instant instant;
    int64_t want;
  } cases[] = {
      {Instant{1'999'999'999}, 1}, {Instant{2'000'000'000}, 2},   {Instant{}, 0},
      {Instant{-1}, -1},           {Instant{-1'000'000'000}, -1}, {Instant{-1'000'000'001}, -2},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(c.instant.unix_seconds(), c.want) << c.instant.nanos;
    EXPECT_EQ(c.instant.FloorToSecond(), Instant::FromUnixSeconds(c.want)) << c.instant.nanos;
  }
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

TEST(SteadyClock, NeverGoesBackAndStartsAtTheDate) {
  const Instant first = SteadyClock().Now();
  const Instant second = SteadyClock().Now();
  EXPECT_LE(first, second);
  EXPECT_GT(first, Instant::FromUnixSeconds(1'700'000'000));
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
