#include "scheduler/plugins/queue_sort.h"

#include <gtest/gtest.h>

#include <limits>

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

struct LessCase {
  const char* name;
  framework::QueuedPod a, b;
  bool a_first, b_first;
};

framework::QueuedPod Queued(int32_t priority, int64_t nanos, uint64_t sequence = 0) {
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
namespace BERTH_TEST_FILE {

TEST(FifoSort, ArrivalAloneDecides) {
  const FifoSort sort;
  const framework::QueuedPod early{model::PodId{1}, 0, Instant{10}};
  const framework::QueuedPod late_but_important{model::PodId{2}, 100, Instant{20}};
  EXPECT_TRUE(sort.Less(early, late_but_important));
  EXPECT_FALSE(sort.Less(late_but_important, early));
  EXPECT_FALSE(sort.Less(early, early));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
