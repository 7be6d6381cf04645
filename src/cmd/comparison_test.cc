#include "cmd/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Verdict Rejected(std::string plugin, std::vector<std::string> reasons) {
  return Verdict(Code::kUnschedulable, std::move(reasons)).By(plugin);
}

// Node a scores best, b fits too, c is full.
Explanation Placed() {
  Explanation placed;
  placed.nodes["a"].scores = {{"Fit", 50}, {"Taint", 300}};
  placed.nodes["a"].total = 350;
  placed.nodes["b"].scores = {{"Fit", 40}, {"Taint", 300}};
  placed.nodes["b"].total = 340;
  placed.nodes["c"].verdict = Rejected("Fit", {"Insufficient cpu", "Too many pods"});
  placed.scoring_plugins = {"Fit", "Taint"};
  placed.best_nodes = {"a"};
  return placed;
}

// Fits nowhere; on node a two pods could make room.
Explanation Preempting() {
  Explanation failed;
  failed.nodes["a"].verdict = Rejected("Fit", {"Insufficient cpu"});
  failed.nodes["b"].verdict = Rejected("Fit", {"Insufficient cpu"});
  failed.fit_error = "0/2 nodes are available: 2 Insufficient cpu. preemption: no";
  failed.fit_error_before_post_filter = "0/2 nodes are available: 2 Insufficient cpu.";
  failed.rejected_by = {"Fit"};
  failed.post_filter = Verdict(Code::kUnschedulable, std::vector<std::string>{"x", "y"});
  Explanation::Preemption preemption;
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
  Explanation (*base)();
  std::function<void(Explanation&)> change;  // What the engine says instead.
  Differences want;
};

class CompareTest : public ::testing::TestWithParam<CompareCase> {};

TEST_P(CompareTest, TellsWhatDiffers) {
  Explanation came = GetParam().base();
  GetParam().change(came);
  const Expectation expected{GetParam().base(), /*scored=*/true, /*allocates_devices=*/false};
  EXPECT_EQ(Compare(expected, came), GetParam().want);
}

const CompareCase kCases[] = {
    {"EqualPlacements", Placed, [](Explanation&) {}, {}},
    {"EqualFailures", Preempting, [](Explanation&) {}, {}},
    {"ReasonsAreAMultiset",
     Placed,
     [](Explanation& e) {
       e.nodes["c"].verdict = Rejected("Fit", {"Too many pods", "Insufficient cpu"});
     },
     {}},
    {"ReasonsAreCounted",
     Placed,
     [](Explanation& e) { e.nodes["c"].verdict = Rejected("Fit", {"Too many pods"}); },
     {{"filter c", "Unschedulable by Fit: Insufficient cpu; Too many pods",
       "Unschedulable by Fit: Too many pods"}}},
    {"PluginMatters",
     Placed,
     [](Explanation& e) {
       e.nodes["c"].verdict = Rejected("Ports", {"Insufficient cpu", "Too many pods"});
     },
     {{"filter c", "Unschedulable by Fit: Insufficient cpu; Too many pods",
       "Unschedulable by Ports: Insufficient cpu; Too many pods"}}},
    {"CodeMatters",
     Placed,
     [](Explanation& e) { e.nodes["c"].verdict = Verdict(); },
     {{"filter c", "Unschedulable by Fit: Insufficient cpu; Too many pods", "Success"}}},
    {"NodeIsMissing",
     Placed,
     [](Explanation& e) { e.nodes.erase("b"); },
     {{"filter b", "Success", "not judged"}}},
    {"NodeIsTooMany",
     Placed,
     [](Explanation& e) { e.nodes["d"] = {}; },
     {{"filter d", "not judged", "Success"}}},
    {"NodeLeftOutByPreFilter",
     Placed,
     [](Explanation& e) { e.nodes["c"].excluded_by_pre_filter = true; },
     {{"filter c by PreFilter", "not excluded", "excluded"}}},
    {"ScoreAndTotal",
     Placed,
     [](Explanation& e) {
       e.nodes["b"].scores["Fit"] = 41;
       e.nodes["b"].total = 341;
     },
     {{"score Fit b", "40", "41"}, {"total b", "340", "341"}}},
    {"SkippedPluginScoresNothing",
     Placed,
     [](Explanation& e) { e.nodes["b"].scores["Image"] = 0; },
     {}},
    {"ScoreOfUnexpectedPlugin",
     Placed,
     [](Explanation& e) { e.nodes["b"].scores["Image"] = 3; },
     {{"score Image b", "0", "3"}}},
    {"BestNodes",
     Placed,
     [](Explanation& e) { e.best_nodes = {"a", "b"}; },
     {{"bestNodes", "a", "a, b"}}},
    {"NominatedNode",
     Placed,
     [](Explanation& e) { e.nominated_node_fits = true; },
     {{"nominatedNodeFits", "no", "yes"}}},
    {"PreFilterVerdict",
     Placed,
     [](Explanation& e) { e.pre_filter = Rejected("Ports", {"no"}); },
     {{"preFilter", "Success", "Unschedulable by Ports: no"}}},
    {"PreFilterNodes",
     Placed,
     [](Explanation& e) { e.restricted_to = {"a"}; },
     {{"preFilter nodeNames", "all nodes", "a"}}},
    {"UnexpectedError",
     Placed,
     [](Explanation& e) { e.error = "boom"; },
     {{"error", "(none)", "\"boom\""}}},
    {"FitErrors",
     Preempting,
     [](Explanation& e) {
       e.fit_error = "0/2";
       e.fit_error_before_post_filter = "0/3";
     },
     {{"fitError", "\"0/2 nodes are available: 2 Insufficient cpu. preemption: no\"", "\"0/2\""},
      {"fitErrorBeforePostFilter", "\"0/2 nodes are available: 2 Insufficient cpu.\"", "\"0/3\""}}},
    {"UnschedulablePlugins",
     Preempting,
     [](Explanation& e) { e.rejected_by = {"Fit", "Ports"}; },
     {{"unschedulablePlugins", "Fit", "Fit, Ports"}}},
    {"PreemptionNotTried",
     Preempting,
     [](Explanation& e) { e.preemption.reset(); },
     {{"preemption", "tried", "not tried"}}},
    {"NotEligible",
     Preempting,
     [](Explanation& e) { e.preemption->eligible = false; },
     {{"preemption eligible", "yes", "no"}}},
    {"VictimsAreOrdered",
     Preempting,
     [](Explanation& e) {
       std::swap(e.preemption->candidates["a"].victims[0],
                 e.preemption->candidates["a"].victims[1]);
     },
     {{"preemption candidate a", "victims ns/p, ns/q; 1 budget violations",
       "victims ns/q, ns/p; 1 budget violations"}}},
    {"PriorityOfVictimsIsNotRecorded",
     Preempting,
     [](Explanation& e) { e.preemption->candidates["a"].victims[0].priority = 99; },
     {}},
    {"CandidateIsTooMany",
     Preempting,
     [](Explanation& e) { e.preemption->candidates["b"] = {}; },
     {{"preemption candidate b", "not a candidate", "victims (none); 0 budget violations"}}},
    {"RejectedCandidate",
     Preempting,
     [](Explanation& e) { e.preemption->rejected.clear(); },
     {{"preemption rejected b", "Unschedulable by Fit: Insufficient cpu", "not rejected"}}},
    {"SelectedMustBeOneOfTheBest",
     Preempting,
     [](Explanation& e) { e.preemption->selected = "b"; },
     {{"preemption selected", "one of a", "\"b\""}}},
    {"EquallyGood",
     Preempting,
     [](Explanation& e) { e.preemption->equally_good = {"a", "b"}; },
     {{"preemption selectedAny", "a", "a, b"}}},
    {"StatusReasonsAreOrdered",
     Preempting,
     [](Explanation& e) {
       e.post_filter = Verdict(Code::kUnschedulable, std::vector<std::string>{"y", "x"});
     },
     {{"preemption status", "Unschedulable: x; y", "Unschedulable: y; x"}}},
};

INSTANTIATE_TEST_SUITE_P(Cases, CompareTest, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Compare, AnyRecordedErrorIsRight) {
  Expectation expected;
  expected.answer.nodes["a"].verdict = Verdict::Error("first").By("Claims");
  expected.answer.nodes["b"].verdict = Verdict::Error("second").By("Claims");
  expected.answer.error = "first";
  Explanation came = expected.answer;
  EXPECT_THAT(Compare(expected, came), IsEmpty());
  came.error = "second";
  EXPECT_THAT(Compare(expected, came), IsEmpty());
  came.error = "third";
  EXPECT_THAT(Compare(expected, came), ElementsAre(Difference{"error", "\"first\"", "\"third\""}));
}

TEST(Compare, PodRecordedWithoutPostFilterIsComparedWithoutIt) {
  Explanation came = Preempting();
  Expectation expected{came, false, false};
  expected.answer.preemption.reset();
  expected.answer.fit_error = came.fit_error_before_post_filter;
  EXPECT_THAT(Compare(expected, came), IsEmpty());
}

TEST(Compare, AnErrorBeforePreemptionKeepsItFromBeingTried) {
  Expectation expected{Preempting(), false, false};
  expected.answer.preemption = Explanation::Preemption();
  expected.answer.post_filter = Verdict::Error("not found");
  Explanation came = expected.answer;
  came.preemption.reset();
  EXPECT_THAT(Compare(expected, came), IsEmpty());
  came.post_filter = Verdict::Error("lost");
  EXPECT_THAT(Compare(expected, came),
              ElementsAre(Difference{"preemption status", "Error: not found", "Error: lost"}));
}

TEST(Compare, ScoresOfChosenPluginsOnly) {
  const Expectation expected{Placed(), true, false};
  Explanation came = Placed();
  came.nodes["a"].scores = {{"Fit", 1}, {"Taint", 2}};
  came.nodes["a"].total = 3;
  came.best_nodes = {"b"};
  EXPECT_THAT(Compare(expected, came, {.scores_of = {"Taint"}}),
              ElementsAre(Difference{"score Taint a", "300", "2"}));
}

TEST(Compare, RecordedAllocationsAreNeverSkippedSilently) {
  const Expectation expected{Placed(), true, /*allocates_devices=*/true};
  EXPECT_THAT(Compare(expected, Placed()),
              ElementsAre(Difference{"allocations", "devices for claims",
                                     "this build does not allocate devices"}));
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

TEST(CompareDigest, TellsWhichSumsDiffer) {
  Explanation came = Placed();
  came.nodes["b"].verdict = Rejected("Ports", {"Too many pods"});
  EXPECT_THAT(
      CompareDigest(PlacedDigest(), came),
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
}  // namespace berth
