#include "benchmark/synthetic_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "benchmark/bench_testing.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::benchmark {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;

Result<Measurement> Measure(const WorldOptions& world, const Environment& environment = {}) {
  return RunSyntheticWorld(world, ConfigureForTest("", {})->options,
                           scheduler::plugins::InTreeRegistry(), environment);
}

class SyntheticMixes : public testing::TestWithParam<NamedMix> {};
INSTANTIATE_TEST_SUITE_P(All, SyntheticMixes, testing::ValuesIn(kMixes), [](const auto& mix) {
  std::string name(mix.param.name);
  std::erase(name, '-');
  return name;
});

TEST_P(SyntheticMixes, SchedulesAllPods) {
  for (const size_t classes : {size_t{1}, size_t{7}, size_t{0}}) {
    const WorldOptions world{
        .nodes = 40, .pods = 40, .classes = classes, .zones = 4, .mix = GetParam().mix};
    ASSERT_TRUE(world.Check());
    const auto measured = Measure(world);
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ(measured->pods, 40U);
    EXPECT_GE(measured->attempts.value_or(0), 40U);
    EXPECT_GT(measured->rates.average, 0);
    EXPECT_GT(*measured->loading, Duration{});
  }
}

TEST(WorldOptions, RefusesWhatDoesNotFit) {
  const auto error = [](const WorldOptions& world) {
    const auto checked = world.Check();
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(error({}), "");
  EXPECT_THAT(error({.nodes = 10, .pods = 401}),
              HasSubstr("401 pods do not fit on 10 nodes, 400 do"));
  EXPECT_THAT(error({.nodes = 10, .pods = 11, .mix = Mix::kAntiAffinity}),
              HasSubstr("use more nodes or classes"));
  EXPECT_EQ(error({.nodes = 10, .pods = 11, .classes = 0, .mix = Mix::kAntiAffinity}), "");
  EXPECT_THAT(error({.nodes = 9, .pods = 121, .zones = 3, .mix = Mix::kAffinity}),
              HasSubstr("do not fit into one zone of 3 nodes"));
  EXPECT_THAT(error({.nodes = 10, .pods = 41, .mix = Mix::kPreemption}), HasSubstr("40 do"));
  EXPECT_THAT(error({.nodes = 10, .pods = 400, .zones = 3, .mix = Mix::kVolumes}),
              HasSubstr("134 pods with volumes of a zone do not fit on 3 nodes"));
}

TEST(SyntheticWorld, HasAsManyClassesAsAskedFor) {
  const auto distinct = [](size_t classes) {
    const SyntheticWorld world({.pods = 30, .classes = classes});
    std::set<std::string> requests;
    for (size_t i = 0; i < 30; ++i) {
      requests.insert(
          world.Pod(i)->spec.containers.front().resources.requests.at("memory").ToString());
    }
    return requests.size();
  };
  EXPECT_EQ(distinct(1), 1U);
  EXPECT_EQ(distinct(10), 10U);
  EXPECT_EQ(distinct(0), 30U);
}

TEST(RunSyntheticWorld, EndsWithWhatItHasWhenInterrupted) {
  Environment environment;
  int looks = 0;
  // Loading looks once for each pod.
  environment.interrupted = [&looks] { return ++looks > 502; };
  const auto measured = Measure({.nodes = 50, .pods = 500}, environment);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_TRUE(measured->interrupted);
  EXPECT_GT(measured->pods, 0U);
  EXPECT_LT(measured->pods, 500U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::benchmark
