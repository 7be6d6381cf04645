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

TEST(ReplicaSet, MaintainsTheNumberOfReplicas) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(kSet);
  EXPECT_EQ(cluster.ShowPods(), "3 web-* Running");
  EXPECT_EQ(cluster.Counts("replicasets.apps", "web"),
            "availableReplicas=3 fullyLabeledReplicas=3 readyReplicas=3 replicas=3");
  const Json set = cluster.Get("replicasets.apps", "web");
  EXPECT_HOLDS(set, "{'status':{'observedGeneration':1}}");
  cluster.Delete("pods", cluster.Names(Pods()).front());
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "3 web-* Running");
  cluster.Merge("replicasets.apps", "web", "{'spec':{'replicas':1}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 web-* Running");
  EXPECT_EQ(cluster.Counts("replicasets.apps", "web"),
            "availableReplicas=1 fullyLabeledReplicas=1 readyReplicas=1 replicas=1");
}

TEST(ReplicaSet, PodsNameItAsTheirController) {
  TestCluster cluster;
  cluster.Apply(kSet);
  const Json pod = cluster.Get("pods", cluster.Names(Pods()).front());
  EXPECT_HOLDS(pod,
               "{'metadata':{'generateName':'web-','labels':{'app':'web'},'ownerReferences':[{"
               "'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web','controller':true,"
               "'blockOwnerDeletion':true}]}}");
}

TEST(ReplicaSet, AdoptsOrphansAndReleasesMismatches) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods",
               "{'metadata':{'name':'orphan','labels':{'app':'web'}},"
               "'spec':{'containers':[{'name':'c','image':'i'}]}}");
  cluster.Apply(kSet);
  EXPECT_EQ(cluster.ShowPods(), "1 orphan Running, 2 web-* Running");
  cluster.Merge("pods", "orphan", "{'metadata':{'labels':{'app':'other'}}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 orphan Running, 3 web-* Running");
  EXPECT_HOLDS(cluster.Get("pods", "orphan"), "{'metadata':{'ownerReferences':null}}");
}

TEST(ReplicaSet, DeletesPendingPodsFirst) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kSet);
  cluster.schedules_pods = false;
  cluster.Merge("replicasets.apps", "web", "{'spec':{'replicas':5}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "2 web-* Pending, 3 web-* Running");
  cluster.Merge("replicasets.apps", "web", "{'spec':{'replicas':3}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "3 web-* Running");
}

TEST(ReplicaSet, PodsAreAvailableOnceReadyForLongEnough) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kSet);
  cluster.Merge("replicasets.apps", "web", "{'spec':{'minReadySeconds':30}}");
  cluster.Run();
  EXPECT_EQ(cluster.Counts("replicasets.apps", "web"),
            "fullyLabeledReplicas=3 readyReplicas=3 replicas=3");
  cluster.AdvanceSeconds(30);
  EXPECT_EQ(cluster.Counts("replicasets.apps", "web"),
            "availableReplicas=3 fullyLabeledReplicas=3 readyReplicas=3 replicas=3");
}

TEST(ReplicaSet, ReportsWhyItCannotCreatePods) {
  TestCluster cluster;
  cluster.Apply(R"(
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
  EXPECT_EQ(cluster.Conditions("replicasets.apps", "web"), "ReplicaFailure=True(FailedCreate)");
  cluster.Make("priorityclasses.scheduling.k8s.io", "{'metadata':{'name':'missing'},'value':7}");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Conditions("replicasets.apps", "web"), "");
  EXPECT_EQ(cluster.ShowPods(), "1 web-* Pending");
}

TEST(ReplicationController, WorksAlike) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(R"(
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
  EXPECT_EQ(cluster.ShowPods(), "2 old-* Running");
  EXPECT_EQ(cluster.Counts("replicationcontrollers", "old"),
            "availableReplicas=2 fullyLabeledReplicas=2 readyReplicas=2 replicas=2");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
