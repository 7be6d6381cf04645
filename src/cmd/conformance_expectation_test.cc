#include "cmd/conformance_expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/json/parse.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class ExpectationTest : public ::testing::Test {
 protected:
  JsonFields::Value Parse(std::string_view text) {
    auto parsed = api::ParseJson(text);
    EXPECT_TRUE(parsed.has_value()) << text;
    document_ = std::move(parsed).value_or(api::Json());
    return JsonFields::Value(document_);
  }

 private:
  api::Json document_;
};

TEST_F(ExpectationTest, ReadsAnOrdinaryCase) {
  const auto read = ReadExpectation(Parse(R"({
    "preFilter": {"code": "Success", "nodeNames": ["b", "a"]},
    "filter": {
      "a": {"code": "Success"},
      "b": {"code": "Unschedulable", "plugin": "Fit", "reasons": ["x"]},
      "c": {"code": "UnschedulableAndUnresolvable", "reasons": ["y"], "excludedByPreFilter": true}},
    "scores": {"a": {"Fit": 7, "total": 7}},
    "bestNodes": ["a"], "fitError": null, "preemption": null})"));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const scheduler::engine::Explanation& explanation = read->explanation;
  EXPECT_THAT(*explanation.restricted_to, ElementsAre("a", "b"));
  EXPECT_TRUE(explanation.nodes.at("a").verdict.ok());
  EXPECT_THAT(explanation.nodes.at("a").scores, ElementsAre(Pair("Fit", 7)));
  EXPECT_EQ(explanation.nodes.at("a").total, 7);
  EXPECT_EQ(
      explanation.nodes.at("b").verdict,
      scheduler::framework::Verdict(scheduler::framework::Code::kUnschedulable, "x").By("Fit"));
  EXPECT_TRUE(explanation.nodes.at("c").excluded_by_pre_filter);
  EXPECT_TRUE(read->scored);
  EXPECT_FALSE(read->allocates_devices);
  EXPECT_FALSE(explanation.preemption.has_value());
}

TEST_F(ExpectationTest, ReadsAllocations) {
  const auto read = ReadExpectation(Parse(R"({
    "preFilter": {"code": "Success"}, "filter": {"a": {"code": "Success"}},
    "allocations": {"a": {"c": [{"request": "r", "device": "x"}]}}})"));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(read->allocates_devices);
  EXPECT_EQ(read->explanation.nodes.at("a").allocations.at("c").results.at(0).device, "x");
}

TEST_F(ExpectationTest, ReadsPreemption) {
  const auto read = ReadExpectation(Parse(R"({
    "preFilter": {"code": "Success", "nodeNames": null},
    "fitError": "full", "unschedulablePlugins": ["Fit"],
    "preemption": {"eligible": true,
      "candidates": {"a": {"victims": ["n/p", "n/q"], "pdbViolations": 2}},
      "rejected": {"b": {"code": "Unschedulable", "plugin": "Fit", "reasons": ["x"]}},
      "selected": "a", "selectedAny": ["a"],
      "status": {"code": "Success"}}})"));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const scheduler::engine::Explanation::Preemption& preemption = *read->explanation.preemption;
  EXPECT_EQ(preemption.candidates.at("a").victims.at(1).pod, "n/q");
  EXPECT_EQ(preemption.candidates.at("a").budget_violations, 2);
  EXPECT_EQ(preemption.rejected.at("b").plugin(), "Fit");
  EXPECT_EQ(preemption.selected, "a");
  EXPECT_FALSE(read->explanation.restricted_to.has_value());
  EXPECT_EQ(read->explanation.fit_error_before_post_filter, "full");
}

struct BadCase {
  const char* text;
  const char* error;
};

TEST_F(ExpectationTest, ReportsTheInvalidField) {
  const BadCase cases[] = {
      {R"({})", "field \"preFilter\": missing"},
      {R"({"preFilter": {"code": "Fine"}})", "unknown code: \"Fine\""},
      {R"({"preFilter": {"code": "Success"}, "bestNodes": "a"})",
       "field \"bestNodes\": must be a list"},
      {R"({"preFilter": {"code": "Success"}, "bestNodes": [1]})",
       "field \"bestNodes\": must be a string"},
      {R"({"preFilter": {"code": "Success"}, "scores": {"a": {"Fit": "7"}}})",
       "field \"Fit\": must be a 64-bit integer"},
      {R"({"preFilter": {"code": "Success"}, "filter": {"a": "Success"}})",
       "its parent is not an object"},
      {R"({"preFilter": {"code": "Success"}, "preemption": {"eligible": true}})",
       "field \"status\": missing"},
  };
  for (const BadCase& bad : cases) {
    const auto read = ReadExpectation(Parse(bad.text));
    ASSERT_FALSE(read.has_value()) << bad.text;
    EXPECT_THAT(read.error().message, HasSubstr(bad.error)) << bad.text;
  }
}

TEST_F(ExpectationTest, ReadsStepsAndDigests) {
  const auto steps = ReadSteps(Parse(R"({"steps": [
    {"bestNodes": ["b", "a"], "chosen": "a", "fitError": null, "bestTotal": 5, "feasible": 2},
    {"bestNodes": [], "chosen": "", "fitError": "full", "feasible": 0}]})"));
  ASSERT_TRUE(steps.has_value()) << steps.error().message;
  ASSERT_EQ(steps->size(), 2U);
  EXPECT_THAT(steps->at(0).best_nodes, ElementsAre("a", "b"));
  EXPECT_EQ(steps->at(0).best_total, 5);
  EXPECT_EQ(steps->at(1).fit_error, "full");

  const auto digest = ReadDigest(Parse(R"({
    "preFilter": {"code": "Success"}, "feasible": 3, "bestTotal": 9, "bestNodes": ["a"],
    "rejectedBy": {"Fit": 4}, "rejectedReasons": {"x": 4}, "scoreSums": {"Fit": 20, "total": 20},
    "sampleFilter": {}, "sampleScores": {"a": {"Fit": 9, "total": 9}}, "fitError": null})"));
  ASSERT_TRUE(digest.has_value()) << digest.error().message;
  EXPECT_EQ(digest->feasible, 3U);
  EXPECT_THAT(digest->rejected_by, ElementsAre(Pair("Fit", 4)));
  EXPECT_EQ(digest->sample.nodes.at("a").total, 9);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
