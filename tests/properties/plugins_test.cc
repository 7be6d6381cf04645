// Properties of every in-tree plugin, and of all of them together, in random clusters.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/framework/usage_table.h"
#include "testing/engine_harness.h"
#include "testing/require.h"
#include "testing/small_cluster.h"

namespace berth {
namespace BERTH_TEST_FILE {

std::unique_ptr<scheduler::framework::Profile> MakeDefaultProfile() {
  return Require(
      scheduler::framework::Profile::Build(DefaultProfile(), scheduler::plugins::InTreeRegistry()));
}

// A hypothetical pod, released when it goes out of scope.
class Visitor {
 public:
  Visitor(scheduler::model::Cluster& cluster, const api::Pod& pod)
      : cluster_(cluster),
        record(cluster.MakeHypotheticalPod(std::make_shared<const api::Pod>(pod))) {}
  ~Visitor() { cluster_.Release(record); }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

 private:
  scheduler::model::Cluster& cluster_;

 public:
  const scheduler::model::PodRecord record;
};

// By row; of nodes that `filter` does not leave in.
std::vector<uint32_t> RejectionKinds(const scheduler::framework::FilterPlugin& filter,
                                     const scheduler::framework::Cycle& cycle,
                                     const scheduler::model::NodeMask& left) {
  scheduler::model::NodeMask rejected = cycle.nodes().present();
  rejected -= left;
  const scheduler::framework::Conditions conditions = filter.Require(cycle);
  std::vector<uint32_t> kinds;
  for (size_t word = 0; word < rejected.words().size(); ++word) {
    std::array<uint32_t, 64> of_word{};
    scheduler::framework::RejectionKinds(conditions, cycle, word * 64, rejected.words()[word],
                                         of_word);
    kinds.insert(kinds.end(), of_word.begin(), of_word.end());
  }
  return kinds;
}

TEST(PluginsProperty, FilterLeavesExactlyTheNodesThatJudgeAccepts) {
  const auto profile = MakeDefaultProfile();
  std::map<std::string, size_t> rejections;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    scheduler::model::Cluster cluster;
    for (const api::Object& object : SmallCluster(random)) cluster.Put(object);
    for (int i = 0; i < 4; ++i) {
      const Visitor visitor(cluster, SmallPod(random, "incoming"));
      scheduler::framework::ClassResults results(*profile, cluster,
                                                 cluster.class_of(visitor.record));
      scheduler::framework::Cycle cycle(cluster, visitor.record, results.compiled());
      for (const scheduler::framework::FilterPlugin* filter : profile->filter()) {
        const auto* pre_filter = dynamic_cast<const scheduler::framework::PreFilterPlugin*>(filter);
        if (pre_filter != nullptr && !pre_filter->PreFilter(cycle).verdict.ok()) continue;
        scheduler::model::NodeMask left = cluster.nodes().present();
        ASSERT_TRUE(filter->Filter(cycle, left).ok()) << filter->name();
        const std::vector<uint32_t> kind_of = RejectionKinds(*filter, cycle, left);
        std::map<uint32_t, scheduler::framework::Verdict> kinds;
        for (size_t row = 0; row < cluster.nodes().rows(); ++row) {
          if (!cluster.nodes().present().Test(row)) {
            ASSERT_FALSE(left.Test(row)) << filter->name() << " set a bit, seed " << seed;
            continue;
          }
          const scheduler::framework::Verdict verdict =
              filter->Judge(cycle, scheduler::model::NodeRow{static_cast<uint32_t>(row)});
          ASSERT_EQ(left.Test(row), verdict.ok())
              << filter->name() << ": " << verdict.Message() << ", seed " << seed;
          ASSERT_TRUE(verdict.ok() || verdict.rejected()) << verdict.Message();
          rejections[std::string(filter->name())] += !verdict.ok();
          if (verdict.ok()) continue;
          const uint32_t kind = kind_of[row];
          if (kind == scheduler::framework::kNoKind) continue;
          const auto [alike, added] = kinds.emplace(kind, verdict);
          ASSERT_EQ(alike->second, verdict) << filter->name() << ", seed " << seed;
        }
      }
    }
  }
  // Every plugin must have rejected some nodes for this to mean something.
  for (const char* name : {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts",
                           "NodeResourcesFit", "NodeVolumeLimits", "VolumeBinding", "VolumeZone",
                           "PodTopologySpread", "InterPodAffinity"}) {
    EXPECT_GT(rejections[name], 20u) << name;
  }
}

// The cycle of a random pod in a random cluster.
struct RandomCycle {
  RandomCycle(uint64_t seed, const scheduler::framework::Profile& profile)
      : random(seed),
        visitor(Filled(), SmallPod(random, "incoming")),
        results(profile, cluster, cluster.class_of(visitor.record)),
        cycle(cluster, visitor.record, results.compiled()) {}

  Random random;
  scheduler::model::Cluster cluster;
  const Visitor visitor;
  scheduler::framework::ClassResults results;
  scheduler::framework::Cycle cycle;

 private:
  scheduler::model::Cluster& Filled() {
    for (const api::Object& object : SmallCluster(random)) cluster.Put(object);
    return cluster;
  }
};

TEST(PluginsProperty, FilterJudgesEachNodeIndependently) {
  const auto profile = MakeDefaultProfile();
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    RandomCycle random_cycle(seed, *profile);
    scheduler::framework::Cycle& cycle = random_cycle.cycle;
    for (const scheduler::framework::FilterPlugin* filter : profile->filter()) {
      const auto* pre_filter = dynamic_cast<const scheduler::framework::PreFilterPlugin*>(filter);
      if (pre_filter != nullptr && !pre_filter->PreFilter(cycle).verdict.ok()) continue;
      scheduler::model::NodeMask all = cycle.nodes().present();
      ASSERT_TRUE(filter->Filter(cycle, all).ok());
      scheduler::model::NodeMask some = cycle.nodes().present();
      some.KeepIf([&](size_t) { return random_cycle.random.Chance(50); });
      scheduler::model::NodeMask want = some;
      want &= all;
      ASSERT_TRUE(filter->Filter(cycle, some).ok());
      ASSERT_EQ(some, want) << filter->name() << ", seed " << seed;
    }
  }
}

// Returns the nodes that pass the rules of a search with `filter`.
scheduler::model::NodeMask PassingNodes(const scheduler::framework::Cycle& cycle,
                                        const scheduler::framework::FilterPlugin& filter,
                                        const scheduler::framework::SearchRules& rules) {
  scheduler::model::NodeMask passing = cycle.nodes().present();
  if (rules.only_rows) {
    passing.KeepIf([&](size_t row) {
      const scheduler::model::NodeRow node{static_cast<uint32_t>(row)};
      return std::ranges::count(*rules.only_rows, node) > 0 && filter.Judge(cycle, node).ok();
    });
    return passing;
  }
  for (const auto* condition : rules.static_conditions) condition->Keep(cycle, passing);
  passing.KeepIf([&](size_t row) {
    const scheduler::model::NodeRow node{static_cast<uint32_t>(row)};
    return std::ranges::all_of(
               rules.only_domains,
               [&](const auto& only) { return only.domain_of[row] == only.domain; }) &&
           std::ranges::all_of(rules.row_conditions,
                               [&](const auto& condition) {
                                 return scheduler::framework::Passes(condition, row);
                               }) &&
           scheduler::framework::Passes(rules.conditions, cycle, node);
  });
  return passing;
}

TEST(PluginsProperty, FilterLeavesTheNodesThatTheRulesOfASearchLeave) {
  const auto profile = MakeDefaultProfile();
  std::map<std::string, size_t> described;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomCycle random_cycle(seed, *profile);
    scheduler::framework::Cycle& cycle = random_cycle.cycle;
    for (const scheduler::framework::FilterPlugin* filter : profile->filter()) {
      const auto* pre_filter = dynamic_cast<const scheduler::framework::PreFilterPlugin*>(filter);
      if (pre_filter != nullptr && !pre_filter->PreFilter(cycle).verdict.ok()) continue;
      scheduler::framework::SearchRules rules;
      if (!rules.AddFilter(cycle, *filter)) continue;
      scheduler::model::NodeMask want = cycle.nodes().present();
      ASSERT_TRUE(filter->Filter(cycle, want).ok());
      ASSERT_EQ(PassingNodes(cycle, *filter, rules), want) << filter->name() << ", seed " << seed;
      ++described[std::string(filter->name())];
      // Bounds exclude no node that fits.
      scheduler::framework::UsageTable usages;
      usages.Refresh(cycle.nodes());
      std::vector<int32_t> bounds(want.size());
      scheduler::framework::BoundScores(rules.bound, usages.ranges(), bounds);
      want.ForEach([&](size_t row) { ASSERT_GE(bounds[row], 0) << filter->name(); });
    }
  }
  for (const char* name : {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts",
                           "NodeResourcesFit", "NodeVolumeLimits", "VolumeBinding", "VolumeZone",
                           "PodTopologySpread", "InterPodAffinity"}) {
    EXPECT_GT(described[name], 20u) << name;
  }
}

TEST(PluginsProperty, ScoresAreWithinTheirBounds) {
  const auto profile = MakeDefaultProfile();
  std::map<std::string, size_t> described;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    RandomCycle random_cycle(seed, *profile);
    scheduler::framework::Cycle& cycle = random_cycle.cycle;
    const scheduler::model::NodeMask& present = cycle.nodes().present();
    for (const auto& [plugin, weight] : profile->score()) {
      scheduler::framework::SearchRules rules;
      const auto answer = rules.AddScorer(cycle, {plugin, 1});
      const auto* pre_score = dynamic_cast<const scheduler::framework::PreScorePlugin*>(plugin);
      if (pre_score != nullptr && answer != scheduler::framework::Described::kNo) {
        EXPECT_EQ(pre_score->PreScore(cycle, present).skipped(),
                  answer == scheduler::framework::Described::kSkip)
            << plugin->name() << ", seed " << seed;
      }
      if (rules.scorers.empty() && rules.other_scorers.empty()) continue;
      std::vector<int64_t> scores(present.size());
      ASSERT_TRUE(plugin->Score(cycle, present, scores).ok());
      scheduler::framework::UsageTable usages;
      usages.Refresh(cycle.nodes());
      std::vector<int32_t> bounds(present.size());
      scheduler::framework::BoundScores(rules.bound, usages.ranges(), bounds);
      present.ForEach([&](size_t row) {
        const scheduler::model::NodeRow node{static_cast<uint32_t>(row)};
        ASSERT_EQ(plugin->ScoreOneNode(cycle, node), scores[row]) << plugin->name();
        ASSERT_GE(bounds[row], scores[row]) << plugin->name() << ", seed " << seed;
      });
      ++described[std::string(plugin->name())];
    }
  }
  for (const char* name :
       {"NodeResourcesFit", "NodeResourcesBalancedAllocation", "ImageLocality"}) {
    EXPECT_GT(described[name], 20u) << name;
  }
}

// The result of scheduling a pod, by the names of nodes.
struct Outcome {
  std::map<std::string, std::map<std::string, int64_t>> scores;  // By feasible node and plugin.
  std::string best;
  std::string failure;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::string ToString(const Outcome& outcome) {
  std::string text = "best: " + outcome.best + "\n" + outcome.failure + "\n";
  for (const auto& [node, scores] : outcome.scores) {
    text += node + ":";
    for (const auto& [plugin, score] : scores) text += fmt::format(" {}={}", plugin, score);
    text += "\n";
  }
  return text;
}

Outcome Try(const scheduler::framework::Profile& profile, scheduler::model::Cluster& cluster,
            const api::Pod& pod) {
  Outcome outcome;
  const Visitor visitor(cluster, pod);
  scheduler::framework::ClassResults results(profile, cluster, cluster.class_of(visitor.record));
  scheduler::framework::Attempt attempt(cluster, profile, results, visitor.record);
  const scheduler::framework::Verdict pre_filter = attempt.PreFilter();
  const scheduler::framework::Verdict filtered =
      pre_filter.ok() ? attempt.Filter() : scheduler::framework::Verdict();
  EXPECT_TRUE(filtered.ok());
  if (!pre_filter.ok() || attempt.feasible().None()) {
    outcome.failure = attempt.Diagnose(pre_filter).Message();
    return outcome;
  }
  EXPECT_TRUE(attempt.Score().ok());
  outcome.best = cluster.nodes().name(attempt.Best());
  scheduler::framework::Attempt::ScoreTable table;
  EXPECT_TRUE(attempt.ScoreInDetail(table).ok());
  attempt.feasible().ForEach([&](size_t row) {
    auto& scores =
        outcome.scores[cluster.nodes().name(scheduler::model::NodeRow{static_cast<uint32_t>(row)})];
    for (const auto& column : table.plugins) scores[column.plugin] = column.scores[row];
  });
  return outcome;
}

TEST(PluginsProperty, TheOrderOfObjectsDoesNotMatter) {
  const auto profile = MakeDefaultProfile();
  size_t placed = 0, refused = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    std::vector<api::Object> objects = SmallCluster(random);
    scheduler::model::Cluster first, second;
    for (const api::Object& object : objects) first.Put(object);
    // The rows of nodes that are deleted in between are reused.
    for (int i = 0; i < 5; ++i) second.Put(MakeNode(fmt::format("passing{}", i)));
    ShuffleAll(random, objects);
    for (size_t i = 0; i < objects.size(); ++i) {
      if (i < 5) second.Remove<api::Node>({"", fmt::format("passing{}", i)});
      second.Put(objects[i]);
    }
    for (size_t i = objects.size(); i < 5; ++i) {
      second.Remove<api::Node>({"", fmt::format("passing{}", i)});
    }
    for (int i = 0; i < 4; ++i) {
      const api::Pod pod = SmallPod(random, "incoming");
      const Outcome one = Try(*profile, first, pod), other = Try(*profile, second, pod);
      ASSERT_EQ(ToString(one), ToString(other)) << "seed " << seed;
      ++(one.best.empty() ? refused : placed);
    }
  }
  EXPECT_GT(placed, 200u);
  EXPECT_GT(refused, 100u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
