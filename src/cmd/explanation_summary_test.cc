#include "cmd/explanation_summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/schedule_text.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// 5,000 nodes: every tenth fits, with totals that rise with the number; the others are short of
// cpu, every hundredth short of memory too.
Explanation BigCluster() {
  Explanation explanation;
  for (int i = 0; i < 5000; ++i) {
    Explanation::Node& node = explanation.nodes[fmt::format("node-{:04}", i)];
    if (i % 10 == 0) {
      node.scores = {{"Fit", i / 100}, {"Taint", 300}};
      node.total = 300 + i / 100;
    } else if (i % 100 == 1) {
      node.verdict = Verdict(Code::kUnschedulable,
                             std::vector<std::string>{"Insufficient cpu", "Insufficient memory"})
                         .By("NodeResourcesFit");
    } else {
      node.verdict = Verdict(Code::kUnschedulable, "Insufficient cpu").By("NodeResourcesFit");
    }
  }
  explanation.scoring_plugins = {"Fit", "Taint"};
  for (int i = 4900; i < 5000; i += 10) {
    explanation.best_nodes.push_back(fmt::format("node-{:04}", i));
  }
  return explanation;
}

TEST(Summarize, GroupsEqualReasonsAndKeepsTheBestNodes) {
  const ExplanationSummary summary = Summarize(BigCluster(), "node-4950", 5000);
  EXPECT_EQ(summary.nodes, 5000U);
  EXPECT_EQ(summary.feasible, 500U);
  ASSERT_EQ(summary.rejections.size(), 2U);
  EXPECT_EQ(summary.rejections[0].count, 4450U);
  EXPECT_THAT(summary.rejections[0].examples, ElementsAre("node-0002", "node-0003", "node-0004"));
  EXPECT_EQ(summary.rejections[1].count, 50U);
  ASSERT_EQ(summary.scores.size(), 10U);
  EXPECT_EQ(summary.scores[0].node, "node-4950");
  EXPECT_TRUE(summary.scores[0].chosen);
  EXPECT_EQ(summary.scores[1].node, "node-4900");
  EXPECT_THAT(summary.equal, ElementsAre(Pair("Taint", 300)));
}

TEST(Summarize, ChosenNodeIsAlwaysShown) {
  const ExplanationSummary summary = Summarize(BigCluster(), "node-0000", 5000);
  ASSERT_EQ(summary.scores.size(), 11U);
  EXPECT_EQ(summary.scores[10].node, "node-0000");
  EXPECT_TRUE(summary.scores[10].chosen);
}

TEST(Summarize, TextStaysShortInABigCluster) {
  EXPECT_EQ(
      ToText(Summarize(BigCluster(), "node-4950", 5000)),
      "  500 of 5000 nodes fit\n"
      "    NODES  REJECTED BY       REASON                                 WHICH\n"
      "     4450  NodeResourcesFit  Insufficient cpu                       node-0002, node-0003, "
      "node-0004 and 4447 more\n"
      "       50  NodeResourcesFit  Insufficient cpu; Insufficient memory  node-0001, node-0101, "
      "node-0201 and 47 more\n"
      "    NODE       TOTAL  Fit\n"
      "  * node-4950    349   49\n"
      "    node-4900    349   49\n"
      "    node-4910    349   49\n"
      "    node-4920    349   49\n"
      "    node-4930    349   49\n"
      "    node-4940    349   49\n"
      "    node-4960    349   49\n"
      "    node-4970    349   49\n"
      "    node-4980    349   49\n"
      "    node-4990    349   49\n"
      "    and 490 more nodes with lower or equal totals\n"
      "    the same on every node: Taint 300\n");
}

TEST(Summarize, PreemptionNamesTheChosenCandidateFirst) {
  Explanation failed;
  failed.nodes["a"].verdict = Verdict(Code::kUnschedulable, "Insufficient cpu").By("Fit");
  failed.nodes["b"].verdict = Verdict(Code::kUnschedulable, "Insufficient cpu").By("Fit");
  failed.fit_error = "0/2 nodes are available: 2 Insufficient cpu.";
  Explanation::Preemption preemption;
  preemption.eligible = true;
  preemption.candidates["a"] = {.victims = {{"ns/p", 5}}, .budget_violations = 1};
  preemption.candidates["b"] = {.victims = {{"ns/q", 3}, {"ns/r", 1}}, .budget_violations = 0};
  preemption.selected = "b";
  failed.preemption = preemption;
  EXPECT_EQ(ToText(Summarize(failed, "", 2)),
            "  0 of 2 nodes fit\n"
            "    NODES  REJECTED BY  REASON            WHICH\n"
            "        2  Fit          Insufficient cpu  a, b\n"
            "  Preemption would work on 2 nodes:\n"
            "    NODE  VICTIMS     BUDGETS BROKEN\n"
            "  * b     ns/q, ns/r  0\n"
            "    a     ns/p        1\n");
}

TEST(Summarize, PreFilterRejectionNamesThePlugin) {
  Explanation failed;
  failed.pre_filter = Verdict(Code::kUnschedulableAndUnresolvable, "pod affinity terms conflict")
                          .By("NodeAffinity");
  EXPECT_EQ(ToText(Summarize(failed, "", 3)),
            "  No node was looked at; NodeAffinity said: pod affinity terms conflict\n");
}

}  // namespace
}  // namespace berth
