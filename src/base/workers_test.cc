#include "base/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

class ThreadWorkersTest : public testing::TestWithParam<size_t> {};

TEST_P(ThreadWorkersTest, RunsEachPartOnceAndReturnsWhenAllAreDone) {
  ThreadWorkers workers(GetParam());
  EXPECT_EQ(workers.count(), GetParam());
  for (size_t parts : {0, 1, 2, 7, 100}) {
    std::vector<int> done(parts);
    workers.Run(parts, [&](size_t part) { ++done[part]; });
    EXPECT_THAT(done, testing::Each(1)) << parts;
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, ThreadWorkersTest, testing::Values(1, 2, 5));

}  // namespace BERTH_TEST_FILE
}  // namespace berth
