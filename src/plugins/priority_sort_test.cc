#include "plugins/priority_sort.h"

#include <gtest/gtest.h>

#include <limits>

#include "framework/queued_pod.h"

namespace berth {
namespace BERTH_TEST_FILE {

struct LessCase {
  const char* name;
  QueuedPod a, b;
  bool a_first, b_first;
};

QueuedPod Queued(int32_t priority, int64_t nanos, uint64_t sequence = 0) {
  return {.pod = {}, .priority = priority, .timestamp = {nanos}, .sequence = sequence};
}

class PrioritySortTest : public testing::TestWithParam<LessCase> {};

TEST_P(PrioritySortTest, Less) {
  const PrioritySort sort;
  EXPECT_EQ(sort.Less(GetParam().a, GetParam().b), GetParam().a_first);
  EXPECT_EQ(sort.Less(GetParam().b, GetParam().a), GetParam().b_first);
}

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
constexpr int32_t kHighest = std::numeric_limits<int32_t>::max();

INSTANTIATE_TEST_SUITE_P(
    All, PrioritySortTest,
    testing::Values(
        LessCase{"HigherPriorityGoesFirst", Queued(2, 9), Queued(1, 3), true, false},
        LessCase{"NegativePrioritiesAreBelowZero", Queued(0, 9), Queued(-1, 3), true, false},
        LessCase{"TheExtremesCompare", Queued(kHighest, 9), Queued(kLowest, 3), true, false},
        LessCase{"AmongEqualsTheOldestGoesFirst", Queued(1, 3), Queued(1, 4), true, false},
        LessCase{"EqualPodsAreNotLess", Queued(1, 3), Queued(1, 3), false, false},
        LessCase{"TheSequenceIsLeftToTheQueue", Queued(1, 3, 1), Queued(1, 3, 2), false, false}),
    [](const auto& c) { return c.param.name; });

}  // namespace BERTH_TEST_FILE
}  // namespace berth
