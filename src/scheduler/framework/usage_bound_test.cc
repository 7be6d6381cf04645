#include "scheduler/framework/usage_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

// Random usages as columns, some of them in ranges.
class RandomRanges {
 public:
  RandomRanges(Random& random, size_t count) {
    for (size_t column = 0; column < kUsageColumns; ++column) {
      for (size_t i = 0; i < count; ++i) {
        low_[column].push_back(ValueOf(random, column));
        const float wider = random.Chance(50) ? 0 : ValueOf(random, column);
        high_[column].push_back(low_[column][i] + wider);
      }
    }
  }
  UsageRanges ranges() const {
    UsageRanges all{};
    for (size_t column = 0; column < kUsageColumns; ++column) {
      all.low[column] = low_[column].data();
      all.high[column] = high_[column].data();
    }
    return all;
  }

 private:
  static float ValueOf(Random& random, size_t column) {
    const auto thousandths = static_cast<float>(random.Below(1'200));
    if (column == kBalance) return std::floor(thousandths / 12);
    if (column == kPerCpu || column == kPerMemory) return thousandths / 1e6F;
    return random.Chance(2) ? kNoneFits : thousandths / 1e3F;
  }
  std::array<std::vector<float>, kUsageColumns> low_, high_;
};

ScoreBound RandomPod(Random& random) {
  ScoreBound pod;
  pod.cpu = static_cast<float>(random.Below(1'000));
  pod.memory = static_cast<float>(random.Below(1'000));
  pod.cpu_limit = random.Chance(80) ? ScoreBound::kAll : ScoreBound::kAnyButNoneFits;
  pod.memory_limit = random.Chance(80) ? ScoreBound::kAll : ScoreBound::kAnyButNoneFits;
  pod.prefers_used = random.Chance(30);
  pod.nonzero_cpu = pod.balanced_cpu = pod.cpu + 1;
  pod.nonzero_memory = pod.balanced_memory = pod.memory + 1;
  pod.cpu_weight = static_cast<float>(random.Below(4));
  pod.memory_weight = static_cast<float>(random.Below(4));
  pod.allocation_weight = static_cast<int32_t>(random.Below(3));
  pod.balance_weight = static_cast<int32_t>(random.Below(3));
  pod.others = static_cast<int32_t>(random.Below(50));
  return pod;
}

TEST(UsageBound, IsTheSameForManyAtOnce) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const size_t count = random.Below(150);
    const RandomRanges usages(random, count);
    const ScoreBound pod = RandomPod(random);
    std::vector<int32_t> fast(count), plain(count);
    BoundScores(pod, usages.ranges(), fast);
    BoundScoresPlainly(pod, usages.ranges(), plain);
    ASSERT_EQ(fast, plain) << i;
  }
}

TEST(UsageBound, OfARangeIsAtLeastThatOfItsMembers) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    constexpr size_t kMembers = 40;
    const RandomRanges members(random, kMembers);
    const UsageRanges all = members.ranges();
    UsageRanges nodes{all.low, all.low};
    NodeUsage lowest{}, highest{};
    UsageRanges around{};
    for (size_t column = 0; column < kUsageColumns; ++column) {
      lowest[column] = *std::min_element(nodes.low[column], nodes.low[column] + kMembers);
      highest[column] = *std::max_element(nodes.low[column], nodes.low[column] + kMembers);
      around.low[column] = &lowest[column];
      around.high[column] = &highest[column];
    }
    const ScoreBound pod = RandomPod(random);
    std::vector<int32_t> each(kMembers), bound(1);
    BoundScores(pod, nodes, each);
    BoundScores(pod, around, bound);
    ASSERT_GE(bound[0], std::ranges::max(each)) << i;
  }
}

model::NodeColumns OneNode(int64_t cpu, int64_t memory) {
  model::NodeColumns columns;
  columns.Resize(1);
  columns.allocatable_cpu[0] = cpu;
  columns.allocatable_memory[0] = memory;
  columns.allocatable_pods[0] = 2;
  return columns;
}

TEST(UsageBound, ReadsSharesOfWhatIsAllocatable) {
  model::NodeColumns columns = OneNode(4'000, 1'000);
  columns.requested_cpu[0] = 1'000;
  columns.nonzero_cpu[0] = 2'000;
  columns.requested_memory[0] = 750;
  columns.nonzero_memory[0] = 1'000;
  EXPECT_EQ(UsageOf(columns, 0),
            (NodeUsage{0.25F, 0.75F, 0.5F, 1.0F, 1 / 4'000.0F, 1 / 1'000.0F, 75.0F}));
}

TEST(UsageBound, ANodeThatLacksAResourceCountsAsUnused) {
  EXPECT_EQ(UsageOf(OneNode(4'000, 0), 0), NodeUsage{});
}

int32_t BoundOn(const model::NodeColumns& columns, const ScoreBound& pod) {
  const NodeUsage usage = UsageOf(columns, 0);
  UsageRanges node{};
  for (size_t column = 0; column < kUsageColumns; ++column)
    node.low[column] = node.high[column] = &usage[column];
  std::vector<int32_t> bounds(1);
  BoundScores(pod, node, bounds);
  return bounds[0];
}

TEST(UsageBound, ANodeWithTooManyPodsFitsNone) {
  model::NodeColumns columns = OneNode(4'000, 1'000);
  columns.pod_count[0] = 2;
  ScoreBound pod;
  pod.cpu_limit = ScoreBound::kAnyButNoneFits;
  EXPECT_EQ(BoundOn(columns, pod), -1);
  EXPECT_EQ(BoundOn(columns, {}), 0);  // If no plugin counts pods.
}

TEST(UsageBound, APodWithoutRequestsFitsOnTheFullestNode) {
  model::NodeColumns columns = OneNode(1, 1);
  columns.requested_cpu[0] = columns.requested_memory[0] = INT64_MAX;
  ScoreBound pod;
  pod.cpu_limit = ScoreBound::kAnyButNoneFits;
  EXPECT_EQ(BoundOn(columns, pod), 0);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
