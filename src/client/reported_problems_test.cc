#include "client/reported_problems.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::client {
namespace BERTH_TEST_FILE {

TEST(ReportedProblems, AreBounded) {
  ReportedProblems reported;
  EXPECT_TRUE(reported.Add("a", "x"));
  EXPECT_FALSE(reported.Add("a", "x"));
  EXPECT_TRUE(reported.Add("b", "x"));
  for (int i = 0; i < 100'000; ++i) {
    reported.Add(std::to_string(i), "x");
    ASSERT_LE(reported.size(), ReportedProblems::kMaxRemembered);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
