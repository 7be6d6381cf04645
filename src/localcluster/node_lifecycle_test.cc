#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns "key:effect" of each taint, without the common prefix.
std::vector<std::string> Taints(const TestCluster& cluster, std::string_view node) {
  const Json document = cluster.Get("nodes", node);
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
  TestCluster cluster;
  cluster.AddNodes(1);
  EXPECT_THAT(Taints(cluster, "node-0"), IsEmpty());
  cluster.Merge("nodes", "node-0", "{'spec':{'unschedulable':true}}");
  cluster.Run();
  EXPECT_THAT(Taints(cluster, "node-0"), ElementsAre("unschedulable:NoSchedule"));
  cluster.Merge("nodes", "node-0", "{'spec':{'unschedulable':null}}");
  cluster.Run();
  EXPECT_THAT(Taints(cluster, "node-0"), IsEmpty());
  cluster.Merge("nodes", "node-0",
                "{'status':{'conditions':[{'type':'Ready','status':'False'},"
                "{'type':'DiskPressure','status':'True'}]}}",
                "status");
  cluster.Run();
  EXPECT_THAT(
      Taints(cluster, "node-0"),
      ElementsAre("disk-pressure:NoSchedule", "not-ready:NoExecute", "not-ready:NoSchedule"));
}

TEST(NodeLifecycle, AnUnreachableNodeLosesItsPods) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kPod);
  cluster.Merge("nodes", "node-0", "{'metadata':{'annotations':{'berth.dev/kubelet':'stopped'}}}");
  cluster.AdvanceSeconds(30);
  EXPECT_THAT(Taints(cluster, "node-0"), IsEmpty());
  cluster.AdvanceSeconds(20);
  EXPECT_THAT(Taints(cluster, "node-0"),
              ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));
  EXPECT_EQ(cluster.ShowPods(), "1 a Running?");
  // Pods tolerate it for five minutes. No kubelet terminates them then.
  cluster.AdvanceSeconds(290);
  EXPECT_EQ(cluster.ShowPods(), "1 a Running?");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.ShowPods(), "1 a Running!");
  EXPECT_THAT(cluster.Conditions("pods", "a"),
              ::testing::HasSubstr("DisruptionTarget=True(DeletionByTaintManager)"));
  // They are removed when the node is deleted.
  cluster.Delete("nodes", "node-0");
  cluster.AdvanceSeconds(40);
  EXPECT_EQ(cluster.ShowPods(), "");
}

TEST(NodeLifecycle, ANodeThatReportsAgainBecomesReady) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kPod);
  cluster.Merge("nodes", "node-0", "{'metadata':{'annotations':{'berth.dev/kubelet':'stopped'}}}");
  cluster.AdvanceSeconds(100);
  EXPECT_EQ(cluster.ShowPods(), "1 a Running?");
  cluster.Merge("nodes", "node-0", "{'metadata':{'annotations':null}}");
  cluster.Run();
  EXPECT_THAT(Taints(cluster, "node-0"), IsEmpty());
  EXPECT_EQ(cluster.ShowPods(), "1 a Running");
  cluster.AdvanceSeconds(600);
  EXPECT_EQ(cluster.ShowPods(), "1 a Running");
}

TEST(TaintEviction, EvictsAtOnceOrAfterTheTolerationSeconds) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kPod);
  cluster.Apply(R"(
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
  EXPECT_EQ(cluster.ShowPods(), "1 a Running, 1 patient Running, 1 staunch Running");
  cluster.Merge("nodes", "node-0",
                "{'spec':{'taints':[{'key':'maintenance','effect':'NoExecute',"
                "'timeAdded':'2026-01-01T00:00:00Z'}]}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 patient Running, 1 staunch Running");
  cluster.AdvanceSeconds(20);
  EXPECT_EQ(cluster.ShowPods(), "1 staunch Running");
}

TEST(TaintEviction, TolerationsLastAnyNumberOfSeconds) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(R"(
apiVersion: v1
kind: Pod
metadata: {name: patient}
spec:
  containers: [{name: c, image: nginx}]
  tolerations:
  - {key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 9223372036854775807}
)");
  cluster.Merge("nodes", "node-0",
                "{'spec':{'taints':[{'key':'maintenance','effect':'NoExecute',"
                "'timeAdded':'2026-01-01T00:00:00Z'}]}}");
  cluster.AdvanceSeconds(600);
  EXPECT_EQ(cluster.ShowPods(), "1 patient Running");
}

TEST(PodGarbageCollector, RemovesPodsOfAMissingNode) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(kPod);
  cluster.Delete("nodes", "node-0");
  cluster.AdvanceSeconds(39);
  EXPECT_EQ(cluster.ShowPods(), "1 a Running");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.ShowPods(), "");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
