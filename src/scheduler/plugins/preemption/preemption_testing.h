// A harness for tests of preemption: a pod of a small cluster that fits nowhere, and the result of
// preemption for it, as text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/framework/profile.h"
#include "scheduler/plugins/plugin_testing.h"
#include "scheduler/plugins/preemption/victims.h"
#include "testing/require.h"

namespace berth::scheduler::plugins {

// A profile of `plugins` and those that every profile must have.
inline std::unique_ptr<framework::Profile> ProfileOf(
    const std::vector<std::string>& plugins, const framework::PluginArgs& preemption_args = {},
    const framework::Registry& registry = InTreeRegistry()) {
  framework::ProfileConfig config;
  for (const std::string& name : plugins) config.multi_point.enabled.push_back({name, 0});
  for (const char* name : {"PrioritySort", "DefaultPreemption", "DefaultBinder"}) {
    config.multi_point.enabled.push_back({name, 0});
  }
  if (preemption_args.has_value()) config.args.emplace("DefaultPreemption", preemption_args);
  return Require(framework::Profile::Build(config, registry));
}

// The attempt to schedule a pod of `world`, up to the point where no node is found. All arguments
// must outlive the trial.
class PreemptionHarness {
 public:
  static constexpr Instant kNow = Instant::FromUnixSeconds(1'000'000);

  PreemptionHarness(TestCluster& world, const framework::Profile& profile, const std::string& pod)
      : world_(world),
        record_(world.cluster().pod(world.pod(pod))),
        results_(profile, world.cluster(), world.cluster().class_of(record_)),
        attempt_(world.cluster(), profile, results_, record_) {
    const framework::Verdict pre_filter = attempt_.PreFilter();
    if (pre_filter.ok()) {
      EXPECT_TRUE(attempt_.Filter().ok());
      EXPECT_TRUE(attempt_.feasible().None()) << "the pod fits";
    }
    diagnosis_ = attempt_.Diagnose(pre_filter);
  }

  framework::Attempt& attempt() { return attempt_; }

  // The victims on one node, highest priority first: "b a, 1 over budget"; or why preemption does
  // not help.
  std::string Victims(const std::string& node) {
    framework::Victims victims;
    const framework::Verdict verdict =
        SelectVictimsOnNode(attempt_, world_.node(node), kNow, victims);
    return verdict.ok() ? TextOf(victims) : Text(verdict);
  }

  // The result of the PostFilter plugin `name`: "nominated to b, evicting x y"; or its verdict and
  // whether the pod's nomination is retained or cleared.
  std::string PostFilter(std::string_view name = "DefaultPreemption", uint64_t seed = 1,
                         framework::PreemptionReport* report = nullptr) {
    for (const framework::PostFilterPlugin* plugin : attempt_.profile().post_filter()) {
      if (plugin->name() != name) continue;
      Random random(seed);
      framework::FailedCycle failed{attempt_, diagnosis_, kNow, random, report};
      Task<framework::PostFilterResult> task = plugin->PostFilter(failed);
      task.Start();
      return TextOf(task.result());
    }
    return "no such plugin";
  }

  // All candidates, by name, with their victims: "a: x y; b: z, 1 over budget".
  std::string Candidates() {
    framework::PreemptionReport report;
    PostFilter("DefaultPreemption", 1, &report);
    std::map<std::string, std::string> by_node;
    for (const auto& [node, victims] : report.candidates)
      by_node[world_.name(node)] = TextOf(victims);
    std::vector<std::string> texts;
    for (const auto& [node, victims] : by_node) texts.push_back(node + ": " + victims);
    return fmt::format("{}", fmt::join(texts, "; "));
  }

 private:
  std::string TextOf(const std::vector<model::PodId>& pods) const {
    std::vector<std::string> names;
    for (model::PodId pod : pods) names.push_back(world_.name(pod));
    return fmt::format("{}", fmt::join(names, " "));
  }

  std::string TextOf(const framework::Victims& victims) const {
    if (victims.budget_violations == 0) return TextOf(victims.pods);
    return fmt::format("{}, {} over budget", TextOf(victims.pods), victims.budget_violations);
  }

  std::string TextOf(const framework::PostFilterResult& result) const {
    if (!result.verdict.ok()) {
      EXPECT_TRUE(result.victims.empty());
      EXPECT_FALSE(result.nomination.node.valid());
      return Text(result.verdict) + (result.nomination.replace ? " (cleared)" : " (kept)");
    }
    EXPECT_TRUE(result.nomination.replace);
    return fmt::format("nominated to {}, evicting {}",
                       world_.cluster().symbols().Text(result.nomination.node),
                       TextOf(result.victims));
  }

  TestCluster& world_;
  const model::PodRecord& record_;
  framework::ClassResults results_;
  framework::Attempt attempt_;
  framework::Diagnosis diagnosis_;
};

}  // namespace berth::scheduler::plugins
