#include "cmd/conformance_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/pod_table.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

scheduler::framework::Verdict Rejected(std::string plugin, std::vector<std::string> reasons) {
  return scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulable,
                                       std::move(reasons))
      .By(plugin);
}

// Node a scores best, b fits too, c is full.
scheduler::engine::Explanation Placed() {
  scheduler::engine::Explanation placed;
  placed.nodes["a"].scores = {{"Fit", 50}, {"Taint", 300}};
  placed.nodes["a"].total = 350;
  placed.nodes["b"].scores = {{"Fit", 40}, {"Taint", 300}};
  placed.nodes["b"].total = 340;
  placed.nodes["c"].verdict = Rejected("Fit", {"Insufficient cpu", "Too many pods"});
  placed.scoring_plugins = {"Fit", "Taint"};
  placed.best_nodes = {"a"};
  return placed;
}

// No node fits; preempting two pods on node a would help.
scheduler::engine::Explanation Preempting() {
  scheduler::engine::Explanation failed;
  failed.nodes["a"].verdict = Rejected("Fit", {"Insufficient cpu"});
  failed.nodes["b"].verdict = Rejected("Fit", {"Insufficient cpu"});
  failed.fit_error = "0/2 nodes are available: 2 Insufficient cpu. preemption: no";
  failed.fit_error_before_post_filter = "0/2 nodes are available: 2 Insufficient cpu.";
  failed.rejected_by = {"Fit"};
  failed.post_filter = scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulable,
                                                     std::vector<std::string>{"x", "y"});
  scheduler::engine::Explanation::Preemption preemption;
  preemption.eligible = true;
  preemption.candidates["a"] = {.victims = {{"ns/p", 5}, {"ns/q", 3}}, .budget_violations = 1};
  preemption.rejected["b"] = Rejected("Fit", {"Insufficient cpu"});
  preemption.equally_good = {"a"};
  preemption.selected = "a";
  failed.preemption = preemption;
  return failed;
}

struct CompareCase {
  const char* name;
  scheduler::engine::Explanation (*base)();
  std::function<void(scheduler::engine::Explanation&)> change;  // Changes the engine's explanation.
  Differences want;
};

class CompareTest : public ::testing::TestWithParam<CompareCase> {};

TEST_P(CompareTest, ReportsDifferences) {
  scheduler::engine::Explanation actual = GetParam().base();
  GetParam().change(actual);
  const Expectation expected{GetParam().base(), /*scored=*/true, /*allocates_devices=*/false};
  EXPECT_EQ(Compare(expected, actual), GetParam().want);
}

const CompareCase kCases[] = {
    {"EqualPlacements", Placed, [](scheduler::engine::Explanation&) {}, {}},
    {"EqualFailures", Preempting, [](scheduler::engine::Explanation&) {}, {}},
    {"ReasonsAreAMultiset",
     Placed,
     [](scheduler::engine::Explanation& e) {
       e.nodes["c"].verdict = Rejected("Fit", {"Too many pods", "Insufficient cpu"});
     },
     {}},
    {"ReasonsAreCounted",
     Placed,
     [](scheduler::engine::Explanation& e) {
       e.nodes["c"].verdict = Rejected("Fit", {"Too many pods"});
     },
     {{"filter c", "Unschedulable by Fit: Insufficient cpu; Too many pods",
       "Unschedulable by Fit: Too many pods"}}},
    {"PluginMatters",
     Placed,
     [](scheduler::engine::Explanation& e) {
       e.nodes["c"].verdict = Rejected("Ports", {"Insufficient cpu", "Too many pods"});
     },
     {{"filter c", "Unschedulable by Fit: Insufficient cpu; Too many pods",
       "Unschedulable by Ports: Insufficient cpu; Too many pods"}}},
    {"CodeMatters",
     Placed,
     [](scheduler::engine::Explanation& e) {
       e.nodes["c"].verdict = scheduler::framework::Verdict();
     },
     {{"filter c", "Unschedulable by Fit: Insufficient cpu; Too many pods", "Success"}}},
    {"NodeIsMissing",
     Placed,
     [](scheduler::engine::Explanation& e) { e.nodes.erase("b"); },
     {{"filter b", "Success", "not evaluated"}}},
    {"NodeIsTooMany",
     Placed,
     [](scheduler::engine::Explanation& e) { e.nodes["d"] = {}; },
     {{"filter d", "not evaluated", "Success"}}},
    {"NodeLeftOutByPreFilter",
     Placed,
     [](scheduler::engine::Explanation& e) { e.nodes["c"].excluded_by_pre_filter = true; },
     {{"filter c by PreFilter", "not excluded", "excluded"}}},
    {"ScoreAndTotal",
     Placed,
     [](scheduler::engine::Explanation& e) {
       e.nodes["b"].scores["Fit"] = 41;
       e.nodes["b"].total = 341;
     },
     {{"score Fit b", "40", "41"}, {"total b", "340", "341"}}},
    {"SkippedPluginScoresNothing",
     Placed,
     [](scheduler::engine::Explanation& e) { e.nodes["b"].scores["Image"] = 0; },
     {}},
    {"ScoreOfUnexpectedPlugin",
     Placed,
     [](scheduler::engine::Explanation& e) { e.nodes["b"].scores["Image"] = 3; },
     {{"score Image b", "0", "3"}}},
    {"BestNodes",
     Placed,
     [](scheduler::engine::Explanation& e) { e.best_nodes = {"a", "b"}; },
     {{"bestNodes", "a", "a, b"}}},
    {"NominatedNode",
     Placed,
     [](scheduler::engine::Explanation& e) { e.nominated_node_fits = true; },
     {{"nominatedNodeFits", "no", "yes"}}},
    {"PreFilterVerdict",
     Placed,
     [](scheduler::engine::Explanation& e) { e.pre_filter = Rejected("Ports", {"no"}); },
     {{"preFilter", "Success", "Unschedulable by Ports: no"}}},
    {"PreFilterNodes",
     Placed,
     [](scheduler::engine::Explanation& e) { e.restricted_to = {"a"}; },
     {{"preFilter nodeNames", "all nodes", "a"}}},
    {"UnexpectedError",
     Placed,
     [](scheduler::engine::Explanation& e) { e.error = "boom"; },
     {{"error", "(none)", "\"boom\""}}},
    {"FitErrors",
     Preempting,
     [](scheduler::engine::Explanation& e) {
       e.fit_error = "0/2";
       e.fit_error_before_post_filter = "0/3";
     },
     {{"fitError", "\"0/2 nodes are available: 2 Insufficient cpu. preemption: no\"", "\"0/2\""},
      {"fitErrorBeforePostFilter", "\"0/2 nodes are available: 2 Insufficient cpu.\"", "\"0/3\""}}},
    {"UnschedulablePlugins",
     Preempting,
     [](scheduler::engine::Explanation& e) { e.rejected_by = {"Fit", "Ports"}; },
     {{"unschedulablePlugins", "Fit", "Fit, Ports"}}},
    {"PreemptionNotAttempted",
     Preempting,
     [](scheduler::engine::Explanation& e) { e.preemption.reset(); },
     {{"preemption", "attempted", "not attempted"}}},
    {"NotEligible",
     Preempting,
     [](scheduler::engine::Explanation& e) { e.preemption->eligible = false; },
     {{"preemption eligible", "yes", "no"}}},
    {"VictimsAreOrdered",
     Preempting,
     [](scheduler::engine::Explanation& e) {
       std::swap(e.preemption->candidates["a"].victims[0],
                 e.preemption->candidates["a"].victims[1]);
     },
     {{"preemption candidate a", "victims ns/p, ns/q; 1 budget violations",
       "victims ns/q, ns/p; 1 budget violations"}}},
    {"PriorityOfVictimsIsNotRecorded",
     Preempting,
     [](scheduler::engine::Explanation& e) {
       e.preemption->candidates["a"].victims[0].priority = 99;
     },
     {}},
    {"CandidateIsTooMany",
     Preempting,
     [](scheduler::engine::Explanation& e) { e.preemption->candidates["b"] = {}; },
     {{"preemption candidate b", "not a candidate", "victims (none); 0 budget violations"}}},
    {"RejectedCandidate",
     Preempting,
     [](scheduler::engine::Explanation& e) { e.preemption->rejected.clear(); },
     {{"preemption rejected b", "Unschedulable by Fit: Insufficient cpu", "not rejected"}}},
    {"SelectedMustBeOneOfTheBest",
     Preempting,
     [](scheduler::engine::Explanation& e) { e.preemption->selected = "b"; },
     {{"preemption selected", "one of a", "\"b\""}}},
    {"EquallyGood",
     Preempting,
     [](scheduler::engine::Explanation& e) { e.preemption->equally_good = {"a", "b"}; },
     {{"preemption selectedAny", "a", "a, b"}}},
    {"StatusReasonsAreOrdered",
     Preempting,
     [](scheduler::engine::Explanation& e) {
       e.post_filter = scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulable,
                                                     std::vector<std::string>{"y", "x"});
     },
     {{"preemption status", "Unschedulable: x; y", "Unschedulable: y; x"}}},
};

INSTANTIATE_TEST_SUITE_P(Cases, CompareTest, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Compare, AnyRecordedErrorIsRight) {
  Expectation expected;
  expected.explanation.nodes["a"].verdict =
      scheduler::framework::Verdict::Error("first").By("Claims");
  expected.explanation.nodes["b"].verdict =
      scheduler::framework::Verdict::Error("second").By("Claims");
  expected.explanation.error = "first";
  scheduler::engine::Explanation actual = expected.explanation;
  EXPECT_THAT(Compare(expected, actual), IsEmpty());
  actual.error = "second";
  EXPECT_THAT(Compare(expected, actual), IsEmpty());
  actual.error = "third";
  EXPECT_THAT(Compare(expected, actual),
              ElementsAre(Difference{"error", "\"first\"", "\"third\""}));
}

TEST(Compare, PodRecordedWithoutPostFilterIsComparedWithoutIt) {
  scheduler::engine::Explanation actual = Preempting();
  Expectation expected{actual, false, false};
  expected.explanation.preemption.reset();
  expected.explanation.fit_error = actual.fit_error_before_post_filter;
  EXPECT_THAT(Compare(expected, actual), IsEmpty());
}

TEST(Compare, AnErrorBeforePreemptionKeepsItFromBeingTried) {
  Expectation expected{Preempting(), false, false};
  expected.explanation.preemption = scheduler::engine::Explanation::Preemption();
  expected.explanation.post_filter = scheduler::framework::Verdict::Error("not found");
  scheduler::engine::Explanation actual = expected.explanation;
  actual.preemption.reset();
  EXPECT_THAT(Compare(expected, actual), IsEmpty());
  actual.post_filter = scheduler::framework::Verdict::Error("lost");
  EXPECT_THAT(Compare(expected, actual),
              ElementsAre(Difference{"preemption status", "Error: not found", "Error: lost"}));
}

TEST(Compare, ScoresOfChosenPluginsOnly) {
  const Expectation expected{Placed(), true, false};
  scheduler::engine::Explanation actual = Placed();
  actual.nodes["a"].scores = {{"Fit", 1}, {"Taint", 2}};
  actual.nodes["a"].total = 3;
  actual.best_nodes = {"b"};
  EXPECT_THAT(Compare(expected, actual, {.scores_of = {"Taint"}}),
              ElementsAre(Difference{"score Taint a", "300", "2"}));
}

TEST(Compare, RecordedAllocationsAreCompared) {
  Expectation expected{Placed(), true, /*allocates_devices=*/true};
  expected.explanation.nodes["a"].allocations["claim"].results.push_back(
      {.request = "r", .driver = "d", .pool = "p", .device = "x"});
  EXPECT_THAT(Compare(expected, expected.explanation), IsEmpty());
  EXPECT_THAT(Compare(expected, Placed()),
              ElementsAre(Difference{"allocation a claim", "[r=d/p/x]", "nothing"}));
}

TEST(Compare, ACycleThatFailsAllocatesNothing) {
  Expectation expected{Placed(), true, /*allocates_devices=*/true};
  expected.explanation.error = "broken";
  scheduler::engine::Explanation actual = expected.explanation;
  expected.explanation.nodes["a"].allocations["claim"];
  EXPECT_THAT(Compare(expected, actual), IsEmpty());
}

TEST(Compare, AllocationsThatAreNotRecordedDoNotCount) {
  const Expectation expected{Placed(), true, /*allocates_devices=*/false};
  scheduler::engine::Explanation actual = Placed();
  actual.nodes["a"].allocations["claim"];
  EXPECT_THAT(Compare(expected, actual), IsEmpty());
}

ExpectedDigest PlacedDigest() {
  ExpectedDigest digest;
  digest.sample = Placed();
  digest.sample.nodes.erase("b");
  digest.feasible = 2;
  digest.best_total = 350;
  digest.rejected_by = {{"Fit", 1}};
  digest.rejected_reasons = {{"Insufficient cpu", 1}, {"Too many pods", 1}};
  digest.score_sums = {{"Fit", 90}, {"Taint", 600}, {"total", 690}};
  return digest;
}

TEST(CompareDigest, EqualSumsPass) {
  EXPECT_THAT(CompareDigest(PlacedDigest(), Placed()), IsEmpty());
}

TEST(CompareDigest, ReportsWhichSumsDiffer) {
  scheduler::engine::Explanation actual = Placed();
  actual.nodes["b"].verdict = Rejected("Ports", {"Too many pods"});
  EXPECT_THAT(
      CompareDigest(PlacedDigest(), actual),
      ElementsAre(Difference{"feasible", "2", "1"}, Difference{"rejectedBy Ports", "0", "1"},
                  Difference{"rejectedReasons Too many pods", "1", "2"},
                  Difference{"scoreSums Fit", "90", "50"},
                  Difference{"scoreSums Taint", "600", "300"},
                  Difference{"scoreSums total", "690", "350"}));
}

TEST(CompareStep, ComparesTheDecisionWithoutPostFilter) {
  const ExpectedStep placed{{"a"}, "a", 350, 2, ""};
  EXPECT_THAT(CompareStep(0, placed, Placed()), IsEmpty());
  const ExpectedStep failed{{}, "", 0, 0, "0/2 nodes are available: 2 Insufficient cpu."};
  EXPECT_THAT(CompareStep(0, failed, Preempting()), IsEmpty());
  EXPECT_THAT(
      CompareStep(7, failed, Placed()),
      ElementsAre(Difference{"step 7 bestNodes", "(none)", "a"},
                  Difference{"step 7 bestTotal", "0", "350"},
                  Difference{"step 7 feasible", "0", "2"},
                  Difference{"step 7 fitError", "\"0/2 nodes are available: 2 Insufficient cpu.\"",
                             "(none)"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
