// Plugins made of functions, and a small world to run them in, for tests of the framework and the
// engine.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "cluster/cluster.h"
#include "framework/attempt.h"
#include "framework/binding.h"
#include "framework/node_at_a_time.h"
#include "framework/profile.h"
#include "framework/queued_pod.h"
#include "framework/registry.h"

namespace berth {

// What a FakeRule does at each point. What is left out does nothing and agrees to everything.
struct Rule {
  std::function<PreFilterResult(Cycle&)> pre_filter;
  std::function<void(Cycle&, const PodRecord&, NodeRow)> pod_added;
  std::function<Verdict(const Cycle&, NodeRow)> filter;
  Scope filter_scope = Scope::kCluster;
  std::function<Verdict(Cycle&, const NodeMask&)> pre_score;
  std::function<int64_t(const Cycle&, NodeRow)> score;
  std::function<void(const NodeMask&, std::span<int64_t>)> normalize;
  Scope score_scope = Scope::kCluster;
  std::function<uint64_t(const Cluster&)> score_epoch;
};

class FakeRule final : public PreFilterPlugin,
                       public NodeFilter,
                       public PreScorePlugin,
                       public NodeScorer {
 public:
  FakeRule(std::string name, Rule rule) : name_(std::move(name)), rule_(std::move(rule)) {}
  std::string_view name() const override { return name_; }

  PreFilterResult PreFilter(Cycle& cycle) const override {
    return rule_.pre_filter ? rule_.pre_filter(cycle) : PreFilterResult{};
  }
  void PodAdded(Cycle& cycle, const PodRecord& pod, NodeRow node) const override {
    if (rule_.pod_added) rule_.pod_added(cycle, pod, node);
  }
  Verdict FilterNode(const Cycle& cycle, NodeRow node) const override {
    return rule_.filter ? rule_.filter(cycle, node) : Verdict();
  }
  Scope filter_scope() const override { return rule_.filter_scope; }
  Verdict PreScore(Cycle& cycle, const NodeMask& feasible) const override {
    return rule_.pre_score ? rule_.pre_score(cycle, feasible) : Verdict();
  }
  int64_t ScoreNode(const Cycle& cycle, NodeRow node) const override {
    return rule_.score ? rule_.score(cycle, node) : 0;
  }
  bool normalizes() const override { return static_cast<bool>(rule_.normalize); }
  void Normalize(const Cycle&, const NodeMask& feasible, std::span<int64_t> scores) const override {
    if (rule_.normalize) rule_.normalize(feasible, scores);
  }
  Scope score_scope() const override { return rule_.score_scope; }
  uint64_t score_epoch(const Cluster& cluster) const override {
    return rule_.score_epoch ? rule_.score_epoch(cluster) : 0;
  }

 private:
  const std::string name_;
  const Rule rule_;
};

// Tries pods in order of arrival.
class FakeSort final : public QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "FakeSort";
  std::string_view name() const override { return kName; }
  bool Less(const QueuedPod& a, const QueuedPod& b) const override {
    return a.timestamp < b.timestamp;
  }
};

// Says that pods are bound without asking anyone.
class FakeBinder final : public BindPlugin {
 public:
  static constexpr std::string_view kName = "FakeBinder";
  std::string_view name() const override { return kName; }
  Task<Verdict> Bind(BindingContext&) const override { co_return Verdict(); }
};

// Offers the plugin class P under `name`, made from `name` and `arguments`.
template <typename P, typename... Arguments>
void Offer(Registry& registry, const std::string& name, Arguments... arguments) {
  registry.Add(name, [=](const PluginArgs&) -> Result<std::unique_ptr<Plugin>> {
    return std::make_unique<P>(name, arguments...);
  });
}

// A profile that enables these plugins at every point that they have.
inline ProfileConfig ProfileOf(std::vector<PluginChoice> plugins) {
  ProfileConfig config;
  config.multi_point.enabled = std::move(plugins);
  return config;
}

// A cluster and a profile of fake rules, and what comes of a pod in it.
class FakeWorld {
 public:
  // Rules run in the order in which they are added.
  void Add(const std::string& name, Rule rule, int32_t weight = 1) {
    Offer<FakeRule>(registry_, name, std::move(rule));
    config_.multi_point.enabled.push_back({name, weight});
  }

  const Profile& profile() {
    if (profile_ == nullptr) {
      registry_.Add<FakeSort>();
      registry_.Add<FakeBinder>();
      config_.multi_point.enabled.push_back({"FakeSort"});
      config_.multi_point.enabled.push_back({"FakeBinder"});
      auto built = Profile::Build(config_, registry_);
      CHECK(built.has_value());
      profile_ = *std::move(built);
    }
    return *profile_;
  }

  NodeRow Row(std::string_view node) const {
    return cluster.nodes().Find(cluster.symbols().Find(node));
  }
  Symbol Name(std::string_view node) { return cluster.mutable_symbols().Intern(node); }
  const std::string& NameOf(NodeRow row) const { return cluster.nodes().name(row); }
  // The names of the nodes, sorted.
  std::vector<std::string> Names(const NodeMask& nodes) const {
    std::vector<std::string> names;
    nodes.ForEach(
        [&](size_t row) { names.push_back(NameOf(NodeRow{static_cast<uint32_t>(row)})); });
    std::ranges::sort(names);
    return names;
  }

  Cluster cluster;

 private:
  Registry registry_;
  ProfileConfig config_;
  std::unique_ptr<Profile> profile_;
};

// One attempt for a pod of the world's cluster, with results of its own.
class FakeAttempt {
 public:
  FakeAttempt(FakeWorld& world, const PodRecord& pod)
      : results(world.profile(), world.cluster, world.cluster.class_of(pod)),
        attempt(world.cluster, world.profile(), results, pod) {}

  Attempt* operator->() { return &attempt; }

  ClassResults results;
  Attempt attempt;
};

}  // namespace berth
