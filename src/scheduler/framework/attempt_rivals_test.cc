#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/priority_view.h"
#include "testing/fake_plugins.h"
#include "testing/object_builders.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

// Nodes "a", "b" and "c" that take one pod each, and pods of one class, whose results are cached.
// The filter sees the sums of a node's pods, or each of them.
class CachedRivalsTest : public testing::TestWithParam<Reads> {
 protected:
  CachedRivalsTest() {
    for (const char* name : {"a", "b", "c"}) fake_.cluster.Put(MakeNode(name));
    for (const char* name : {"p", "q"}) fake_.cluster.Put(MakePod(name).Priority(5));
    Rule rule{.reads = GetParam()};
    rule.filter = [this](const Cycle& cycle, model::NodeRow row) {
      ++evaluated_;
      const int64_t pods = cycle.nodes().columns().pod_count[row.index()];
      return pods == 0 ? Verdict() : Verdict(Code::kUnschedulable, std::to_string(pods) + " pods");
    };
    fake_.Add("Capacity", std::move(rule));
    Rule prefers_b{.reads = Reads::kNode, .score_scope = Scope::kNode};
    prefers_b.score = [this](const Cycle&, model::NodeRow row) {
      return fake_.NameOf(row) == "b" ? 10 : 0;
    };
    fake_.Add("PrefersB", std::move(prefers_b));
    Rule uncached{.filter = [](const Cycle&, model::NodeRow) { return Verdict(); }};
    uncached.pre_filter = [this](const Cycle&) {
      return PreFilterResult{has_uncached_filter_ ? Verdict() : Verdict::Skip()};
    };
    fake_.Add("Uncached", std::move(uncached));
    results_ =
        std::make_unique<ClassResults>(fake_.profile(), fake_.cluster,
                                       fake_.cluster.class_of(Pod("p")), nullptr, nullptr, &views_);
  }

  const model::PodRecord& Pod(const std::string& name) {
    return fake_.cluster.pod(fake_.cluster.pods().Find("default", name));
  }
  void Nominate(const std::string& pod, const std::string& node) {
    fake_.cluster.NominateByName(Pod(pod).id, node);
  }
  Names Feasible(const std::string& pod) {
    Attempt attempt(fake_.cluster, fake_.profile(), *results_, Pod(pod));
    EXPECT_TRUE(attempt.PreFilter().ok());
    EXPECT_TRUE(attempt.Filter().ok());
    return fake_.Names(attempt.feasible());
  }
  // Why the pod fits nowhere.
  std::string Diagnosis(const std::string& pod) {
    Attempt attempt(fake_.cluster, fake_.profile(), *results_, Pod(pod));
    const Verdict pre_filter = attempt.PreFilter();
    EXPECT_TRUE(attempt.Filter().ok());
    return attempt.Diagnose(pre_filter).Message();
  }

  FakeCluster fake_;
  PriorityViews views_;
  std::unique_ptr<ClassResults> results_;
  bool has_uncached_filter_ = false;
  size_t evaluated_ = 0;  // Nodes, by the filter.
};

TEST_P(CachedRivalsTest, ResultsFollowNominations) {
  EXPECT_EQ(Feasible("p"), Names({"a", "b", "c"}));
  fake_.cluster.Put(MakePod("rival").Priority(5));
  Nominate("rival", "b");
  EXPECT_EQ(Feasible("p"), Names({"a", "c"}));
  Nominate("rival", "c");
  EXPECT_EQ(Feasible("p"), Names({"a", "b"}));
  Nominate("rival", "");
  EXPECT_EQ(Feasible("p"), Names({"a", "b", "c"}));
}

TEST_P(CachedRivalsTest, ResultsFollowThePodsThatAreNominated) {
  fake_.cluster.Put(MakePod("rival").Priority(5));
  Nominate("rival", "b");
  EXPECT_EQ(Feasible("p"), Names({"a", "c"}));
  fake_.cluster.Put(MakePod("rival").Priority(4));
  EXPECT_EQ(Feasible("p"), Names({"a", "b", "c"}));
  fake_.cluster.Put(MakePod("rival").Priority(6));
  EXPECT_EQ(Feasible("p"), Names({"a", "c"}));
  fake_.cluster.Assume(Pod("rival").id, fake_.Row("c"));
  EXPECT_EQ(Feasible("p"), Names({"a", "b"}));
  fake_.cluster.Remove<api::Pod>({"default", "rival"});
  EXPECT_EQ(Feasible("p"), Names({"a", "b", "c"}));
}

TEST_P(CachedRivalsTest, PodIsARivalOfItsClassButNotOfItself) {
  Nominate("p", "b");
  EXPECT_EQ(Feasible("q"), Names({"a", "c"}));
  EXPECT_EQ(Feasible("p"), Names({"a", "b", "c"}));
  EXPECT_EQ(Feasible("q"), Names({"a", "c"}));
}

TEST_P(CachedRivalsTest, OwnNominatedNodeMayBeTheBest) {
  Nominate("p", "b");
  for (const bool uncached : {false, true}) {
    has_uncached_filter_ = uncached;
    EXPECT_EQ(Feasible("q"), Names({"a", "c"}));
    Attempt attempt(fake_.cluster, fake_.profile(), *results_, Pod("p"));
    EXPECT_TRUE(attempt.PreFilter().ok());
    EXPECT_TRUE(attempt.Filter().ok());
    EXPECT_TRUE(attempt.Score().ok());
    EXPECT_EQ(fake_.NameOf(attempt.Best()), "b") << uncached;
  }
}

TEST_P(CachedRivalsTest, DiagnosisCountsRivalsButNotThePodItself) {
  for (const char* node : {"a", "b", "c"})
    fake_.cluster.Put(MakePod(std::string("on-") + node).On(node));
  Nominate("p", "b");
  EXPECT_EQ(Diagnosis("q"), "0/3 nodes are available: 1 2 pods, 2 1 pods.");
  EXPECT_EQ(Diagnosis("p"), "0/3 nodes are available: 3 1 pods.");
  EXPECT_EQ(Diagnosis("q"), "0/3 nodes are available: 1 2 pods, 2 1 pods.");
  fake_.cluster.Put(MakePod("r").Priority(7));
  Nominate("r", "c");
  EXPECT_EQ(Diagnosis("q"), "0/3 nodes are available: 1 1 pods, 2 2 pods.");
}

// What each attempt costs depends on what changed, not on how many pods are nominated.
TEST_P(CachedRivalsTest, NominationsAreEvaluatedOnce) {
  for (int i = 0; i < 30; ++i) {
    const std::string node = "full-" + std::to_string(i), rival = "rival-" + std::to_string(i);
    fake_.cluster.Put(MakeNode(node));
    fake_.cluster.Put(MakePod(rival).Priority(5));
    Nominate(rival, node);
  }
  EXPECT_EQ(Feasible("p"), Names({"a", "b", "c"}));
  fake_.cluster.Put(MakePod("another").Priority(5));
  Nominate("another", "a");
  evaluated_ = 0;
  EXPECT_EQ(Feasible("p"), Names({"b", "c"}));
  EXPECT_LE(evaluated_, 3u);
  Diagnosis("p");
  evaluated_ = 0;
  Diagnosis("p");
  EXPECT_EQ(evaluated_, 0u);
}

TEST_P(CachedRivalsTest, NodesMayBeFilteredWithoutRivals) {
  fake_.cluster.Put(MakePod("there").On("a"));
  for (const bool nominated : {false, true}) {
    if (nominated) Nominate("q", "b");
    Attempt attempt(fake_.cluster, fake_.profile(), *results_, Pod("p"));
    EXPECT_TRUE(attempt.PreFilter().ok());
    model::NodeMask nodes = fake_.cluster.nodes().present();
    EXPECT_TRUE(attempt.FilterWithoutRivals(nodes).ok());
    EXPECT_EQ(fake_.Names(nodes), Names({"b", "c"}));
  }
  EXPECT_EQ(Feasible("p"), Names({"c"}));
}

TEST_P(CachedRivalsTest, PodsWithoutAnIdentityAreNoRivals) {
  const auto nameless = [](const char* name) {
    auto pod = std::make_shared<api::Pod>(*MakePod(name).Priority(5).ref());
    pod->metadata.uid.clear();
    return std::shared_ptr<const api::Pod>(std::move(pod));
  };
  for (const char* name : {"one", "two"}) fake_.cluster.Put(nameless(name));
  Nominate("one", "b");
  EXPECT_EQ(Feasible("two"), Names({"a", "b", "c"}));
  EXPECT_EQ(Feasible("p"), Names({"a", "c"}));
}

INSTANTIATE_TEST_SUITE_P(Reads, CachedRivalsTest, testing::Values(Reads::kSums, Reads::kNode),
                         [](const auto& tested) {
                           return tested.param == Reads::kSums ? "Sums" : "Node";
                         });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
