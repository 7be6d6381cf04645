#include "runtime/driver_snapshot.h"

#include <gtest/gtest.h>

namespace berth::runtime {
namespace BERTH_TEST_FILE {

constexpr Duration Micros(int64_t n) { return {n * 1000}; }

TEST(LatencyHistogram, IsZeroWhenEmpty) {
  EXPECT_EQ(LatencyHistogram().count(), 0U);
  EXPECT_EQ(LatencyHistogram().Percentile(50), Duration{});
}

TEST(LatencyHistogram, RoundsUpToTheEndOfTheBucket) {
  struct Case {
    Duration added;
    Duration want;
  };
  const Case cases[] = {
      {Micros(-5), Micros(1)},
      {Micros(0), Micros(1)},
      {Micros(7), Micros(8)},
      {Micros(8), Micros(9)},
      {Micros(15), Micros(16)},
      {Micros(16), Micros(18)},
      {Micros(1000), Micros(1024)},
      {Micros(1024), Micros(1152)},
      {Duration::Seconds(1), Micros(1048576)},
  };
  for (const Case& c : cases) {
    LatencyHistogram histogram;
    histogram.Add(c.added);
    EXPECT_EQ(histogram.Percentile(99), c.want) << c.added.nanos;
  }
}

TEST(LatencyHistogram, CountsFromBelow) {
  LatencyHistogram histogram;
  for (int i = 0; i < 90; ++i) histogram.Add(Micros(2));
  for (int i = 0; i < 9; ++i) histogram.Add(Micros(100));
  histogram.Add(Micros(5000));
  EXPECT_EQ(histogram.count(), 100U);
  EXPECT_EQ(histogram.Percentile(50), Micros(3));
  EXPECT_EQ(histogram.Percentile(90), Micros(3));
  EXPECT_EQ(histogram.Percentile(91), Micros(104));
  EXPECT_EQ(histogram.Percentile(99), Micros(104));
  EXPECT_EQ(histogram.Percentile(100), Micros(5120));
}

TEST(LatencyHistogram, HasAnAverage) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.Average(), Duration{});
  histogram.Add(Micros(10));
  histogram.Add(Micros(30));
  histogram.Add(Micros(-5));
  histogram.Add(Micros(0));
  EXPECT_EQ(histogram.Average(), Micros(10));
}

TEST(LatencyHistogram, TellsWhatWasAddedSince) {
  LatencyHistogram histogram;
  for (int i = 0; i < 10; ++i) histogram.Add(Micros(5000));
  const LatencyHistogram earlier = histogram;
  histogram.Add(Micros(2));
  histogram.Add(Micros(4));
  const LatencyHistogram since = histogram.Since(earlier);
  EXPECT_EQ(since.count(), 2U);
  EXPECT_EQ(since.Average(), Micros(3));
  EXPECT_EQ(since.Percentile(100), Micros(5));
  EXPECT_EQ(earlier.Since(earlier).count(), 0U);
}

TEST(LatencyHistogram, KeepsWhatIsBeyondItInTheLastBucket) {
  LatencyHistogram histogram;
  histogram.Add(Duration::Seconds(1'000'000'000));
  EXPECT_EQ(histogram.count(), 1U);
  EXPECT_GT(histogram.Percentile(50), Duration::Seconds(1800));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
