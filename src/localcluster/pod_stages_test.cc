#include "localcluster/pod_stages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "api/json/parse.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using Operator = StageRequirement::Operator;

struct RequirementCase {
  const char* name;
  StageRequirement requirement;
  bool want;
};

class Requirements : public ::testing::TestWithParam<RequirementCase> {};

TEST_P(Requirements, MatchAPod) {
  const Json pod = *api::ParseJson(R"({
    "metadata": {"namespace": "shop", "labels": {"app": "web", "empty": ""},
                 "ownerReferences": [{"kind": "Job"}, {"kind": "Other"}]},
    "spec": {"priority": 10, "hostNetwork": true, "nodeSelector": null}})");
  EXPECT_EQ(GetParam().requirement.Matches(pod.get_object()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    PodStages, Requirements,
    ::testing::Values(
        RequirementCase{"In", {{"metadata", "namespace"}, Operator::kIn, {"a", "shop"}}, true},
        RequirementCase{"InOthers", {{"metadata", "namespace"}, Operator::kIn, {"a"}}, false},
        RequirementCase{"InAbsent", {{"metadata", "name"}, Operator::kIn, {"a"}}, false},
        RequirementCase{"NotIn", {{"metadata", "namespace"}, Operator::kNotIn, {"a"}}, true},
        RequirementCase{
            "NotInItself", {{"metadata", "namespace"}, Operator::kNotIn, {"shop"}}, false},
        RequirementCase{"NotInAbsent", {{"metadata", "name"}, Operator::kNotIn, {"a"}}, true},
        RequirementCase{"AnyItem",
                        {{"metadata", "ownerReferences", "", "kind"}, Operator::kIn, {"Other"}},
                        true},
        RequirementCase{"NoItem",
                        {{"metadata", "ownerReferences", "", "kind"}, Operator::kNotIn, {"Job"}},
                        false},
        RequirementCase{"Number", {{"spec", "priority"}, Operator::kIn, {"10"}}, true},
        RequirementCase{"Bool", {{"spec", "hostNetwork"}, Operator::kIn, {"true"}}, true},
        RequirementCase{"ObjectIsNoValue", {{"metadata", "labels"}, Operator::kIn, {"{}"}}, false},
        RequirementCase{"Exists", {{"metadata", "labels", "empty"}, Operator::kExists}, true},
        RequirementCase{"NullDoesNotExist", {{"spec", "nodeSelector"}, Operator::kExists}, false},
        RequirementCase{"DoesNotExist", {{"status", "phase"}, Operator::kDoesNotExist}, true},
        RequirementCase{
            "ThroughAString", {{"metadata", "namespace", "x"}, Operator::kExists}, false},
        RequirementCase{"ItemsOfAnObject", {{"metadata", "labels", ""}, Operator::kExists}, false}),
    [](const auto& each) { return each.param.name; });

Json PodOf(std::string_view app) {
  return *api::ParseJson(fmt::format(R"({{"metadata":{{"labels":{{"app":"{}"}}}}}})", app));
}

Stage ForApp(std::string_view name, std::string_view app, uint32_t weight = 0) {
  return {.name = std::string(name),
          .requirements = {{{"metadata", "labels", "app"}, Operator::kIn, {std::string(app)}}},
          .weight = weight,
          .status = StageStatus::kError};
}

TEST(PodStages, TheFirstThatMatchesWins) {
  const PodStages stages({{.name = "start", .status = StageStatus::kRunning},
                          ForApp("web", "web"),
                          ForApp("b", "db"),
                          {.name = "all", .status = StageStatus::kKeepsRunning}});
  const auto name = [&](std::string_view app, StageMoment moment) {
    const Stage* found = stages.Find(moment, PodOf(app).get_object(), {});
    return found ? found->name : "none";
  };
  EXPECT_EQ(name("web", StageMoment::kExit), "web");
  EXPECT_EQ(name("db", StageMoment::kExit), "b");
  EXPECT_EQ(name("other", StageMoment::kExit), "all");
  EXPECT_EQ(name("web", StageMoment::kStart), "start");
  EXPECT_EQ(name("web", StageMoment::kReadiness), "none");
}

TEST(PodStages, EndAfterTheirTimes) {
  Stage twice = ForApp("twice", "web");
  twice.times = 2;
  const PodStages stages({twice, {.name = "then", .status = StageStatus::kKeepsRunning}});
  const Json pod = PodOf("web");
  EXPECT_EQ(stages.Find(StageMoment::kExit, pod.get_object(), {}, 1)->name, "twice");
  EXPECT_EQ(stages.Find(StageMoment::kExit, pod.get_object(), {}, 2)->name, "then");
}

TEST(PodStages, AreDrawnByWeight) {
  const PodStages stages({ForApp("often", "web", 3), ForApp("never", "db", 5),
                          ForApp("rarely", "web", 1), ForApp("unweighted", "web")});
  const Json pod = PodOf("web");
  const auto count = [&](uint64_t seed) {
    std::map<std::string, int> counts;
    for (int i = 0; i < 4000; ++i) {
      const PodRandom random{seed, fmt::format("default/web-{}", i)};
      ++counts[stages.Find(StageMoment::kExit, pod.get_object(), random)->name];
    }
    return counts;
  };
  std::map<std::string, int> counts = count(1);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_NEAR(counts["often"], 3000, 150);
  EXPECT_EQ(count(1), counts);
  EXPECT_NE(count(2), counts);
}

TEST(PodStages, APodDrawsTheSameStageWheneverItIsAsked) {
  const PodStages stages({ForApp("one", "web", 1), ForApp("two", "web", 1)});
  const Json pod = PodOf("web");
  const PodRandom random{7, "default/web-0"};
  const Stage* first = stages.Find(StageMoment::kExit, pod.get_object(), random);
  for (int restarts = 1; restarts < 50; ++restarts) {
    EXPECT_EQ(stages.Find(StageMoment::kExit, pod.get_object(), random, restarts), first);
  }
}

TEST(PodStages, DelaysAreBetweenTheTwoDurations) {
  const Stage stage{
      .name = "slow", .delay = Duration::Seconds(2), .longest_delay = Duration::Seconds(6)};
  Duration least = Duration::Seconds(99), most = {};
  for (int i = 0; i < 1000; ++i) {
    const Duration delay = stage.DelayOf({0, fmt::format("default/{}", i)}, 0);
    EXPECT_GE(delay, stage.delay);
    EXPECT_LT(delay, stage.longest_delay);
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_LT(least, Duration::Millis(2100));
  EXPECT_GT(most, Duration::Millis(5900));
  const PodRandom random{0, "default/a"};
  EXPECT_EQ(stage.DelayOf(random, 1), stage.DelayOf(random, 1));
  EXPECT_NE(stage.DelayOf(random, 1), stage.DelayOf(random, 2));
}

// The numbers must not change: runs of other days and machines are compared by them.
TEST(PodRandom, IsTheSameEverywhere) {
  EXPECT_EQ((PodRandom{1, "default/web-0"}.For("slow", 2).Below(1'000'000)), 147417u);
  EXPECT_NE((PodRandom{1, "ab"}.For("c").Next()), (PodRandom{1, "a"}.For("bc").Next()));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
