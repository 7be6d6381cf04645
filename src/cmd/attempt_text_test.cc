#include "cmd/attempt_text.h"

#include <gtest/gtest.h>

#include "api/json/document.h"
#include "api/json/parse.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

std::string TextOf(std::string_view json) { return AttemptText(api::ParseJson(json)->as_object()); }

TEST(AttemptText, NamesOutcomeWakeAndCandidates) {
  EXPECT_EQ(TextOf(R"({"attempt":2,"time":"2026-01-01T12:00:05.000000Z","outcome":"bound",
                       "node":"n1","candidates":[{"node":"n1","score":457},{"node":"n2","score":449}],
                       "wokenBy":{"event":"NodeAdd","object":"Node/n1"},"waitedFor":5.0,
                       "waitedOn":["NodeResourcesFit"]})"),
            "attempt 2, 2026-01-01T12:00:05.000000Z: bound to n1; woken by NodeAdd of Node/n1, "
            "waited 5s for NodeResourcesFit\n"
            "  candidates: n1 457, n2 449\n");
}

TEST(AttemptText, NamesReasonsAndVictims) {
  EXPECT_EQ(
      TextOf(R"({"attempt":1,"time":"T","outcome":"nominated","node":"a","message":"0/3 nodes",
                       "groups":[{"plugin":"P","reason":"full","nodes":2},
                                 {"plugin":"Q","reason":"far","nodes":1}],
                       "victims":[{"namespace":"x","name":"y"}],"waitedFor":0.0015})"),
      "attempt 1, T: nominated to a; waited 1ms\n"
      "  0/3 nodes\n"
      "  2 nodes: P: full\n"
      "  1 node: Q: far\n"
      "  victims: x/y\n");
}

TEST(AttemptText, SaysHowEveryOutcomeEnds) {
  const auto result = [](std::string_view outcome) {
    return TextOf(std::string(R"({"attempt":1,"time":"T",)").append(outcome).append("}"));
  };
  EXPECT_EQ(result(R"("outcome":"assumed","node":"a")"),
            "attempt 1, T: to be bound to a; waited 0s\n");
  EXPECT_EQ(result(R"("outcome":"waiting","node":"a")"),
            "attempt 1, T: to be bound to a, waiting for a Permit plugin; waited 0s\n");
  EXPECT_EQ(result(R"("outcome":"unschedulable")"), "attempt 1, T: unschedulable; waited 0s\n");
  EXPECT_EQ(result(R"("outcome":"error")"), "attempt 1, T: failed; waited 0s\n");
  EXPECT_EQ(result(R"("outcome":"error","node":"a")"), "attempt 1, T: not bound to a; waited 0s\n");
}

TEST(AttemptText, CutsLongListsOff) {
  std::string victims;
  for (int i = 0; i < 10; ++i) victims += R"({"namespace":"n","name":"p"},)";
  victims.pop_back();
  const std::string text =
      TextOf(R"({"attempt":1,"time":"T","outcome":"nominated","victims":[)" + victims + "]}");
  EXPECT_TRUE(text.ends_with(", n/p, and 2 more\n")) << text;
}

TEST(AttemptText, TakesTheNumbersOfThisProcess) {
  const api::JsonObject attempt{
      {"attempt", uint32_t{3}}, {"time", "T"}, {"outcome", "unschedulable"}};
  EXPECT_EQ(AttemptText(attempt), "attempt 3, T: unschedulable; waited 0s\n");
}

// Another program may send anything.
TEST(AttemptText, TakesDocumentsOfAnyForm) {
  EXPECT_EQ(TextOf("{}"), "attempt 0, : ; waited 0s\n");
  EXPECT_EQ(TextOf(R"({"outcome":3,"groups":[1,"x",{}],"waitedOn":[4],"waitedFor":1e300,
                       "wokenBy":"me"})"),
            "attempt 0, : ; waited 2555555h33m20s\n  0 nodes: : \n");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
