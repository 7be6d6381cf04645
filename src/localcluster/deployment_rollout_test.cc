#include "localcluster/deployment_rollout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "localcluster/object_json.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

std::string Show(const SetSizes& sizes) {
  std::string text;
  for (const SetSize& set : sizes.old_sets) text += fmt::format("{} ", set.replicas);
  return text + fmt::format("| {}", sizes.new_set.replicas);
}

struct RolloutCase {
  const char* name;
  RolloutLimits limits;
  SetSizes sizes;
  const char* want;  // Old sets, then the new one.
};

class RollForwardTest : public ::testing::TestWithParam<RolloutCase> {};
TEST_P(RollForwardTest, Sizes) {
  SetSizes sizes = GetParam().sizes;
  RollForward(GetParam().limits, sizes);
  EXPECT_EQ(Show(sizes), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Rollout, RollForwardTest,
    ::testing::Values(
        RolloutCase{"TheFirstSetGetsAllReplicas", {10, 3, 2}, {{}, {0, 0}}, "| 10"},
        RolloutCase{"TheNewSetGrowsBySurge", {10, 3, 2}, {{{10, 10}}, {0, 0}}, "10 | 3"},
        RolloutCase{"OldPodsGoDownToTheLeastAvailable", {10, 3, 2}, {{{10, 10}}, {3, 0}}, "8 | 3"},
        RolloutCase{"NewPodsReplaceThem", {10, 3, 2}, {{{8, 8}}, {3, 0}}, "8 | 5"},
        RolloutCase{
            "NothingChangesWhileNothingBecomesReady", {10, 3, 2}, {{{8, 8}}, {5, 0}}, "8 | 5"},
        RolloutCase{"UnhealthyOldPodsGoFirst", {10, 0, 2}, {{{5, 0}, {5, 5}}, {0, 0}}, "3 5 | 0"},
        RolloutCase{
            "UnhealthyOldPodsGoThoughNothingIsAvailable", {10, 3, 2}, {{{10, 0}}, {3, 0}}, "8 | 3"},
        RolloutCase{"WithoutSurgeAnOldPodGoesFirst", {4, 0, 1}, {{{4, 4}}, {0, 0}}, "3 | 0"},
        RolloutCase{"TheLastOldPodsGo", {10, 3, 2}, {{{2, 2}}, {10, 10}}, "0 | 10"},
        RolloutCase{"TheNewSetShrinks", {5, 2, 1}, {{}, {10, 10}}, "| 5"}),
    [](const auto& each) { return each.param.name; });

class ScaleProportionallyTest : public ::testing::TestWithParam<RolloutCase> {};
TEST_P(ScaleProportionallyTest, Sizes) {
  SetSizes sizes = GetParam().sizes;
  ScaleProportionally(GetParam().limits, sizes);
  EXPECT_EQ(Show(sizes), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Rollout, ScaleProportionallyTest,
    ::testing::Values(
        RolloutCase{"OneSetGetsAllReplicas", {20, 5, 5}, {{{0, 0, 13}}, {10, 10, 13}}, "0 | 20"},
        RolloutCase{"GrowthIsShared", {20, 6, 4}, {{{8, 8, 13}}, {5, 2, 13}}, "16 | 10"},
        RolloutCase{"ShrinkingIsShared", {5, 2, 1}, {{{8, 8, 13}}, {5, 2, 13}}, "4 | 3"},
        RolloutCase{"ToNothing", {0, 0, 0}, {{{8, 8, 13}}, {5, 2, 13}}, "0 | 0"}),
    [](const auto& each) { return each.param.name; });

TEST(ScaledValue, IsACountForAnyNumber) {
  const auto scaled = [](const Json& value) { return ScaledValue(&value, 1'000'000, true, 0); };
  EXPECT_EQ(scaled("25%"), 250'000);
  EXPECT_EQ(scaled("9223372036854775807%"), 2147483647);
  EXPECT_EQ(scaled("9223372036854775807"), 2147483647);
  EXPECT_EQ(scaled(std::numeric_limits<int64_t>::max()), 2147483647);
  EXPECT_EQ(scaled(std::numeric_limits<int64_t>::min()), -2147483648);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
