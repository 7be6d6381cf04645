#include "benchmark/pod_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/json/parse.h"
#include "api/scheme/scheme.h"
#include "apiserver/registry/api.h"
#include "base/time.h"

namespace berth::benchmark {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;

class PodTrackerTest : public testing::Test {
 protected:
  void CreatePod(const std::string& name, const std::string& label = "a") {
    auto pod = api::ParseJson(R"({"metadata":{"name":")" + name + R"(","labels":{"app":")" + label +
                              R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    ASSERT_TRUE(api_.Create(pods_, "default", *std::move(pod)));
  }
  void Bind(const std::string& name) {
    const auto binding = api::ParseJson(R"({"target":{"kind":"Node","name":"n"}})");
    ASSERT_TRUE(api_.Bind({"default", name}, *binding));
  }
  void Attempt(const std::string& name) {
    auto patch =
        api::ParseJson(R"({"status":{"conditions":[{"type":"PodScheduled","status":"False"}]}})");
    ASSERT_TRUE(api_.Patch(pods_, {"default", name}, "status",
                           apiserver::patch::PatchType::kStrategic, *patch));
  }

  SimClock clock_;
  std::unique_ptr<apiserver::store::Store> store_ = *apiserver::store::Store::Open(
      {.collections = api::scheme::CollectionNames(), .history = 16}, nullptr);
  apiserver::registry::Api api_{*store_, clock_, 1};
  const api::scheme::Kind& pods_ = api::scheme::KindOf("pods");
};

TEST_F(PodTrackerTest, CountsThePodsByTheirStage) {
  CreatePod("bound");
  Bind("bound");
  PodTracker tracker(*store_);
  const auto all = tracker.Count({"default"}, {});
  const auto some = tracker.Count({}, {{"app", "b"}});
  const auto none = tracker.Count({"other"}, {});
  EXPECT_EQ(all->scheduled(), 1U);
  EXPECT_EQ(all->bound(), 0U);
  CreatePod("x", "b");
  CreatePod("y");
  Attempt("y");
  tracker.Read();
  EXPECT_EQ(all->scheduled(), 1U);
  EXPECT_EQ(all->attempted(), 2U);
  EXPECT_EQ(tracker.FirstPending(*all), "default/x");
  Bind("x");
  tracker.Read();
  EXPECT_EQ(all->bound(), 1U);
  EXPECT_EQ(some->bound(), 1U);
  EXPECT_EQ(some->scheduled(), 1U);
  EXPECT_EQ(none->attempted(), 0U);
  EXPECT_EQ(tracker.FirstPending(*some), "");
  EXPECT_THAT(tracker.Names("default", {{"app", "a"}}), ElementsAre("bound", "y"));
}

TEST_F(PodTrackerTest, ForgetsDeletedPodsButNotThatTheyWereBound) {
  PodTracker tracker(*store_);
  const auto count = tracker.Count({}, {});
  CreatePod("x");
  Bind("x");
  tracker.Read();
  ASSERT_TRUE(api_.Delete(pods_, {"default", "x"}, {.grace_period_seconds = 0}));
  tracker.Read();
  EXPECT_EQ(count->scheduled(), 0U);
  EXPECT_EQ(count->bound(), 1U);
}

TEST_F(PodTrackerTest, ListsAgainIfItHasFallenBehind) {
  PodTracker tracker(*store_);
  const auto count = tracker.Count({}, {});
  CreatePod("gone");
  tracker.Read();
  ASSERT_TRUE(api_.Delete(pods_, {"default", "gone"}, {.grace_period_seconds = 0}));
  // More than the history of the store has.
  for (int i = 0; i < 40; ++i) {
    CreatePod("p" + std::to_string(i));
    Bind("p" + std::to_string(i));
  }
  tracker.Read();
  EXPECT_EQ(count->scheduled(), 40U);
  EXPECT_EQ(count->bound(), 40U);
  EXPECT_EQ(count->attempted(), 40U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::benchmark
