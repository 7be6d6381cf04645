#include "scheduler/engine/decision.h"

#include <gtest/gtest.h>

#include <utility>

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

Explanation::Node Scored(std::map<std::string, int64_t> scores) {
  Explanation::Node node;
  for (const auto& [plugin, score] : scores) node.total += score;
  node.scores = std::move(scores);
  return node;
}

TEST(WhyChosen, NamesTheNextBestAndWhatMadeTheDifference) {
  Explanation explanation;
  explanation.scoring_plugins = {"Taint", "Image", "Fit", "Spread"};
  explanation.nodes["a"] = Scored({{"Taint", 300}, {"Image", 10}, {"Fit", 50}, {"Spread", 7}});
  explanation.nodes["b"] = Scored({{"Taint", 300}, {"Image", 0}, {"Fit", 53}, {"Spread", 2}});
  explanation.nodes["c"] = Scored({{"Taint", 0}, {"Image", 100}, {"Fit", 100}, {"Spread", 7}});
  explanation.nodes["d"].verdict =
      framework::Verdict(framework::Code::kUnschedulable, "Insufficient cpu");
  EXPECT_EQ(WhyChosen(explanation, "a"),
            "scores 367, 12 more than b, the next best: Image +10, Spread +5, Fit -3");
  EXPECT_EQ(WhyChosen(explanation, ""), "");
}

TEST(WhyChosen, EqualsAreTakenInOrder) {
  Explanation explanation;
  explanation.scoring_plugins = {"Fit"};
  for (const char* name : {"a", "b"}) explanation.nodes[name] = Scored({{"Fit", 50}});
  EXPECT_EQ(WhyChosen(explanation, "b"), "scores 50, equal to a; equals take turns");
  explanation.nodes["c"] = Scored({{"Fit", 50}});
  EXPECT_EQ(WhyChosen(explanation, "b"), "scores 50, equal to a and 1 more; equals take turns");
}

TEST(WhyChosen, WithoutACompetitionThereIsNoScore) {
  Explanation explanation;
  explanation.nodes["a"].verdict =
      framework::Verdict(framework::Code::kUnschedulable, "Insufficient cpu");
  explanation.nodes["b"] = {};
  EXPECT_EQ(WhyChosen(explanation, "b"), "is the only node that fits");
  explanation.nominated_node_fits = true;
  EXPECT_EQ(WhyChosen(explanation, "b"), "is the nominated node, which is evaluated first");
}

struct LossCase {
  const char* name;
  Explanation::Preemption::Candidate other;
  const char* want;
};

class WhyNotThereTest : public testing::TestWithParam<LossCase> {};

TEST_P(WhyNotThereTest, GivesTheFiguresThatDecided) {
  Explanation::Preemption preemption;
  preemption.candidates["best"] = {.victims = {{"ns/p", 5, false}, {"ns/q", 2, false}},
                                   .started = Instant::FromUnixSeconds(86400)};
  preemption.candidates["other"] = GetParam().other;
  preemption.selected = "best";
  EXPECT_EQ(WhyNotThere(preemption, "other"), GetParam().want);
  EXPECT_EQ(WhyNotThere(preemption, "best"), "");
  preemption.selected = "";
  EXPECT_EQ(WhyNotThere(preemption, "other"), "");
}

using Candidate = Explanation::Preemption::Candidate;
using enum framework::VictimCriterion;

INSTANTIATE_TEST_SUITE_P(
    All, WhyNotThereTest,
    testing::Values(
        LossCase{"Budgets",
                 Candidate{.victims = {{"ns/x", 1, true}},
                           .budget_violations = 1,
                           .lost_by = kBudgetViolations},
                 "violates PodDisruptionBudgets for 1 victim, best for none"},
        LossCase{"HighestPriority",
                 Candidate{.victims = {{"ns/x", 7, false}}, .lost_by = kHighestPriority},
                 "its highest-priority victim has priority 7, that of best only 5"},
        LossCase{
            "PrioritySum",
            Candidate{.victims = {{"ns/x", 5, false}, {"ns/y", 4, false}}, .lost_by = kPrioritySum},
            "the priorities of its victims sum up to 9, those of best only to 7"},
        LossCase{"PrioritySumByNumber",
                 Candidate{.victims = {{"ns/x", 5, false}, {"ns/y", 0, false}, {"ns/z", 0, false}},
                           .lost_by = kPrioritySum},
                 "needs 3 victims, best only 2"},
        LossCase{
            "StartTime",
            Candidate{.victims = {{"ns/x", 5, false}, {"ns/y", 2, false}},
                      .started = Instant::FromUnixSeconds(3600),
                      .lost_by = kStartTime},
            "its highest-priority victim has run since 1970-01-01T01:00:00Z, that of best only "
            "since 1970-01-02T00:00:00Z"},
        LossCase{"Nothing", Candidate{.victims = {{"ns/x", 5, false}, {"ns/y", 2, false}}},
                 "equal to best, which is first in node order"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
