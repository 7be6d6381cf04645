#include "scheduler/plugins/preemption/dry_run.h"

#include <gtest/gtest.h>

#include "scheduler/plugins/preemption/preemption_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// Two full nodes with a pod each.
constexpr const char* kCapacityForOne = "allocatable: {cpu: 1, pods: 10}";
constexpr const char* kContainer = "containers: [{name: c, resources: {requests: {cpu: 1}}}]";

std::string Running(const std::string& node, int priority) {
  return PodYaml("on-" + node, {.spec = fmt::format("nodeName: {}, priority: {}, {}", node,
                                                    priority, kContainer)});
}

DryRunOutcome Rejected(const char* why) {
  DryRunOutcome result;
  result.verdict = framework::Verdict(framework::Code::kUnschedulable, why);
  return result;
}

class DryRunCacheTest : public testing::Test {
 protected:
  DryRunCacheTest()
      : world_{NodeYaml("a", {.status = kCapacityForOne}),
               NodeYaml("b", {.status = kCapacityForOne}), Running("a", 1), Running("b", 2)} {
    cache_.Refresh(world_.cluster());
    cache_.Insert(world_.node("a"), Rejected("a"));
    cache_.Insert(world_.node("b"), Rejected("b"));
  }

  // The nodes with a cached outcome.
  std::string Known() {
    cache_.Refresh(world_.cluster());
    std::string known;
    for (const char* node : {"a", "b"}) {
      if (cache_.Find(world_.node(node)) != nullptr) known += node;
    }
    return known;
  }

  void Change(const std::string& pod, const std::function<void(api::Pod&)>& change) {
    auto changed = std::make_shared<api::Pod>(*world_.cluster().pod(world_.pod(pod)).object);
    change(*changed);
    world_.cluster().PutPod(std::move(changed));
  }

  TestCluster world_;
  DryRunCache cache_;
};

TEST_F(DryRunCacheTest, KeepsOutcomesOfUnchangedNodes) {
  EXPECT_EQ(Known(), "ab");
  Change("on-a", [](api::Pod& pod) { pod.status.phase = "Running"; });
  EXPECT_EQ(Known(), "ab");
}

TEST_F(DryRunCacheTest, KnowsItsSize) {
  const size_t before = cache_.bytes();
  cache_.Insert(world_.node("b"), Rejected(std::string(1'000'000, 'x').c_str()));
  EXPECT_GE(cache_.bytes(), before + 990'000);
  world_.cluster().Remove<api::Pod>({"default", "on-b"});
  cache_.Refresh(world_.cluster());
  EXPECT_LT(cache_.bytes(), before);
}

TEST_F(DryRunCacheTest, DropsNodeWhosePodChangesItsLabels) {
  Change("on-a", [](api::Pod& pod) { pod.metadata.labels = {{"app", "y"}}; });
  EXPECT_EQ(Known(), "b");
}

TEST_F(DryRunCacheTest, DropsNodeWhosePodStarts) {
  Change("on-b", [](api::Pod& pod) { pod.status.start_time = Instant::FromUnixSeconds(5); });
  EXPECT_EQ(Known(), "a");
}

TEST_F(DryRunCacheTest, DropsNodeWhosePodIsDeleted) {
  world_.cluster().Remove<api::Pod>({"default", "on-a"});
  EXPECT_EQ(Known(), "b");
}

TEST_F(DryRunCacheTest, DropsAllWhenABudgetChanges) {
  auto budget = std::make_shared<api::PodDisruptionBudget>();
  budget->metadata.name = "budget";
  budget->metadata.namespace_ = "default";
  world_.cluster().Put(std::shared_ptr<const api::PodDisruptionBudget>(std::move(budget)));
  EXPECT_EQ(Known(), "");
}

class QuickRatingsTest : public DryRunCacheTest {
 protected:
  QuickRatingsTest() {
    for (const char* node : {"a", "b"}) cache_.InsertRating(world_.node(node), kRating);
  }

  // The nodes with a rating.
  std::string Rated() {
    cache_.Refresh(world_.cluster());
    std::string rated;
    for (const char* node : {"a", "b"}) {
      const auto* rating = cache_.FindRating(world_.node(node));
      if (rating != nullptr && rating->has_value()) rated += node;
    }
    return rated;
  }

  static inline const QuickRating kRating{
      framework::VictimRating(framework::VictimRating::Values{.victims = 1}), false};
};

TEST_F(QuickRatingsTest, AreDroppedWithTheirNode) {
  EXPECT_EQ(Rated(), "ab");
  Change("on-a", [](api::Pod& pod) { pod.metadata.labels = {{"app", "y"}}; });
  EXPECT_EQ(Rated(), "b");
  cache_.InsertRating(world_.node("a"), kRating);
  EXPECT_EQ(Rated(), "ab");
}

TEST_F(QuickRatingsTest, AreDroppedWhenABudgetChanges) {
  auto budget = std::make_shared<api::PodDisruptionBudget>();
  budget->metadata.name = "budget";
  world_.cluster().Put(std::shared_ptr<const api::PodDisruptionBudget>(std::move(budget)));
  EXPECT_EQ(Rated(), "");
}

// A class that others come before does not take memory.
TEST_F(QuickRatingsTest, AreNotKeptForAClassThatIsRarelyTried) {
  const size_t before = cache_.bytes();
  for (int i = 0; i < 40; ++i) {
    Change("on-a", [&](api::Pod& pod) { pod.metadata.labels = {{"version", std::to_string(i)}}; });
  }
  EXPECT_EQ(Rated(), "");
  EXPECT_EQ(cache_.FindRating(world_.node("b")), nullptr);
  EXPECT_LT(cache_.bytes(), before);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
