#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::IsEmpty;

constexpr std::string_view kSet = R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)";

TEST(ReplicaSet, KeepsAsManyPodsAsItSays) {
  Scenario story;
  story.AddNodes(2);
  story.Apply(kSet);
  EXPECT_EQ(story.ShowPods(), "3 web-* Running");
  EXPECT_EQ(story.Counts("replicasets.apps", "web"),
            "availableReplicas=3 fullyLabeledReplicas=3 readyReplicas=3 replicas=3");
  const Json set = story.Get("replicasets.apps", "web");
  EXPECT_HOLDS(set, "{'status':{'observedGeneration':1}}");
  story.Delete("pods", story.Names(Pods()).front());
  story.Run();
  EXPECT_EQ(story.ShowPods(), "3 web-* Running");
  story.Merge("replicasets.apps", "web", "{'spec':{'replicas':1}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 web-* Running");
  EXPECT_EQ(story.Counts("replicasets.apps", "web"),
            "availableReplicas=1 fullyLabeledReplicas=1 readyReplicas=1 replicas=1");
}

TEST(ReplicaSet, PodsNameItAsTheirController) {
  Scenario story;
  story.Apply(kSet);
  const Json pod = story.Get("pods", story.Names(Pods()).front());
  EXPECT_HOLDS(pod,
               "{'metadata':{'generateName':'web-','labels':{'app':'web'},'ownerReferences':[{"
               "'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web','controller':true,"
               "'blockOwnerDeletion':true}]}}");
}

TEST(ReplicaSet, TakesInOrphansAndLetsGoOfStrangers) {
  Scenario story;
  story.AddNodes(1);
  story.Make("pods",
             "{'metadata':{'name':'orphan','labels':{'app':'web'}},"
             "'spec':{'containers':[{'name':'c','image':'i'}]}}");
  story.Apply(kSet);
  EXPECT_EQ(story.ShowPods(), "1 orphan Running, 2 web-* Running");
  story.Merge("pods", "orphan", "{'metadata':{'labels':{'app':'other'}}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 orphan Running, 3 web-* Running");
  EXPECT_HOLDS(story.Get("pods", "orphan"), "{'metadata':{'ownerReferences':null}}");
}

TEST(ReplicaSet, DeletesPodsThatWaitFirst) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(kSet);
  story.places_pods = false;
  story.Merge("replicasets.apps", "web", "{'spec':{'replicas':5}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "2 web-* Pending, 3 web-* Running");
  story.Merge("replicasets.apps", "web", "{'spec':{'replicas':3}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "3 web-* Running");
}

TEST(ReplicaSet, PodsAreAvailableOnceReadyForLongEnough) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(kSet);
  story.Merge("replicasets.apps", "web", "{'spec':{'minReadySeconds':30}}");
  story.Run();
  EXPECT_EQ(story.Counts("replicasets.apps", "web"),
            "fullyLabeledReplicas=3 readyReplicas=3 replicas=3");
  story.AdvanceSeconds(30);
  EXPECT_EQ(story.Counts("replicasets.apps", "web"),
            "availableReplicas=3 fullyLabeledReplicas=3 readyReplicas=3 replicas=3");
}

TEST(ReplicaSet, SaysWhyItCannotMakePods) {
  Scenario story;
  story.Apply(R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {priorityClassName: missing, containers: [{name: c, image: nginx}]}
)");
  EXPECT_EQ(story.Conditions("replicasets.apps", "web"), "ReplicaFailure=True(FailedCreate)");
  story.Make("priorityclasses.scheduling.k8s.io", "{'metadata':{'name':'missing'},'value':7}");
  story.AdvanceSeconds(10);
  EXPECT_EQ(story.Conditions("replicasets.apps", "web"), "");
  EXPECT_EQ(story.ShowPods(), "1 web-* Pending");
}

TEST(ReplicationController, WorksAlike) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(R"(
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 2
  selector: {app: old}
  template:
    metadata: {labels: {app: old}}
    spec: {containers: [{name: c, image: nginx}]}
)");
  EXPECT_EQ(story.ShowPods(), "2 old-* Running");
  EXPECT_EQ(story.Counts("replicationcontrollers", "old"),
            "availableReplicas=2 fullyLabeledReplicas=2 readyReplicas=2 replicas=2");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
