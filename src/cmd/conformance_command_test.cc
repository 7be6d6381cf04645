#include "cmd/conformance_command.h"

#include <gtest/gtest.h>

namespace berth::cmd {
namespace BERTH_TEST_FILE {

TEST(ConformanceReport, PrintsGroupsInOrderWithTheirFirstDifferences) {
  ConformanceReport report(2);
  report.Add("taints", "taints/0000", {});
  report.Add("taints", "taints/0001",
             {{"filter a", "Success", "Unschedulable"}, {"bestNodes", "a", "(none)"}});
  report.Add("quantities", "line 7", {});
  report.Add("taints", "taints/0002", {{"total a", "1", "2"}});
  EXPECT_EQ(report.passed(), 2U);
  EXPECT_EQ(report.failed(), 2U);
  EXPECT_EQ(report.ToString(),
            "taints          1 passed      2 failed\n"
            "    taints/0001  filter a   expected Success  actual Unschedulable\n"
            "    taints/0001  bestNodes  expected a        actual (none)\n"
            "    and 1 more differences\n"
            "quantities      1 passed      0 failed\n"
            "2 passed, 2 failed\n");
}

TEST(ConformanceReport, LimitZeroPrintsCountsOnly) {
  ConformanceReport report(0);
  report.Add("g", "g/1", {{"what", "x", "y"}});
  EXPECT_EQ(report.ToString(), "g      0 passed      1 failed\n0 passed, 1 failed\n");
}

TEST(ConformanceReport, NothingRunIsNothingFailed) {
  EXPECT_EQ(ConformanceReport(3).ToString(), "0 passed, 0 failed\n");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
