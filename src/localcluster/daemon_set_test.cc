#include "api/json/writer.h"
#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

std::string Set(std::string_view image, std::string_view pod_more = "") {
  return fmt::format(R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: agent}}}}
  template:
    metadata: {{labels: {{app: agent}}}}
    spec: {{containers: [{{name: c, image: "{}"}}]{}}}
)",
                     image, pod_more);
}

TEST(DaemonSet, RunsOnEveryNode) {
  TestCluster cluster;
  cluster.AddNodes(3);
  cluster.Apply(Set("x:1"));
  EXPECT_EQ(cluster.ShowPods(), "3 agent-* Running");
  EXPECT_EQ(cluster.Counts("daemonsets.apps", "agent"),
            "currentNumberScheduled=3 desiredNumberScheduled=3 numberAvailable=3 "
            "numberMisscheduled=0 numberReady=3 updatedNumberScheduled=3");
  cluster.Make("nodes", "{'metadata':{'name':'new'},'status':{'capacity':{'cpu':'1'}}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "4 agent-* Running");
  cluster.Delete("nodes", "new");
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.ShowPods(), "3 agent-* Running");
}

TEST(DaemonSet, PodsRequireTheirNodeAndTolerateItsConditions) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Set("x:1"));
  const Json pod = cluster.Get("pods", cluster.Names(Pods()).front());
  const JsonObject* spec = ObjectAt(AsObject(pod), "spec");
  EXPECT_HOLDS(
      pod,
      "{'spec':{'affinity':{'nodeAffinity':{"
      "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
      "'matchFields':[{'key':'metadata.name','operator':'In','values':['node-0']}]}]}}}}}");
  std::vector<std::string> tolerations;
  for (const JsonObject& toleration : ObjectsAt(spec, "tolerations")) {
    tolerations.push_back(fmt::format("{}:{}", StringAt(&toleration, "key").substr(19),
                                      StringAt(&toleration, "effect")));
  }
  EXPECT_THAT(tolerations, ::testing::UnorderedElementsAre(
                               "not-ready:NoExecute", "unreachable:NoExecute",
                               "disk-pressure:NoSchedule", "memory-pressure:NoSchedule",
                               "pid-pressure:NoSchedule", "unschedulable:NoSchedule"));
}

TEST(DaemonSet, RunsOnlyOnSelectedNodes) {
  TestCluster cluster;
  cluster.AddNodes(3);
  cluster.Apply(Set("x:1", ", nodeSelector: {disk: ssd}"));
  EXPECT_EQ(cluster.ShowPods(), "");
  cluster.Merge("nodes", "node-1", "{'metadata':{'labels':{'disk':'ssd'}}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 agent-* Running");
  cluster.Merge("nodes", "node-1", "{'metadata':{'labels':{'disk':'hdd'}}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "");
}

TEST(DaemonSet, IgnoresCordonsButNotTaints) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Merge("nodes", "node-0", "{'spec':{'unschedulable':true}}");
  cluster.Merge("nodes", "node-1", "{'spec':{'taints':[{'key':'k','effect':'NoSchedule'}]}}");
  cluster.Apply(Set("x:1"));
  EXPECT_EQ(cluster.Counts("daemonsets.apps", "agent"),
            "currentNumberScheduled=1 desiredNumberScheduled=1 numberMisscheduled=0 numberReady=0 "
            "numberUnavailable=1 updatedNumberScheduled=1");
}

TEST(DaemonSet, UpdatesOneNodeAtATime) {
  TestCluster cluster({.start_delay = Duration::Seconds(10)});
  cluster.AddNodes(3);
  cluster.Apply(Set("x:1"));
  cluster.AdvanceSeconds(10);
  cluster.Apply(Set("x:2"));
  EXPECT_EQ(cluster.ShowPods(), "1 agent-* Pending, 2 agent-* Running");
  cluster.AdvanceSeconds(30);
  EXPECT_EQ(cluster.ShowPods(), "3 agent-* Running");
  EXPECT_EQ(cluster.Counts("daemonsets.apps", "agent"),
            "currentNumberScheduled=3 desiredNumberScheduled=3 numberAvailable=3 "
            "numberMisscheduled=0 numberReady=3 updatedNumberScheduled=3");
}

// kubectl rollout history and others compare the bytes.
TEST(DaemonSet, RevisionsAreWrittenAsByKubeControllerManager) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Set("x:1"));
  const Json revision =
      cluster.Get("controllerrevisions.apps", cluster.Names(ControllerRevisions()).front());
  const std::string data = api::ToJsonText(revision.at("data"));
  EXPECT_TRUE(data.starts_with(
      R"({"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"agent"}},"spec":)"
      R"({"containers":[{"image":"x:1","imagePullPolicy":"IfNotPresent","name":"c",)"
      R"("resources":{},"terminationMessagePath":)"))
      << data;
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
