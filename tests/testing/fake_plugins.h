// Plugins made of functions, and a cluster to run them in, for tests of the framework and the
// engine.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/registry.h"
#include "scheduler/framework/writes.h"
#include "scheduler/model/cluster.h"
#include "testing/require.h"

namespace berth {

// The behaviour of a FakeRule at each extension point. An empty function does nothing and accepts
// every node.
struct Rule {
  std::function<scheduler::framework::PreFilterResult(scheduler::framework::Cycle&)> pre_filter;
  std::function<void(scheduler::framework::Cycle&, const scheduler::model::PodRecord&,
                     scheduler::model::NodeRow)>
      pod_added;
  std::function<scheduler::framework::Verdict(const scheduler::framework::Cycle&,
                                              scheduler::model::NodeRow)>
      filter;
  scheduler::framework::Reads reads = scheduler::framework::Reads::kCluster;
  std::function<scheduler::framework::Verdict(scheduler::framework::Cycle&,
                                              const scheduler::model::NodeMask&)>
      pre_score;
  std::function<int64_t(const scheduler::framework::Cycle&, scheduler::model::NodeRow)> score;
  std::function<void(const scheduler::model::NodeMask&, std::span<int64_t>)> normalize;
  scheduler::framework::Scope score_scope = scheduler::framework::Scope::kCluster;
  std::function<uint64_t(const scheduler::model::Cluster&)> score_epoch;
};

class FakeRule final : public scheduler::framework::PreFilterPlugin,
                       public scheduler::framework::NodeFilter,
                       public scheduler::framework::PreScorePlugin,
                       public scheduler::framework::NodeScorer {
 public:
  FakeRule(std::string name, Rule rule) : name_(std::move(name)), rule_(std::move(rule)) {}
  std::string_view name() const override { return name_; }

  scheduler::framework::PreFilterResult PreFilter(
      scheduler::framework::Cycle& cycle) const override {
    return rule_.pre_filter ? rule_.pre_filter(cycle) : scheduler::framework::PreFilterResult{};
  }
  void PodAdded(scheduler::framework::Cycle& cycle, const scheduler::model::PodRecord& pod,
                scheduler::model::NodeRow node) const override {
    if (rule_.pod_added) rule_.pod_added(cycle, pod, node);
  }
  scheduler::framework::Verdict FilterNode(const scheduler::framework::Cycle& cycle,
                                           scheduler::model::NodeRow node) const override {
    return rule_.filter ? rule_.filter(cycle, node) : scheduler::framework::Verdict();
  }
  scheduler::framework::Reads reads() const override { return rule_.reads; }
  scheduler::framework::Verdict PreScore(
      scheduler::framework::Cycle& cycle,
      const scheduler::model::NodeMask& feasible) const override {
    return rule_.pre_score ? rule_.pre_score(cycle, feasible) : scheduler::framework::Verdict();
  }
  int64_t ScoreNode(const scheduler::framework::Cycle& cycle,
                    scheduler::model::NodeRow node) const override {
    return rule_.score ? rule_.score(cycle, node) : 0;
  }
  scheduler::framework::Scale scale() const override {
    return rule_.normalize ? scheduler::framework::Scale::kOwn : scheduler::framework::Scale::kNone;
  }
  void Normalize(const scheduler::framework::Cycle&, const scheduler::model::NodeMask& feasible,
                 std::span<int64_t> scores) const override {
    if (rule_.normalize) rule_.normalize(feasible, scores);
  }
  scheduler::framework::Scope score_scope() const override { return rule_.score_scope; }
  uint64_t score_epoch(const scheduler::model::Cluster& cluster) const override {
    return rule_.score_epoch ? rule_.score_epoch(cluster) : 0;
  }

 private:
  const std::string name_;
  const Rule rule_;
};

// Sorts pods by their time of arrival.
class FakeSort final : public scheduler::framework::QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "FakeSort";
  std::string_view name() const override { return kName; }
  bool Less(const scheduler::framework::QueuedPod& a,
            const scheduler::framework::QueuedPod& b) const override {
    return a.timestamp < b.timestamp;
  }
};

// Reports success without an API call.
class FakeBinder final : public scheduler::framework::BindPlugin {
 public:
  static constexpr std::string_view kName = "FakeBinder";
  std::string_view name() const override { return kName; }
  Task<scheduler::framework::Verdict> Bind(scheduler::framework::BindingContext&) const override {
    co_return scheduler::framework::Verdict();
  }
};

// Registers the plugin class P as `name`; its constructor gets `name` and `arguments`.
template <typename P, typename... Arguments>
void Offer(scheduler::framework::Registry& registry, const std::string& name,
           Arguments... arguments) {
  registry.Add(name,
               [=](const scheduler::framework::PluginArgs&)
                   -> Result<std::unique_ptr<scheduler::framework::Plugin>> {
                 return std::make_unique<P>(name, arguments...);
               });
}

// Returns a profile that enables these plugins at every extension point that they implement.
inline scheduler::framework::ProfileConfig ProfileOf(
    std::vector<scheduler::framework::PluginChoice> plugins) {
  scheduler::framework::ProfileConfig config;
  config.multi_point.enabled = std::move(plugins);
  return config;
}

// A cluster and a profile of fake rules.
class FakeCluster {
 public:
  // Rules run in the order in which they are added.
  void Add(const std::string& name, Rule rule, int32_t weight = 1) {
    Offer<FakeRule>(registry_, name, std::move(rule));
    config_.multi_point.enabled.push_back({name, weight});
  }

  const scheduler::framework::Profile& profile() {
    if (profile_ == nullptr) {
      registry_.Add<FakeSort>();
      registry_.Add<FakeBinder>();
      config_.multi_point.enabled.push_back({"FakeSort"});
      config_.multi_point.enabled.push_back({"FakeBinder"});
      profile_ = Require(scheduler::framework::Profile::Build(config_, registry_));
    }
    return *profile_;
  }

  scheduler::model::NodeRow Row(std::string_view node) const {
    return cluster.nodes().Find(cluster.symbols().Find(node));
  }
  Symbol Name(std::string_view node) { return names_.Intern(node); }
  const std::string& NameOf(scheduler::model::NodeRow row) const {
    return cluster.nodes().name(row);
  }
  // The names of the nodes, sorted.
  std::vector<std::string> Names(const scheduler::model::NodeMask& nodes) const {
    std::vector<std::string> names;
    nodes.ForEach([&](size_t row) {
      names.push_back(NameOf(scheduler::model::NodeRow{static_cast<uint32_t>(row)}));
    });
    std::ranges::sort(names);
    return names;
  }

  scheduler::model::Cluster cluster;

 private:
  scheduler::framework::Registry registry_;
  scheduler::framework::ProfileConfig config_;
  std::unique_ptr<scheduler::framework::Profile> profile_;
  SymbolHolder names_{cluster.mutable_symbols()};
};

// One scheduling attempt for a pod of a FakeCluster, with results of its own.
class FakeAttempt {
 public:
  FakeAttempt(FakeCluster& fake, const scheduler::model::PodRecord& pod)
      : results(fake.profile(), fake.cluster, fake.cluster.class_of(pod)),
        attempt(fake.cluster, fake.profile(), results, pod) {}

  scheduler::framework::Attempt* operator->() { return &attempt; }

  scheduler::framework::ClassResults results;
  scheduler::framework::Attempt attempt;
};

}  // namespace berth
