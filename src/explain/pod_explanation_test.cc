#include "explain/pod_explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "explain/pod_explanation_json.h"
#include "explain/pod_groups.h"
#include "testing/cluster_dump.h"
#include "testing/scripted_engine.h"

namespace berth::explain {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kProfile = "default-scheduler";

api::OwnerReference Owner(std::string kind, std::string name) {
  return {.api_version = "apps/v1",
          .kind = std::move(kind),
          .name = std::move(name),
          .controller = true};
}

class PodExplanationTest : public testing::Test {
 protected:
  PodExplanation Explain(const MakePod& pod, const ExplainOptions& options = {}) {
    return Require(ExplainPod(harness_.engine(), pod.ref(), kProfile, harness_.now(), options));
  }

  EngineHarness harness_;
};

TEST_F(PodExplanationTest, StatesFollowFromThePod) {
  harness_.Put(MakeNode("n"));
  struct Case {
    MakePod pod;
    PodState state;
  };
  const Case cases[] = {
      {MakePod("a"), PodState::kPending},
      {MakePod("b").Nominated("n"), PodState::kNominated},
      {MakePod("c").Gate("example.com/g"), PodState::kGated},
      {MakePod("d").On("n"), PodState::kRunning},
      {MakePod("e").On("n").Phase("Succeeded"), PodState::kSucceeded},
      {MakePod("f").On("n").Phase("Failed"), PodState::kFailed},
  };
  for (const Case& c : cases) {
    const PodExplanation pod = Explain(c.pod);
    EXPECT_EQ(ToString(pod.state), ToString(c.state));
    const bool finished = c.state == PodState::kSucceeded || c.state == PodState::kFailed;
    EXPECT_EQ(pod.decision.has_value(), !finished) << ToString(c.state);
    EXPECT_FALSE(pod.fixes.has_value());
  }
}

TEST_F(PodExplanationTest, OfAPodThatFitsNowhereHasTheMessageAndFixes) {
  harness_.Put(MakeNode("n").Cpu("1"));
  const PodExplanation pod = Explain(MakePod("web").Request("cpu", "2"));
  EXPECT_EQ(pod.decision->outcome, Outcome::kUnschedulable);
  EXPECT_THAT(pod.decision->message, HasSubstr("0/1 nodes are available: 1 Insufficient cpu."));
  EXPECT_THAT(pod.decision->rejected_by, ElementsAre("NodeResourcesFit"));
  ASSERT_TRUE(pod.fixes.has_value());
  EXPECT_EQ(pod.fixes->fixes.size(), 1U);
  EXPECT_FALSE(Explain(MakePod("web").Request("cpu", "2"), {.fixes = false}).fixes.has_value());
}

TEST_F(PodExplanationTest, ARunningPodIsComparedAsIfItWasGone) {
  harness_.Put(MakeNode("full").Cpu("1"));
  harness_.Put(MakeNode("large").Cpu("8"));
  const MakePod pod = MakePod("web").Request("cpu", "1").On("full");
  harness_.Put(pod);
  harness_.engine().DropCaches();
  const std::string before = Dump(harness_.cluster());
  const PodExplanation why = Explain(pod);
  harness_.engine().DropCaches();
  EXPECT_EQ(Dump(harness_.cluster()), before);
  ASSERT_TRUE(why.placement.has_value());
  EXPECT_TRUE(why.placement->fits);
  EXPECT_FALSE(why.placement->chosen);
  EXPECT_THAT(why.placement->why_not, HasSubstr("less than large"));
  EXPECT_THAT(why.decision->best_nodes, ElementsAre("large"));
  EXPECT_EQ(why.decision->explanation.why, "");
}

TEST_F(PodExplanationTest, ANodeThatIsGoneIsNamed) {
  const PodExplanation why = Explain(MakePod("web").On("gone"));
  ASSERT_TRUE(why.placement.has_value());
  EXPECT_FALSE(why.placement->node_exists);
}

TEST_F(PodExplanationTest, TheNodeThatIsAskedForHasFixesOfItsOwn) {
  harness_.Put(MakeNode("free"));
  harness_.Put(MakeNode("n").Cordoned());
  ExplainOptions options;
  options.fix.node = "n";
  const PodExplanation why = Explain(MakePod("web"), options);
  EXPECT_EQ(why.decision->outcome, Outcome::kFits);
  ASSERT_TRUE(why.on.has_value());
  EXPECT_FALSE(why.on->fits);
  ASSERT_TRUE(why.fixes.has_value());
  ASSERT_EQ(why.fixes->fixes.size(), 1U);
  EXPECT_EQ(why.fixes->fixes[0].changes[0].text, "uncordon node n");
  options.fix.node = "free";
  EXPECT_FALSE(Explain(MakePod("web"), options).fixes.has_value());
  options.fix.node = "gone";
  EXPECT_FALSE(Explain(MakePod("web"), options).on->node_exists);
}

TEST_F(PodExplanationTest, PodsOfOtherSchedulersGetANote) {
  harness_.Put(MakeNode("n"));
  const PodExplanation why = Explain(MakePod("web").Scheduler("another"));
  EXPECT_EQ(why.decision->outcome, Outcome::kFits);
  EXPECT_THAT(why.notes, ElementsAre(HasSubstr("schedulerName is \"another\"")));
}

TEST(PodExplanationWaitingTest, PodsAtPermitAreNotDecidedAgain) {
  ScriptedEngine engine;
  engine.AddPermit("Slow", [](auto&, auto&) { return Wait(60); });
  EngineHarness& harness = engine.Start();
  harness.Put(MakeNode("n"));
  const MakePod pod("web");
  harness.Put(pod);
  harness.Schedule();
  const PodExplanation why =
      Require(ExplainPod(harness.engine(), pod.ref(), kProfile, harness.now()));
  EXPECT_EQ(why.state, PodState::kWaiting);
  EXPECT_EQ(why.node, "n");
  EXPECT_THAT(why.permit, ElementsAre("Slow"));
  EXPECT_FALSE(why.decision.has_value());
}

TEST_F(PodExplanationTest, WorkloadsAreTheOutermostControllers) {
  api::ReplicaSet set;
  set.metadata = {.name = "web-1234", .namespace_ = "default"};
  set.metadata.owner_references = {Owner("Deployment", "web")};
  harness_.Put(std::make_shared<const api::ReplicaSet>(set));
  MakePod pod("web-1234-a");
  pod.object.metadata.owner_references = {Owner("ReplicaSet", "web-1234")};
  EXPECT_EQ(WorkloadOf(harness_.cluster(), pod).name.kind, "Deployment");
  EXPECT_TRUE(BelongsTo(harness_.cluster(), pod, "Deployment", {"default", "web"}));
  EXPECT_TRUE(BelongsTo(harness_.cluster(), pod, "ReplicaSet", {"default", "web-1234"}));
  EXPECT_FALSE(BelongsTo(harness_.cluster(), pod, "Deployment", {"other", "web"}));
  // A ReplicaSet that could not be read.
  pod.object.metadata.owner_references = {Owner("ReplicaSet", "shop-99")};
  EXPECT_EQ(WorkloadOf(harness_.cluster(), pod).name.kind, "ReplicaSet");
  pod.Label("pod-template-hash", "99");
  EXPECT_EQ(WorkloadOf(harness_.cluster(), pod).name.key.name, "shop");
  pod.object.metadata.owner_references = {Owner("Rollout", "x")};
  EXPECT_EQ(WorkloadOf(harness_.cluster(), pod).name.kind, "Pod");
}

TEST_F(PodExplanationTest, GroupsAreSortedBySize) {
  harness_.Put(MakeNode("n").Cpu("1"));
  std::vector<api::Ref<api::Pod>> pods;
  pods.push_back(MakePod("lost").NodeSelector("disk", "ssd").ref());
  for (int i = 0; i < 7; ++i) {
    pods.push_back(MakePod("big" + std::to_string(i)).Request("cpu", "2").ref());
  }
  for (const auto& pod : pods) harness_.Put(pod);
  PodGrouping grouping(harness_.engine(), kProfile, harness_.now(), {});
  ASSERT_TRUE(grouping.Add(pods));
  const PodGroups& groups = grouping.groups();
  ASSERT_EQ(groups.groups.size(), 2U);
  EXPECT_FALSE(groups.groups[0].explanation.fixes);
  ASSERT_TRUE(grouping.FindFixes(0));
  EXPECT_EQ(groups.groups[0].cause, "NodeResourcesFit: Insufficient cpu");
  EXPECT_EQ(groups.groups[0].pods, 7U);
  EXPECT_EQ(groups.groups[0].examples.size(), 5U);
  EXPECT_EQ(groups.groups[0].explanation.fixes->fixes.size(), 1U);
  EXPECT_EQ(groups.groups[1].pods, 1U);
  const auto json = ToJson(groups, nullptr);
  EXPECT_THAT(api::ToJsonText(json), HasSubstr("\"apiVersion\":\"berth.dev/v1\""));
  EXPECT_THAT(api::ToJsonText(json), HasSubstr("\"pods\":8"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
