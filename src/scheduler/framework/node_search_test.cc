#include "scheduler/framework/node_search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/cluster.h"
#include "testing/fake_plugins.h"
#include "testing/object_builders.h"
#include "testing/require.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

// Leaves in the nodes whose label "pool" is the pod's namespace, and prefers those with the label
// "fast"; records which nodes it has filtered.
class Pools final : public FilterPlugin, public NodePredicate, public NodeScorer {
 public:
  static constexpr std::string_view kName = "Pools";
  std::string_view name() const override { return kName; }
  static inline Names filtered;

  Conditions Require(const Cycle&) const override {
    return {NodeClass{this, Rejection{Code::kUnschedulable, "another pool"}}};
  }
  bool Holds(const Cycle& cycle, model::NodeRow node) const override {
    filtered.push_back(cycle.nodes().name(node));
    const api::StringMap& labels = cycle.nodes().info(node).object->metadata.labels;
    const auto pool = labels.find("pool");
    return pool != labels.end() && pool->second == cycle.pod().object->metadata.namespace_;
  }
  bool AppendKey(const Cycle& cycle, std::string& key) const override {
    key += cycle.pod().object->metadata.namespace_;
    return true;
  }
  int64_t ScoreNode(const Cycle& cycle, model::NodeRow node) const override {
    return cycle.nodes().info(node).object->metadata.labels.contains("fast") ? 100 : 0;
  }
  Described DescribeScore(const Cycle&, int32_t weight, SearchRules& rules) const override {
    rules.static_scorers.push_back({this, weight});
    return Described::kYes;
  }
};

class NodeSearchTest : public testing::Test {
 protected:
  NodeSearchTest() {
    Registry registry;
    registry.Add<Pools>();
    registry.Add<FakeSort>();
    registry.Add<FakeBinder>();
    ProfileConfig config;
    config.multi_point.enabled = {{"Pools"}, {"FakeSort"}, {"FakeBinder"}};
    profile_ = Require(Profile::Build(config, registry));
    for (const char* name : {"a1", "a2", "a3"}) cluster_.Put(MakeNode(name).Label("pool", "a"));
    cluster_.Put(MakeNode("b1").Label("pool", "b"));
  }

  using AddRules = std::function<void(SearchRules&, const model::Topology::KeyRef& zones)>;

  // The best node for a pod of this namespace. All nodes are alike, but for those that do not fit.
  std::string BestWith(const AddRules& add, const char* pool, uint32_t start = 0,
                       const Names& full = {}) {
    Pools::filtered.clear();
    cluster_.Put(MakePod("p").Namespace(pool));
    const model::PodRecord& pod = cluster_.pod(cluster_.pods().Find(pool, "p"));
    const ClassStates compiled(profile_->size());
    const Cycle cycle(cluster_, pod, compiled);
    SearchRules rules;
    for (const FilterPlugin* filter : profile_->filter()) rules.AddFilter(cycle, *filter);
    for (const Profile::Scorer& scorer : profile_->score())
      rules.AddScorer(cycle, {scorer.plugin, 1});
    const model::Topology::KeyRef zones = cluster_.UseTopologyKey("zone");
    add(rules, zones);
    const auto best = search_.Best(cycle, rules, start, [&](model::NodeRow row) {
      return std::ranges::count(full, cluster_.nodes().name(row)) > 0 ? -1 : 0;
    });
    return best && best->valid() ? cluster_.nodes().name(*best) : "none";
  }
  std::string Best(const char* pool, uint32_t start = 0, const Names& full = {},
                   const std::string& zone = "") {
    const auto add_zone = [&](SearchRules& rules, const model::Topology::KeyRef& zones) {
      if (zone.empty()) return;
      rules.key += zone;
      rules.only_domains.push_back(
          {zones->domain_of(), zones->Find(cluster_.symbols().Find(zone))});
    };
    return BestWith(add_zone, pool, start, full);
  }

  std::unique_ptr<Profile> profile_;
  model::Cluster cluster_;
  NodeSearch search_;
};

TEST_F(NodeSearchTest, ChoosesAmongTheNodesThatStaticFiltersLeaveIn) {
  EXPECT_EQ(Best("a"), "a1");
  EXPECT_EQ(Best("b"), "b1");
  EXPECT_EQ(Best("c"), "none");
  EXPECT_EQ(Best("a", 0, {"a1"}), "a2");
  EXPECT_EQ(Best("a", 2), "a3");
  EXPECT_EQ(Best("a", 3), "a1");  // After the last comes the first.
}

TEST_F(NodeSearchTest, StaticFiltersSeeEachNodeOncePerKey) {
  Best("a");
  EXPECT_EQ(Pools::filtered, Names({"a1", "a2", "a3", "b1"}));
  Best("a");
  EXPECT_EQ(Pools::filtered, Names());
  cluster_.Put(MakePod("other").Request("cpu", "1").On("a1"));
  cluster_.Put(MakeNode("a2").Label("pool", "a").Cpu("16"));
  Best("a");
  EXPECT_EQ(Pools::filtered, Names());  // What nodes hold and have is no static matter.
  EXPECT_EQ(search_.size(), 1u);
}

TEST_F(NodeSearchTest, FollowsTheLabelsOfNodes) {
  EXPECT_EQ(Best("a"), "a1");
  cluster_.Put(MakeNode("a1").Label("pool", "b"));
  EXPECT_EQ(Best("a"), "a2");
  EXPECT_EQ(Pools::filtered, Names({"a1"}));
  cluster_.Remove<api::Node>({"", "a2"});
  EXPECT_EQ(Best("a"), "a3");
  cluster_.Put(MakeNode("a0").Label("pool", "a"));
  EXPECT_EQ(Best("a"), "a0");
}

TEST_F(NodeSearchTest, StaticScoresDecideBetweenGroups) {
  cluster_.Put(MakeNode("a3").Label("pool", "a").Label("fast", ""));
  EXPECT_EQ(Best("a"), "a3");
  EXPECT_EQ(Best("a", 0, {"a3"}), "a1");
}

TEST_F(NodeSearchTest, ADomainIsASelection) {
  cluster_.Put(MakeNode("a2").Label("pool", "a").Label("zone", "z"));
  cluster_.Put(MakeNode("b1").Label("pool", "b").Label("zone", "z"));
  EXPECT_EQ(Best("a", 0, {}, "z"), "a2");
  EXPECT_EQ(Pools::filtered, Names({"a2", "b1"}));
  EXPECT_EQ(Best("a", 0, {"a2"}, "z"), "none");
  cluster_.Put(MakeNode("a1").Label("pool", "a").Label("zone", "z"));
  EXPECT_EQ(Best("a", 0, {}, "z"), "a1");
  EXPECT_EQ(Best("a", 2), "a3");
  EXPECT_EQ(search_.size(), 2u);
}

// A selection of few nodes stores their places in another way.
TEST_F(NodeSearchTest, FollowsAFewOfManyNodes) {
  for (int i = 0; i < 100; ++i) cluster_.Put(MakeNode(fmt::format("a-{}", i)).Label("pool", "a"));
  EXPECT_EQ(Best("b"), "b1");
  cluster_.Put(MakePod("other").Request("cpu", "1").On("b1"));
  cluster_.Put(MakePod("elsewhere").Request("cpu", "1").On("a-7"));
  EXPECT_EQ(Best("b"), "b1");
  cluster_.Put(MakeNode("b0").Label("pool", "b"));
  EXPECT_EQ(Best("b"), "b0");
  cluster_.Put(MakeNode("b0").Label("pool", "a"));
  EXPECT_EQ(Best("b"), "b1");
  cluster_.Remove<api::Node>({"", "b1"});
  EXPECT_EQ(Best("b"), "none");
  cluster_.Put(MakeNode("a-50").Label("pool", "b").Label("fast", ""));
  EXPECT_EQ(Best("b"), "a-50");
}

// Too many nodes are in a domain that is excluded to look at each.
TEST_F(NodeSearchTest, NodesAreDividedByDomain) {
  const auto node = [](int i, const char* zone) {
    return MakeNode(fmt::format("many-{:04}", i)).Label("pool", "many").Label("zone", zone);
  };
  for (int i = 0; i < 6'000; ++i) cluster_.Put(node(i, i % 2'000 == 700 ? "open" : "closed"));
  cluster_.Put(MakeNode("without-zone").Label("pool", "many"));
  std::vector<int32_t> closed;
  const auto only_open = [&](SearchRules& rules, const model::Topology::KeyRef& zones) {
    closed.assign(zones->domains().size(), 1);
    if (const auto open = zones->Find(cluster_.symbols().Find("open")); open.valid())
      closed[open.index()] = 0;
    rules.division.emplace(SearchRules::Division{zones, "zone"});
    DomainCount rule(rules.division->domains, closed);
    rule.highest = 0;
    rule.missing = Rejection{};
    rules.row_conditions.emplace_back(rule);
  };
  const auto rank_of = [&](const std::string& name) {
    const model::NodeRow row = cluster_.nodes().Find(cluster_.symbols().Find(name));
    return cluster_.nodes().order().rank()[row.index()];
  };
  EXPECT_EQ(BestWith(only_open, "many", rank_of("many-0690")), "many-0700");
  EXPECT_EQ(search_.size(), 1u) << "it is near";
  EXPECT_EQ(BestWith(only_open, "many", rank_of("many-0701")), "many-2700");
  EXPECT_EQ(search_.size(), 2u) << "all, and the same divided";
  EXPECT_EQ(BestWith(only_open, "many", rank_of("many-4701")), "many-0700");
  EXPECT_EQ(BestWith(only_open, "many", 0, {"many-0700", "many-2700"}), "many-4700");
  // Searches that begin with the divided selection, and at times with the other one again.
  for (int i = 0; i < 200; ++i) {
    const int start = i * 30;
    const int want = start <= 700 ? 700 : start <= 2'700 ? 2'700 : start <= 4'700 ? 4'700 : 700;
    ASSERT_EQ(BestWith(only_open, "many", rank_of(fmt::format("many-{:04}", start))),
              fmt::format("many-{:04}", want));
  }
  cluster_.Put(node(1'234, "open"));
  EXPECT_EQ(BestWith(only_open, "many", rank_of("many-0701")), "many-1234");
  // The first node is now in the zone that comes later in the list of domains.
  cluster_.Put(node(0, "open"));
  EXPECT_EQ(BestWith(only_open, "many", rank_of("many-4701")), "many-0000");
  for (const int i : {0, 700, 1'234, 2'700, 4'700}) cluster_.Put(node(i, "closed"));
  EXPECT_EQ(BestWith(only_open, "many"), "none");
}

TEST_F(NodeSearchTest, CountsPodsOnlyIfAPluginDoes) {
  cluster_.Put(MakeNode("b1").Label("pool", "b").Pods("1"));
  cluster_.Put(MakePod("other").On("b1"));
  EXPECT_EQ(Best("b"), "b1");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
