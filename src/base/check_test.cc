#include "base/check.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(Check, EvaluatesItsConditionOnce) {
  int evaluated = 0;
  CHECK(++evaluated > 0);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, NamesTheConditionAndThePlace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int pods = 3;
  EXPECT_DEATH(CHECK(pods < 2), "CHECK\\(pods < 2\\) failed at .*check_test.cc:[0-9]+");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
