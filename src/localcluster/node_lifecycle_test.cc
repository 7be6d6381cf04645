#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "key:effect" of each taint, without the common prefix.
std::vector<std::string> Taints(const Scenario& story, std::string_view node) {
  const Json document = story.Get("nodes", node);
  std::vector<std::string> taints;
  for (const JsonObject& taint : ObjectsAt(ObjectAt(AsObject(document), "spec"), "taints")) {
    std::string_view key = StringAt(&taint, "key");
    if (key.starts_with("node.kubernetes.io/")) key.remove_prefix(19);
    taints.push_back(fmt::format("{}:{}", key, StringAt(&taint, "effect")));
  }
  std::ranges::sort(taints);
  return taints;
}

constexpr std::string_view kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: c, image: nginx}]}
)";

TEST(NodeLifecycle, TaintsFollowTheConditions) {
  Scenario story;
  story.AddNodes(1);
  EXPECT_THAT(Taints(story, "node-0"), IsEmpty());
  story.Merge("nodes", "node-0", "{'spec':{'unschedulable':true}}");
  story.Run();
  EXPECT_THAT(Taints(story, "node-0"), ElementsAre("unschedulable:NoSchedule"));
  story.Merge("nodes", "node-0", "{'spec':{'unschedulable':null}}");
  story.Run();
  EXPECT_THAT(Taints(story, "node-0"), IsEmpty());
  story.Merge("nodes", "node-0",
              "{'status':{'conditions':[{'type':'Ready','status':'False'},"
              "{'type':'DiskPressure','status':'True'}]}}",
              "status");
  story.Run();
  EXPECT_THAT(Taints(story, "node-0"), ElementsAre("disk-pressure:NoSchedule",
                                                   "not-ready:NoExecute", "not-ready:NoSchedule"));
}

TEST(NodeLifecycle, ASilentNodeLosesItsPodsInTheEnd) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(kPod);
  story.Merge("nodes", "node-0", "{'metadata':{'annotations':{'berth.dev/kubelet':'stopped'}}}");
  story.AdvanceSeconds(30);
  EXPECT_THAT(Taints(story, "node-0"), IsEmpty());
  story.AdvanceSeconds(20);
  EXPECT_THAT(Taints(story, "node-0"),
              ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));
  EXPECT_EQ(story.ShowPods(), "1 a Running?");
  // Pods tolerate it for five minutes. Nobody is there to end them.
  story.AdvanceSeconds(290);
  EXPECT_EQ(story.ShowPods(), "1 a Running?");
  story.AdvanceSeconds(10);
  EXPECT_EQ(story.ShowPods(), "1 a Running!");
  EXPECT_THAT(story.Conditions("pods", "a"),
              ::testing::HasSubstr("DisruptionTarget=True(DeletionByTaintManager)"));
  // Until the node is given up.
  story.Delete("nodes", "node-0");
  story.AdvanceSeconds(40);
  EXPECT_EQ(story.ShowPods(), "");
}

TEST(NodeLifecycle, ANodeThatSpeaksAgainIsWell) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(kPod);
  story.Merge("nodes", "node-0", "{'metadata':{'annotations':{'berth.dev/kubelet':'stopped'}}}");
  story.AdvanceSeconds(100);
  EXPECT_EQ(story.ShowPods(), "1 a Running?");
  story.Merge("nodes", "node-0", "{'metadata':{'annotations':null}}");
  story.Run();
  EXPECT_THAT(Taints(story, "node-0"), IsEmpty());
  EXPECT_EQ(story.ShowPods(), "1 a Running");
  story.AdvanceSeconds(600);
  EXPECT_EQ(story.ShowPods(), "1 a Running");
}

TEST(TaintEviction, PodsGoAtOnceOrWhenTheirTimeIsUp) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(kPod);
  story.Apply(R"(
apiVersion: v1
kind: Pod
metadata: {name: patient}
spec:
  containers: [{name: c, image: nginx}]
  tolerations: [{key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 20}]
---
apiVersion: v1
kind: Pod
metadata: {name: staunch}
spec:
  containers: [{name: c, image: nginx}]
  tolerations: [{operator: Exists}]
)");
  EXPECT_EQ(story.ShowPods(), "1 a Running, 1 patient Running, 1 staunch Running");
  story.Merge("nodes", "node-0",
              "{'spec':{'taints':[{'key':'maintenance','effect':'NoExecute',"
              "'timeAdded':'2026-01-01T00:00:00Z'}]}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 patient Running, 1 staunch Running");
  story.AdvanceSeconds(20);
  EXPECT_EQ(story.ShowPods(), "1 staunch Running");
}

TEST(PodGarbageCollector, PodsOfAMissingNodeGo) {
  Scenario story;
  story.AddNodes(2);
  story.Apply(kPod);
  story.Delete("nodes", "node-0");
  story.AdvanceSeconds(39);
  EXPECT_EQ(story.ShowPods(), "1 a Running");
  story.AdvanceSeconds(1);
  EXPECT_EQ(story.ShowPods(), "");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
