#include "explain/explanation_summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/explanation_text.h"

namespace berth::explain {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::Pair;

// 5,000 nodes: every tenth fits, with totals that rise with the number; the others are short of
// cpu, every hundredth short of memory too.
scheduler::engine::Explanation BigCluster() {
  scheduler::engine::Explanation explanation;
  for (int i = 0; i < 5000; ++i) {
    scheduler::engine::Explanation::Node& node = explanation.nodes[fmt::format("node-{:04}", i)];
    if (i % 10 == 0) {
      node.scores = {{"Fit", i / 100}, {"Taint", 300}};
      node.total = 300 + i / 100;
    } else if (i % 100 == 1) {
      node.verdict = scheduler::framework::Verdict(
                         scheduler::framework::Code::kUnschedulable,
                         std::vector<std::string>{"Insufficient cpu", "Insufficient memory"})
                         .By("NodeResourcesFit");
    } else {
      node.verdict = scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulable,
                                                   "Insufficient cpu")
                         .By("NodeResourcesFit");
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
      "    NODES  REJECTED BY       REASON                                 NAMES\n"
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
      "    equal score on all nodes: Taint 300\n");
}

TEST(Summarize, PreemptionNamesTheChosenCandidateFirst) {
  scheduler::engine::Explanation failed;
  failed.nodes["a"].verdict =
      scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulable, "Insufficient cpu")
          .By("Fit");
  failed.nodes["b"].verdict =
      scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulable, "Insufficient cpu")
          .By("Fit");
  failed.fit_error = "0/2 nodes are available: 2 Insufficient cpu.";
  scheduler::engine::Explanation::Preemption preemption;
  preemption.eligible = true;
  preemption.priority = 9;
  preemption.candidates["a"] = {
      .victims = {{"ns/p", 5, true}},
      .budget_violations = 1,
      .lost_by = scheduler::framework::VictimCriterion::kBudgetViolations};
  preemption.candidates["b"] = {.victims = {{"ns/q", 3, false}, {"ns/r", 1, false}}};
  preemption.selected = "b";
  failed.preemption = preemption;
  EXPECT_EQ(ToText(Summarize(failed, "", 2)),
            "  0 of 2 nodes fit\n"
            "    NODES  REJECTED BY  REASON            NAMES\n"
            "        2  Fit          Insufficient cpu  a, b\n"
            "  Preemption is possible on 2 nodes, evicting pods with priority below 9:\n"
            "    NODE  VICTIMS                                              NOT CHOSEN BECAUSE\n"
            "  * b     ns/q (priority 3), ns/r (priority 1)\n"
            "    a     ns/p (priority 5, violates its PodDisruptionBudget)  violates "
            "PodDisruptionBudgets for 1 victim, b for none\n"
            "    Victims are the lower-priority pods that cannot be reprieved. Pods whose eviction "
            "violates a\n"
            "    PodDisruptionBudget are reprieved first, then by priority and start time.\n");
}

TEST(Summarize, DetailsAreGroupedAndOnlyTheMostFrequentAreListed) {
  scheduler::engine::Explanation failed;
  for (int i = 0; i < 1000; ++i) {
    scheduler::engine::Explanation::Node& node = failed.nodes[fmt::format("n{:03}", i)];
    node.verdict = scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulable,
                                                 "Insufficient cpu")
                       .By("Fit");
    // Half of them have the same details, a few share theirs in pairs, and the rest differ.
    node.details = i % 2 == 0 ? "none of 4 are free"
                   : i < 16   ? fmt::format("{} of 8 are free", i / 4)
                              : fmt::format("{} of 2000 are free", i);
  }
  failed.nodes["t"].verdict =
      scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulable, "taint")
          .By("Taint");
  failed.nodes["t"].details = "not tolerated: x";
  EXPECT_EQ(ToText(Summarize(failed, "", 1001)),
            "  0 of 1001 nodes fit\n"
            "    NODES  REJECTED BY  REASON            NAMES\n"
            "     1000  Fit          Insufficient cpu  n000, n001, n002 and 997 more\n"
            "           n000, n002, n004 and 497 more: none of 4 are free\n"
            "           n001, n003: 0 of 8 are free\n"
            "           n005, n007: 1 of 8 are free\n"
            "           n009, n011: 2 of 8 are free\n"
            "           n013, n015: 3 of 8 are free\n"
            "           and similar on 492 more nodes\n"
            "        1  Taint        taint             t\n"
            "           not tolerated: x\n");
}

TEST(Summarize, PreFilterRejectionNamesThePlugin) {
  scheduler::engine::Explanation failed;
  failed.pre_filter =
      scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulableAndUnresolvable,
                                    "pod affinity terms conflict")
          .By("NodeAffinity");
  EXPECT_EQ(ToText(Summarize(failed, "", 3)),
            "  Rejected by PreFilter plugin NodeAffinity: pod affinity terms conflict\n");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
