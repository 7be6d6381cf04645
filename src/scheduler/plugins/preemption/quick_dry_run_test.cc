#include "scheduler/plugins/preemption/quick_dry_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/workloads.h"
#include "base/random.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/priority_view.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/preemption/preemption_testing.h"
#include "scheduler/plugins/preemption/victims.h"
#include "testing/cluster_dump.h"
#include "testing/object_builders.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr Instant kNow = Instant::FromUnixSeconds(1'000'000);
constexpr int kNodes = 8;

std::string NodeName(uint64_t i) { return fmt::format("node-{}", i); }

// A cluster that changes at random: nodes of several sizes, pods of several priorities, budgets,
// and pods that are nominated to nodes.
class RandomCluster {
 public:
  explicit RandomCluster(uint64_t seed) : random_(seed) {
    for (uint64_t i = 0; i < kNodes; ++i) PutNode(i);
    for (int i = 0; i < 60; ++i) PutPod();
    for (int i = 0; i < 3; ++i) PutBudget();
  }

  void Change() {
    switch (random_.Below(8)) {
      case 0:
        return PutNode(random_.Below(kNodes));
      case 1:
        return PutBudget();
      case 2:
      case 3:
        return Nominate();
      default:
        return PutPod();
    }
  }

  MakePod Pod(const std::string& name) {
    MakePod pod(name);
    pod.Priority(static_cast<int32_t>(random_.Below(5)) - 1);
    if (random_.Chance(90)) pod.Request("cpu", fmt::format("{}m", 250 * (1 + random_.Below(6))));
    if (random_.Chance(60)) pod.Request("memory", fmt::format("{}Mi", 512 * random_.Below(6)));
    if (random_.Chance(30)) pod.Request("example.com/gpu", std::to_string(random_.Below(3)));
    if (random_.Chance(2)) pod.Request("memory", "9E");
    if (random_.Chance(50)) pod.Label("app", fmt::format("{}", random_.Below(3)));
    return pod;
  }

  model::Cluster cluster;
  Random& random() { return random_; }

 private:
  void PutNode(uint64_t i) {
    MakeNode node(NodeName(i));
    node.Cpu(fmt::format("{}", 2 + random_.Below(4))).Pods(fmt::format("{}", 6 + random_.Below(6)));
    if (random_.Chance(50)) node.Offer("example.com/gpu", fmt::format("{}", random_.Below(5)));
    if (random_.Chance(10)) node.Cordoned();
    cluster.Put(node.ref());
  }

  void PutPod() {
    MakePod pod = Pod(fmt::format("pod-{}", random_.Below(80)));
    pod.On(NodeName(random_.Below(kNodes)));
    if (random_.Chance(70)) {
      const auto age = static_cast<int64_t>(1 + random_.Below(5)) * 10;
      pod.object.status.start_time = kNow - Duration::Seconds(random_.Chance(1) ? 0 : age);
    }
    cluster.PutPod(pod.ref());
  }

  void Nominate() {
    const model::PodId pod = cluster.PutPod(Pod(fmt::format("waits-{}", random_.Below(5))).ref());
    cluster.NominateByName(pod, random_.Chance(80) ? NodeName(random_.Below(kNodes)) : "");
  }

  void PutBudget() {
    auto budget = std::make_shared<api::PodDisruptionBudget>();
    budget->metadata.name = fmt::format("budget-{}", random_.Below(3));
    budget->metadata.namespace_ = "default";
    budget->selector.emplace().match_labels = {{"app", fmt::format("{}", random_.Below(3))}};
    budget->disruptions_allowed = static_cast<int32_t>(random_.Below(3));
    cluster.Put(std::shared_ptr<const api::PodDisruptionBudget>(std::move(budget)));
  }

  Random random_;
};

// Rates every node for `pod` both ways, after a look at all but one together if `prepares`. Returns
// how many were rated quickly.
size_t CompareOnAllNodes(model::Cluster& cluster, const framework::Profile& profile,
                         framework::PriorityViews& views, const model::PodRecord& pod,
                         bool prepares) {
  framework::ClassResults results(profile, cluster, cluster.class_of(pod), nullptr, nullptr,
                                  &views);
  framework::Attempt attempt(cluster, profile, results, pod);
  EXPECT_TRUE(attempt.PreFilter().ok());
  EXPECT_TRUE(attempt.Filter().ok());
  auto& potential = attempt.view().state<PotentialVictims>(*profile.post_filter()[0]);
  potential.Refresh(cluster);
  QuickDryRun quick(attempt, potential);
  framework::Diagnosis diagnosis;
  std::vector<model::NodeRow> nodes;
  for (uint64_t i = 0; i < kNodes; ++i) {
    nodes.push_back(cluster.nodes().Find(cluster.symbols().Find(NodeName(i))));
    framework::Verdict rejection = attempt.FilterNode(nodes.back());
    if (!rejection.ok()) diagnosis.Add(nodes.back(), std::move(rejection));
  }
  if (prepares) {
    const std::string before = Dump(cluster);
    quick.Prepare(nodes, 3, kNodes - 1, diagnosis, kNow);
    EXPECT_EQ(Dump(cluster), before);
  }
  size_t rated = 0;
  for (uint64_t i = 0; i < kNodes; ++i) {
    const model::NodeRow node = cluster.nodes().Find(cluster.symbols().Find(NodeName(i)));
    const std::string before = Dump(cluster);
    // As long as the node is feasible, no filter has rejected it.
    const framework::Verdict rejection = attempt.FilterNode(node);
    const PotentialVictims::List* const among = quick.FindVictims(node, rejection, kNow);
    std::optional<QuickRating> rating;
    if (among != nullptr) rating = quick.Rate(node, kNow);
    EXPECT_EQ(Dump(cluster), before);
    framework::Victims victims;
    const framework::Verdict verdict = SelectVictimsOnNode(attempt, node, kNow, victims);
    EXPECT_EQ(quick.HasNoVictims(node, kNow), verdict == NoVictims());
    EXPECT_TRUE(!rating || verdict.ok()) << verdict.Message();
    if (!rating || !verdict.ok()) continue;
    EXPECT_TRUE(rating->At(kNow) == framework::VictimRating(cluster, victims, kNow)) << NodeName(i);
    EXPECT_TRUE(among->lowest_rating.At(kNow) <= rating->At(kNow)) << NodeName(i);
    EXPECT_TRUE(among->any_over_budget || !rating->rating.violates_budget()) << NodeName(i);
    const Instant later = kNow + Duration::Seconds(5);
    EXPECT_TRUE(rating->At(later) == framework::VictimRating(cluster, victims, later))
        << NodeName(i);
    ++rated;
  }
  return rated;
}

class QuickDryRunTest : public testing::TestWithParam<uint64_t> {};

TEST_P(QuickDryRunTest, RatesAsIfPodsWereRemoved) {
  const auto profile =
      ProfileOf({"NodeUnschedulable", "NodeAffinity", "NodePorts", "NodeResourcesFit"});
  RandomCluster world(GetParam());
  framework::PriorityViews views;
  size_t rated = 0;
  for (int step = 0; step < 60; ++step) {
    world.Change();
    // One of them is nominated itself now and then.
    const std::string name = world.random().Chance(80) ? "preemptor" : "waits-1";
    const model::PodId id = world.cluster.PutPod(world.Pod(name).ref());
    rated +=
        CompareOnAllNodes(world.cluster, *profile, views, world.cluster.pod(id), step % 2 == 0);
  }
  EXPECT_GT(rated, 20u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, QuickDryRunTest, testing::Range<uint64_t>(1, 17));

class QuickDryRunUnitTest : public testing::Test {
 protected:
  QuickDryRunUnitTest() {
    cluster_.Put(MakeNode("a").Cpu("1"));
    cluster_.Put(MakePod("on-a").On("a").Priority(1).Request("cpu", "1").ref());
  }

  bool IsRated(const MakePod& pod) {
    const auto profile = ProfileOf({"NodePorts", "NodeResourcesFit"});
    const model::PodId id = cluster_.PutPod(pod.ref());
    framework::ClassResults results(*profile, cluster_, cluster_.class_of(cluster_.pod(id)));
    framework::Attempt attempt(cluster_, *profile, results, cluster_.pod(id));
    EXPECT_TRUE(attempt.PreFilter().ok());
    EXPECT_TRUE(attempt.Filter().ok());
    auto& potential = attempt.view().state<PotentialVictims>(*profile->post_filter()[0]);
    potential.Refresh(cluster_);
    const model::NodeRow node = cluster_.nodes().Find(cluster_.symbols().Find("a"));
    const framework::Verdict rejection = attempt.FilterNode(node);
    return QuickDryRun(attempt, potential).FindVictims(node, rejection, kNow) != nullptr;
  }

  model::Cluster cluster_;
};

TEST_F(QuickDryRunUnitTest, RatesWhatSumsDecide) {
  EXPECT_TRUE(IsRated(MakePod("p").Priority(5).Request("cpu", "1")));
}

TEST_F(QuickDryRunUnitTest, LeavesFiltersThatSeeEachPodToOthers) {
  EXPECT_FALSE(IsRated(MakePod("p").Priority(5).Request("cpu", "1").HostPort(80)));
}

TEST_F(QuickDryRunUnitTest, LeavesNodesToOthersWhereItDoesNotHelp) {
  EXPECT_FALSE(IsRated(MakePod("p").Priority(5).Request("cpu", "2")));
  EXPECT_FALSE(IsRated(MakePod("p").Priority(1).Request("cpu", "1")));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
