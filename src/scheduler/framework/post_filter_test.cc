#include "scheduler/framework/post_filter.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/model/cluster.h"
#include "testing/object_builders.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

constexpr Instant kNow = Instant::FromUnixSeconds(100);
constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();

// Priority and start in seconds, -1 if not started; most important first.
using Pods = std::vector<std::pair<int32_t, int64_t>>;

class VictimOrder : public testing::Test {
 protected:
  Victims MakeVictims(const Pods& pods, int64_t violations = 0) {
    Victims victims;
    victims.budget_violations = violations;
    for (const auto& [priority, start] : pods) {
      MakePod pod("p" + std::to_string(count_++));
      pod.Priority(priority);
      if (start >= 0) pod.object.status.start_time = Instant::FromUnixSeconds(start);
      victims.pods.push_back(cluster_.PutPod(pod.ref()));
    }
    return victims;
  }
  VictimRating Rating(const Pods& pods, int64_t violations = 0) {
    return VictimRating(cluster_, MakeVictims(pods, violations), kNow);
  }

  model::Cluster cluster_;
  int count_ = 0;
};

TEST_F(VictimOrder, TheFirstCriterionThatDiffersDecides) {
  using enum VictimCriterion;
  const VictimRating best = Rating({{5, 20}, {2, 1}});
  const std::pair<VictimRating, VictimCriterion> cases[] = {
      {Rating({{1, 90}}, 1), kBudgetViolations},
      {Rating({{6, 90}}), kHighestPriority},
      {Rating({{5, 90}, {3, 90}}), kPrioritySum},
      {Rating({{5, 90}, {2, 90}, {-9, 90}}), kPrioritySum},
      // The lowest priority of all adds nothing to the sum.
      {Rating({{5, 90}, {2, 90}, {kLowest, 90}}), kVictimCount},
      {Rating({{5, 19}, {2, 90}}), kStartTime},
  };
  for (const auto& [other, criterion] : cases) {
    EXPECT_EQ(best.DifferenceTo(other), criterion);
    EXPECT_EQ(other.DifferenceTo(best), criterion);
    EXPECT_LT(best, other) << static_cast<int>(criterion);
  }
  EXPECT_EQ(best.DifferenceTo(Rating({{5, 20}, {2, 7}})), kNone);
}

TEST_F(VictimOrder, TheEarliestOfTheMostImportantVictimsCounts) {
  EXPECT_EQ(EarliestStart(cluster_, MakeVictims({{5, 30}, {5, 20}, {1, 10}}), kNow),
            Instant::FromUnixSeconds(20));
  EXPECT_EQ(EarliestStart(cluster_, MakeVictims({{5, -1}}), kNow), kNow);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
