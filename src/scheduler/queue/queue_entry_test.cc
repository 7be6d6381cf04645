#include "scheduler/queue/queue_entry.h"

#include <gtest/gtest.h>

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

QueueEntry Failed(uint32_t rejections, uint32_t errors_in_row, int64_t millis) {
  QueueEntry entry;
  entry.rejections = rejections;
  entry.errors_in_row = errors_in_row;
  entry.order.timestamp = Instant{} + Duration::Millis(millis);
  return entry;
}

struct BackoffCase {
  const char* name;
  BackoffPolicy policy;
  uint32_t rejections;
  uint32_t errors_in_row;
  int64_t millis;       // When it came back.
  int64_t want_millis;  // 0: need not wait.
};

constexpr BackoffPolicy kDefault = {};
constexpr BackoffPolicy Policy(int64_t initial_millis, int64_t max_millis) {
  return {Duration::Millis(initial_millis), Duration::Millis(max_millis)};
}

TEST(Backoff, DoublesUpToTheLimit) {
  const BackoffCase cases[] = {
      {"NeverTried", kDefault, 0, 0, 100'000, 0},
      {"First", kDefault, 1, 0, 100'000, 101'000},
      {"Second", kDefault, 2, 0, 100'000, 102'000},
      {"Third", kDefault, 3, 0, 100'000, 104'000},
      {"Fourth", kDefault, 4, 0, 100'000, 108'000},
      {"Fifth", kDefault, 5, 0, 100'000, 110'000},
      {"Sixth", kDefault, 6, 0, 100'000, 110'000},
      {"Hundredth", kDefault, 100, 0, 100'000, 110'000},
      {"ErrorsCountAlone", kDefault, 5, 1, 100'000, 101'000},
      {"ErrorsInARow", kDefault, 1, 4, 100'000, 108'000},
      {"BetweenSeconds", kDefault, 1, 0, 100'999, 101'999},
      {"HalfASecond", Policy(500, 10'000), 1, 0, 100'600, 101'100},
      {"OddStepReachesTheLimit", Policy(3'000, 10'000), 3, 0, 100'000, 110'000},
      {"StepBelowTheLimit", Policy(3'000, 10'000), 2, 0, 100'000, 106'000},
      {"InitialIsTheLimit", Policy(5'000, 5'000), 7, 0, 100'000, 105'000},
      {"NoLimitMeansNoWait", Policy(1'000, 0), 3, 2, 100'000, 0},
  };
  for (const BackoffCase& c : cases) {
    SCOPED_TRACE(c.name);
    const Instant end = c.policy.EndOf(Failed(c.rejections, c.errors_in_row, c.millis));
    EXPECT_EQ(end, Instant{} + Duration::Millis(c.want_millis));
  }
}

Instant At(int64_t millis) { return Instant{} + Duration::Millis(millis); }

TEST(BackoffTicks, AlignedOnesAreAtFullSeconds) {
  BackoffTicks ticks(/*aligned=*/true);
  EXPECT_EQ(ticks.Align(At(100'999)), At(100'000));
  EXPECT_EQ(ticks.Last(At(100'999)), At(100'000));
  EXPECT_EQ(ticks.Last(At(101'000)), At(101'000));
  EXPECT_EQ(ticks.After(At(101'000)), At(102'000));
}

TEST(BackoffTicks, OthersCountFromTheFirstUse) {
  BackoffTicks ticks(/*aligned=*/false);
  EXPECT_EQ(ticks.Align(At(100'999)), At(100'999));
  EXPECT_EQ(ticks.Last(At(100'300)), At(100'300));
  EXPECT_EQ(ticks.Last(At(101'299)), At(100'300));
  EXPECT_EQ(ticks.Last(At(101'300)), At(101'300));
  EXPECT_EQ(ticks.After(At(101'299)), At(101'300));
  EXPECT_EQ(ticks.After(At(101'300)), At(102'300));
  EXPECT_EQ(ticks.After(At(0)), At(100'300));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
