#include "framework/verdict.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(Verdict, IsSuccessByDefault) {
  const Verdict verdict;
  EXPECT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.code(), Code::kSuccess);
  EXPECT_EQ(verdict.Message(), "");
}

TEST(Verdict, CodesHaveNamesAndClasses) {
  struct Case {
    Code code;
    const char* name;
    bool ok, skipped, rejected;
  };
  const Case cases[] = {
      {Code::kSuccess, "Success", true, false, false},
      {Code::kError, "Error", false, false, false},
      {Code::kUnschedulable, "Unschedulable", false, false, true},
      {Code::kUnschedulableAndUnresolvable, "UnschedulableAndUnresolvable", false, false, true},
      {Code::kWait, "Wait", false, false, false},
      {Code::kSkip, "Skip", false, true, false},
      {Code::kPending, "Pending", false, false, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Verdict verdict(c.code);
    EXPECT_EQ(ToString(c.code), c.name);
    EXPECT_EQ(verdict.ok(), c.ok);
    EXPECT_EQ(verdict.skipped(), c.skipped);
    EXPECT_EQ(verdict.rejected(), c.rejected);
  }
}

TEST(Verdict, JoinsItsReasons) {
  EXPECT_EQ(Verdict(Code::kUnschedulable, std::vector<std::string>{"no cpu", "no ports"}).Message(),
            "no cpu, no ports");
  EXPECT_EQ(Verdict::Error("broken").Message(), "broken");
}

TEST(Verdict, RemembersWhoSaidIt) {
  const Verdict verdict = Verdict(Code::kUnschedulable, "no").By("Fit");
  EXPECT_EQ(verdict.plugin(), "Fit");
  EXPECT_NE(verdict, Verdict(Code::kUnschedulable, "no"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
