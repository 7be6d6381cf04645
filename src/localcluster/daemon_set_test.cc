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

TEST(DaemonSet, RunsOnEveryNodeThatComes) {
  Scenario story;
  story.AddNodes(3);
  story.Apply(Set("x:1"));
  EXPECT_EQ(story.ShowPods(), "3 agent-* Running");
  EXPECT_EQ(story.Counts("daemonsets.apps", "agent"),
            "currentNumberScheduled=3 desiredNumberScheduled=3 numberAvailable=3 "
            "numberMisscheduled=0 numberReady=3 updatedNumberScheduled=3");
  story.Make("nodes", "{'metadata':{'name':'new'},'status':{'capacity':{'cpu':'1'}}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "4 agent-* Running");
  story.Delete("nodes", "new");
  story.AdvanceSeconds(60);
  EXPECT_EQ(story.ShowPods(), "3 agent-* Running");
}

TEST(DaemonSet, PodsAskForTheirNodeAndTolerateItsTroubles) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(Set("x:1"));
  const Json pod = story.Get("pods", story.Names(Pods()).front());
  const JsonObject* spec = ObjectAt(AsObject(pod), "spec");
  EXPECT_HOLDS(
      pod,
      "{'spec':{'affinity':{'nodeAffinity':{"
      "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
      "'matchFields':[{'key':'metadata.name','operator':'In','values':['node-0']}]}]}}}}}");
  std::vector<std::string> tolerations;
  for (const JsonObject& one : ObjectsAt(spec, "tolerations")) {
    tolerations.push_back(
        fmt::format("{}:{}", StringAt(&one, "key").substr(19), StringAt(&one, "effect")));
  }
  EXPECT_THAT(tolerations, ::testing::UnorderedElementsAre(
                               "not-ready:NoExecute", "unreachable:NoExecute",
                               "disk-pressure:NoSchedule", "memory-pressure:NoSchedule",
                               "pid-pressure:NoSchedule", "unschedulable:NoSchedule"));
}

TEST(DaemonSet, KeepsToTheNodesItSelects) {
  Scenario story;
  story.AddNodes(3);
  story.Apply(Set("x:1", ", nodeSelector: {disk: ssd}"));
  EXPECT_EQ(story.ShowPods(), "");
  story.Merge("nodes", "node-1", "{'metadata':{'labels':{'disk':'ssd'}}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 agent-* Running");
  story.Merge("nodes", "node-1", "{'metadata':{'labels':{'disk':'hdd'}}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "");
}

TEST(DaemonSet, IsNotBotheredByACordonButByATaint) {
  Scenario story;
  story.AddNodes(2);
  story.Merge("nodes", "node-0", "{'spec':{'unschedulable':true}}");
  story.Merge("nodes", "node-1", "{'spec':{'taints':[{'key':'k','effect':'NoSchedule'}]}}");
  story.Apply(Set("x:1"));
  EXPECT_EQ(story.Counts("daemonsets.apps", "agent"),
            "currentNumberScheduled=1 desiredNumberScheduled=1 numberMisscheduled=0 numberReady=0 "
            "numberUnavailable=1 updatedNumberScheduled=1");
}

TEST(DaemonSet, UpdatesOneNodeAtATime) {
  Scenario story({.start_delay = Duration::Seconds(10)});
  story.AddNodes(3);
  story.Apply(Set("x:1"));
  story.AdvanceSeconds(10);
  story.Apply(Set("x:2"));
  EXPECT_EQ(story.ShowPods(), "1 agent-* Pending, 2 agent-* Running");
  story.AdvanceSeconds(30);
  EXPECT_EQ(story.ShowPods(), "3 agent-* Running");
  EXPECT_EQ(story.Counts("daemonsets.apps", "agent"),
            "currentNumberScheduled=3 desiredNumberScheduled=3 numberAvailable=3 "
            "numberMisscheduled=0 numberReady=3 updatedNumberScheduled=3");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
