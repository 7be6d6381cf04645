#include "runtime/sampling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::runtime {
namespace BERTH_TEST_FILE {

struct SizeCase {
  size_t nodes;
  int32_t percentage;
  size_t want;
};

TEST(SampleSizeTest, IsThatOfKubeScheduler) {
  for (const SizeCase& one :
       {SizeCase{0, 0, 0}, SizeCase{99, 10, 99}, SizeCase{100, 0, 100}, SizeCase{1'000, 0, 420},
        SizeCase{5'000, 0, 500}, SizeCase{6'000, 0, 300}, SizeCase{1'000, 5, 100},
        SizeCase{5'000, 30, 1'500}, SizeCase{5'000, 100, 5'000}}) {
    EXPECT_EQ(SampleSize(one.nodes, one.percentage), one.want)
        << one.nodes << " nodes, " << one.percentage << " %";
  }
}

// Nodes named after their scores, 0 to `feasible` - 1; and some that do not fit.
scheduler::engine::Explanation WithScores(size_t feasible, size_t others = 0) {
  scheduler::engine::Explanation explanation;
  for (size_t i = 0; i < feasible + others; ++i) {
    scheduler::engine::Explanation::Node& node = explanation.nodes[fmt::format("n{}", i)];
    node.total = static_cast<int64_t>(i);
    if (i >= feasible)
      node.verdict = {scheduler::framework::Code::kUnschedulable, "Insufficient cpu"};
  }
  return explanation;
}

TEST(SamplingTest, ExplainsANodeThatEnoughOthersAreNotBetterThan) {
  const auto explanation = WithScores(1'000);  // 420 are scored.
  EXPECT_TRUE(IsBestOfSomeSample(explanation, "n999", 0));
  EXPECT_TRUE(IsBestOfSomeSample(explanation, "n419", 0));
  EXPECT_FALSE(IsBestOfSomeSample(explanation, "n418", 0)) << "420 are better in any sample";
  EXPECT_FALSE(IsBestOfSomeSample(explanation, "n998", 100)) << "every node is scored";
  EXPECT_TRUE(IsBestOfSomeSample(explanation, "n99", 10));
}

TEST(SamplingTest, ExplainsNothingWhereEveryFeasibleNodeIsScored) {
  EXPECT_FALSE(IsBestOfSomeSample(WithScores(99), "n98", 0));
  EXPECT_FALSE(IsBestOfSomeSample(WithScores(420, 580), "n400", 0));
  EXPECT_TRUE(IsBestOfSomeSample(WithScores(421, 579), "n419", 0));
}

TEST(SamplingTest, ExplainsNoNodeThatDoesNotFit) {
  auto explanation = WithScores(500, 500);
  EXPECT_FALSE(IsBestOfSomeSample(explanation, "n999", 0));
  EXPECT_FALSE(IsBestOfSomeSample(explanation, "unknown", 0));
  explanation.nodes["n499"].excluded_by_pre_filter = true;
  EXPECT_FALSE(IsBestOfSomeSample(explanation, "n499", 0));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
