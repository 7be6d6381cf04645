#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Deployment(int replicas, std::string_view image, std::string_view more = "") {
  return fmt::format(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, annotations: {{team: a}}}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  {}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: "{}"}}]}}
)",
                     replicas, more, image);
}

// Returns "<revision>:<replicas>" of each ReplicaSet, oldest revision first.
std::string Sets(const TestCluster& cluster) {
  std::map<int64_t, std::string> sets;
  for (const std::string& name : cluster.Names(ReplicaSets())) {
    const Json set = cluster.Get("replicasets.apps", name);
    const JsonObject* metadata = ObjectAt(AsObject(set), "metadata");
    const int64_t revision = *api::ParseInt(
        StringAt(ObjectAt(metadata, "annotations"), "deployment.kubernetes.io/revision"));
    sets[revision] =
        fmt::format("{}:{}", revision, *IntAt(ObjectAt(AsObject(set), "spec"), "replicas"));
  }
  std::string text;
  for (const auto& [revision, shown] : sets) text += (text.empty() ? "" : " ") + shown;
  return text;
}

constexpr std::string_view kDone =
    "Available=True(MinimumReplicasAvailable) Progressing=True(NewReplicaSetAvailable)";

TEST(Deployment, RunsItsPods) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(Deployment(3, "nginx:1"));
  EXPECT_EQ(cluster.ShowPods(), "3 web-#-* Running");
  EXPECT_EQ(cluster.Counts("deployments.apps", "web"),
            "availableReplicas=3 readyReplicas=3 replicas=3 updatedReplicas=3");
  EXPECT_EQ(cluster.Conditions("deployments.apps", "web"), kDone);
  const Json deployment = cluster.Get("deployments.apps", "web");
  const JsonObject* metadata = ObjectAt(AsObject(deployment), "metadata");
  EXPECT_EQ(IntAt(metadata, "generation"),
            IntAt(ObjectAt(AsObject(deployment), "status"), "observedGeneration"));
  const Json set = cluster.Get("replicasets.apps", cluster.Names(ReplicaSets()).front());
  EXPECT_HOLDS(set,
               "{'metadata':{'annotations':{'team':'a','deployment.kubernetes.io/revision':'1',"
               "'deployment.kubernetes.io/desired-replicas':'3',"
               "'deployment.kubernetes.io/max-replicas':'4'},"
               "'ownerReferences':[{'kind':'Deployment','name':'web','controller':true}]}}");
}

TEST(Deployment, WritesNothingWhenNothingChanges) {
  TestCluster cluster({.leases = false});
  cluster.AddNodes(2);
  cluster.Apply(Deployment(3, "nginx:1"));
  const apiserver::store::Version before = cluster.store->version();
  cluster.AdvanceSeconds(3600);
  EXPECT_EQ(cluster.store->version(), before);
}

TEST(Deployment, RollsOutWithinItsLimits) {
  TestCluster cluster({.start_delay = Duration::Seconds(10)});
  cluster.AddNodes(4);
  cluster.Apply(Deployment(8, "nginx:1"));
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.ShowPods(), "8 web-#-* Running");
  cluster.Apply(Deployment(8, "nginx:2"));
  // Two above the desired size, six available.
  EXPECT_EQ(Sets(cluster), "1:6 2:4");
  EXPECT_EQ(cluster.ShowPods(), "4 web-#-* Pending, 6 web-#-* Running");
  EXPECT_EQ(cluster.Conditions("deployments.apps", "web"),
            "Available=True(MinimumReplicasAvailable) Progressing=True(ReplicaSetUpdated)");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(Sets(cluster), "1:2 2:8");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(Sets(cluster), "1:0 2:8");
  EXPECT_EQ(cluster.ShowPods(), "8 web-#-* Running");
  EXPECT_EQ(cluster.Conditions("deployments.apps", "web"), kDone);
}

TEST(Deployment, RecreateWaitsForTheLastOldPod) {
  TestCluster cluster({.stop_delay = Duration::Seconds(10)});
  cluster.AddNodes(2);
  constexpr std::string_view kRecreate = "strategy: {type: Recreate}";
  cluster.Apply(Deployment(3, "nginx:1", kRecreate));
  cluster.Apply(Deployment(3, "nginx:2", kRecreate));
  EXPECT_EQ(cluster.ShowPods(), "3 web-#-* Running!");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.ShowPods(), "3 web-#-* Running");
  EXPECT_EQ(Sets(cluster), "1:0 2:3");
  EXPECT_EQ(cluster.Conditions("deployments.apps", "web"), kDone);
}

TEST(Deployment, ARollbackGivesTheOldSetANewRevision) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(Deployment(2, "nginx:1"));
  cluster.Apply(Deployment(2, "nginx:2"));
  EXPECT_EQ(Sets(cluster), "1:0 2:2");
  cluster.Apply(Deployment(2, "nginx:1"));
  EXPECT_EQ(Sets(cluster), "2:0 3:2");
  EXPECT_HOLDS(cluster.Get("deployments.apps", "web"),
               "{'metadata':{'annotations':{'deployment.kubernetes.io/revision':'3'}}}");
}

TEST(Deployment, OldSetsAreRetainedUpToTheLimit) {
  TestCluster cluster;
  cluster.AddNodes(2);
  for (int i = 1; i <= 6; ++i) {
    cluster.Apply(Deployment(1, fmt::format("nginx:{}", i), "revisionHistoryLimit: 2"));
  }
  EXPECT_EQ(Sets(cluster), "4:0 5:0 6:1");
}

TEST(Deployment, ScalingDuringARolloutKeepsProportions) {
  TestCluster cluster({.start_delay = Duration::Seconds(10)});
  cluster.AddNodes(4);
  cluster.Apply(Deployment(8, "nginx:1"));
  cluster.AdvanceSeconds(10);
  cluster.Apply(Deployment(8, "nginx:2"));
  EXPECT_EQ(Sets(cluster), "1:6 2:4");
  cluster.Merge("deployments.apps", "web", "{'spec':{'replicas':16}}");
  cluster.Run();
  EXPECT_EQ(Sets(cluster), "1:12 2:8");
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(Sets(cluster), "1:0 2:16");
  EXPECT_EQ(cluster.Conditions("deployments.apps", "web"), kDone);
}

TEST(Deployment, APausedDeploymentScalesButDoesNotRollOut) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(Deployment(2, "nginx:1"));
  cluster.Merge("deployments.apps", "web", "{'spec':{'paused':true}}");
  cluster.Apply(Deployment(4, "nginx:2", "paused: true"));
  EXPECT_EQ(Sets(cluster), "1:4");
  cluster.Merge("deployments.apps", "web", "{'spec':{'paused':false}}");
  cluster.Run();
  EXPECT_EQ(Sets(cluster), "1:0 2:4");
}

TEST(Deployment, ARolloutThatExceedsItsDeadlineFails) {
  TestCluster cluster;
  cluster.AddNodes(1, "4", "3");
  cluster.Apply(Deployment(3, "nginx:1"));
  cluster.schedules_pods = false;
  cluster.Apply(Deployment(3, "nginx:2", "progressDeadlineSeconds: 60"));
  cluster.AdvanceSeconds(59);
  EXPECT_EQ(cluster.Conditions("deployments.apps", "web"),
            "Available=True(MinimumReplicasAvailable) Progressing=True(ReplicaSetUpdated)");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.Conditions("deployments.apps", "web"),
            "Available=True(MinimumReplicasAvailable) Progressing=False(ProgressDeadlineExceeded)");
}

TEST(Deployment, DeletionRemovesItsSetsAndPods) {
  TestCluster cluster({.leases = false});
  cluster.AddNodes(2);
  cluster.Apply(Deployment(3, "nginx:1"));
  cluster.Apply(Deployment(3, "nginx:2"));
  cluster.Delete("deployments.apps", "web", {.propagation_policy = "Background"});
  cluster.Run();
  EXPECT_THAT(cluster.Names(ReplicaSets()), IsEmpty());
  EXPECT_EQ(cluster.ShowPods(), "");
}

TEST(Deployment, AdoptsReplicaSets) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: old, labels: {app: web}, annotations: {deployment.kubernetes.io/revision: "7"}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "nginx:1"}]}
)");
  cluster.Apply(Deployment(2, "nginx:2"));
  EXPECT_HOLDS(cluster.Get("replicasets.apps", "old"),
               "{'metadata':{'ownerReferences':[{'kind':'Deployment','name':'web'}]}}");
  EXPECT_EQ(Sets(cluster), "7:0 8:2");
  EXPECT_EQ(cluster.ShowPods(), "2 web-#-* Running");
}

TEST(Deployment, ReleasesReplicaSetsWithOtherLabels) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(Deployment(2, "nginx:1"));
  const std::string set = cluster.Names(ReplicaSets()).front();
  cluster.Merge("replicasets.apps", set, "{'metadata':{'labels':{'app':'other'}}}");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("replicasets.apps", set), "{'metadata':{'ownerReferences':null}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
