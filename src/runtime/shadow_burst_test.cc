// Bursts: shadow mode reports differences that are real, and no others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "runtime/burst_world_testing.h"
#include "runtime/large_burst_testing.h"
#include "scheduler/framework/in_tree_plugin_args.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using Result = Judgement::Result;

// More seeds by hand: BERTH_SHADOW_SEEDS=1000.
uint64_t Seeds() {
  const char* seeds = std::getenv("BERTH_SHADOW_SEEDS");
  return seeds == nullptr ? 3 : std::strtoull(seeds, nullptr, 10);
}

struct Sum {
  ShadowTotals totals;
  uint64_t states = 0;
  size_t wrong = 0, missed = 0;
  std::vector<std::string> false_differences;

  void Print(const char* name) const {
    fmt::print(
        "{}: {} seen, {} agreed, {} in flight, {} differ, {} not judged; {} wrong, {} missed, {} "
        "false; {:.2f} states per decision\n",
        name, totals.seen(), totals.agreed(), totals[Result::kAgreesInFlight],
        totals[Result::kDiffers], totals[Result::kNotJudged], wrong, missed,
        false_differences.size(), static_cast<double>(states) / static_cast<double>(totals.seen()));
  }
};

Sum RunBursts(BurstOptions options) {
  Sum sum;
  for (options.seed = 1; options.seed <= Seeds(); ++options.seed) {
    BurstWorld world(options);
    world.Run();
    for (size_t i = 0; i < Judgement::kResults; ++i)
      sum.totals.counts[i] += world.totals().counts[i];
    sum.states += world.states();
    sum.wrong += world.wrong();
    sum.missed += world.missed();
    for (const std::string& difference : world.false_differences()) {
      sum.false_differences.push_back(fmt::format("seed {}: {}", options.seed, difference));
    }
  }
  return sum;
}

struct BurstCase {
  const char* name;
  BurstOptions options;
  // How many false differences a thousand decisions may have. If all pods have the same priority,
  // the order of decisions is known; otherwise it is estimated, the worse the slower binds are.
  size_t false_differences = 0;
};

std::vector<BurstCase> Cases() {
  const Duration slow = Duration::Millis(100);
  return {
      {"OnePriority", {}},
      {"Priorities", {.priorities = true}, 2},
      {"Churn", {.churn = true}},
      {"PrioritiesAndChurn", {.priorities = true, .churn = true}, 2},
      {"FullCluster", {.full = true}},
      {"Preemption", {.priorities = true, .full = true}, 2},
      {"Everything", {.priorities = true, .churn = true, .full = true}, 2},
      {"SlowBinds", {.bind_latency = Duration::Millis(800)}},
      {"SlowChurn", {.churn = true, .bind_latency = slow}},
      {"SlowPriorities", {.priorities = true, .bind_latency = slow}, 5},
  };
}

class BurstTest : public testing::TestWithParam<BurstCase> {};
INSTANTIATE_TEST_SUITE_P(All, BurstTest, testing::ValuesIn(Cases()),
                         [](const auto& burst) { return burst.param.name; });

TEST_P(BurstTest, HasNoFalseDifferences) {
  const Sum sum = RunBursts(GetParam().options);
  sum.Print(GetParam().name);
  EXPECT_EQ(sum.wrong, 0);
  EXPECT_LE(sum.false_differences.size() * 1000, GetParam().false_differences * sum.totals.seen())
      << fmt::format("{}", fmt::join(sum.false_differences, "\n"));
  EXPECT_GT(sum.totals[Result::kAgreesInFlight], 0);
}

// The visible cluster alone is not enough.
TEST(BurstSearchTest, IsNeeded) {
  const Sum sum = RunBursts({.limits = {.states = 0}});
  EXPECT_GT(sum.false_differences.size(), 0);
}

// The fewer nodes fit, and the more that can have happened meanwhile, the more wrong decisions can
// be explained. A scheduler that decides otherwise shows nevertheless.
TEST_P(BurstTest, FindsAnotherScoringStrategy) {
  BurstOptions options = GetParam().options;
  scheduler::framework::NodeResourcesFitArgs args;
  args.scoring_strategy.type = "MostAllocated";
  options.profile.args.emplace("NodeResourcesFit", args);
  const Sum sum = RunBursts(options);
  sum.Print(GetParam().name);
  EXPECT_LT(sum.missed * 3, sum.wrong * 2);
}

TEST_P(BurstTest, FindsAMissingRule) {
  BurstOptions options = GetParam().options;
  options.profile.points[static_cast<size_t>(scheduler::framework::ExtensionPoint::kFilter)]
      .disabled = {"InterPodAffinity"};
  const Sum sum = RunBursts(options);
  sum.Print(GetParam().name);
  EXPECT_LT(sum.missed * 3, sum.wrong * 2);
}

// --- large bursts ---

// Judges the binds of a burst in which all pods wait at the same time. Each bind is passed through
// `change` first. The other scheduler starts `silence` after they were seen.
struct Cost {
  ShadowTotals totals;
  size_t states = 0;
};
Cost CostOf(
    const LargeBurst& burst, const ShadowLimits& limits,
    const std::function<void(api::Pod&)>& change = [](api::Pod&) {}, Duration silence = {}) {
  const auto engine = MakeDefaultEngine();
  SimClock clock{kBurstTime};
  Cost cost;
  Shadow shadow(*engine, [&](const auto& event) { engine->Handle(event, clock.Now()); },
                {.report =
                     [&](const Judgement& judgement) {
                       cost.totals.Add(judgement.result);
                       cost.states += judgement.tried;
                     },
                 .stopwatch = clock,
                 .limits = limits});
  const auto take = [&](const scheduler::engine::Event& event) {
    shadow.Take(event, clock.Now());
    shadow.Advance(clock.Now());
  };
  std::ranges::for_each(burst.objects, take);
  clock.Advance(silence);
  for (const auto& event : burst.binds) {
    clock.Advance(kBindInterval);
    const auto& put = std::get<scheduler::engine::ObjectPut>(event);
    auto pod = api::CopyToChange(*std::get<api::Ref<api::Pod>>(put.object));
    change(*pod);
    take(scheduler::engine::ObjectPut{api::Ref<api::Pod>(std::move(pod))});
  }
  shadow.Finish(clock.Now());
  return cost;
}

constexpr Duration kSilence = Duration::Seconds(2);

struct StartCase {
  const char* name;
  LargeBurstOptions options;
};
class StartBurstTest : public testing::TestWithParam<StartCase> {};
INSTANTIATE_TEST_SUITE_P(
    All, StartBurstTest,
    testing::Values(StartCase{"FewInFlight", {.latency = 20}},
                    StartCase{"ManyInFlight", {.latency = 200}},
                    StartCase{"SpreadOverZones", {.latency = 40, .spreads = true}},
                    StartCase{"AlikePods", {.latency = 100, .spreads = true, .alike = true}}),
    [](const auto& start) { return start.param.name; });

// kube-scheduler starts where pods wait already, and tries them in an order of its own; its binds
// are seen in yet another one.
TEST_P(StartBurstTest, IsJudgedByTheOrderOfDecisions) {
  LargeBurstOptions options = GetParam().options;
  options.nodes = 50;
  options.pods = 2'500;
  options.own_order = true;
  const Cost cost = CostOf(MakeLargeBurst(options), {}, [](api::Pod&) {}, kSilence);
  fmt::print("{}: {} agreed, {} in flight, {} differ, {} not judged; {} states\n", GetParam().name,
             cost.totals.agreed(), cost.totals[Result::kAgreesInFlight],
             cost.totals[Result::kDiffers], cost.totals[Result::kNotJudged], cost.states);
  EXPECT_EQ(cost.totals.seen(), options.pods);
  EXPECT_EQ(cost.totals[Result::kDiffers], 0);
  EXPECT_LE(cost.totals[Result::kNotJudged], options.pods / 20);
}

// What is wrong in any order shows: pods on a node that they do not tolerate.
TEST(StartTest, DifferencesShow) {
  const LargeBurstOptions options{
      .nodes = 50, .pods = 500, .latency = 40, .own_order = true, .tainted_node = true};
  size_t moved = 0;
  const Cost cost = CostOf(
      MakeLargeBurst(options), {},
      [&](api::Pod& pod) {
        if (++moved % 10 == 0) pod.spec.node_name = kTaintedNode;
      },
      kSilence);
  // And a few more: the other scheduler counts these pods where it had put them.
  EXPECT_GE(cost.totals[Result::kDiffers], options.pods / 10);
  EXPECT_LE(cost.totals[Result::kDiffers], options.pods / 8);
}

// Ten thousand pods wait, and forty binds are on their way at any time.
TEST(BurstCostTest, ADecisionCostsTheSameInALargeBurst) {
  for (const size_t pods : {1'000, 10'000}) {
    const Cost cost = CostOf(MakeLargeBurst({.nodes = 30, .pods = pods, .latency = 40}), {});
    EXPECT_EQ(cost.totals.seen(), pods);
    EXPECT_EQ(cost.totals.agreed(), pods);
    EXPECT_GT(cost.totals[Result::kAgreesInFlight], pods / 20);
    EXPECT_LT(cost.states, 3 * pods) << pods << " pods";
  }
}

// As with a scheduler that looks at a sample of the nodes: nothing explains its decisions.
TEST(BurstCostTest, KeepsUpWhereEveryDecisionDiffers) {
  constexpr size_t kPods = 1'000;
  const ShadowLimits limits{.states_per_decision = 4, .saved_states = 1'000};
  Random random(1);
  const Cost cost =
      CostOf(MakeLargeBurst({.nodes = 30, .pods = kPods, .latency = 40}), limits,
             [&](api::Pod& pod) { pod.spec.node_name = fmt::format("node-{}", random.Below(30)); });
  EXPECT_GT(cost.totals[Result::kDiffers] + cost.totals[Result::kNotJudged], kPods / 2);
  EXPECT_GT(cost.totals[Result::kNotJudged], 0);
  EXPECT_LE(cost.states, kPods + limits.saved_states + kPods * limits.states_per_decision);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
