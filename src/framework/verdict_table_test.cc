#include "framework/verdict_table.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(VerdictTable, EqualVerdictsShareANumber) {
  VerdictTable table;
  const Verdict full(Code::kUnschedulable, "too full");
  EXPECT_EQ(table.Add(full), 0u);
  EXPECT_EQ(table.Add(Verdict(full).By("Fit")), 1u);
  EXPECT_EQ(table.Add(Verdict(Code::kUnschedulableAndUnresolvable, "too full")), 2u);
  EXPECT_EQ(table.Add(Verdict(Code::kUnschedulable, std::vector<std::string>{"too", " full"})), 3u);
  EXPECT_EQ(table.Add(full), 0u);
  EXPECT_EQ(table.size(), 4u);
  EXPECT_EQ(table[1].plugin(), "Fit");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
