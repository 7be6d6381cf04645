#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;

std::string Set(int replicas, std::string_view image, std::string_view more = "") {
  return fmt::format(R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: db}}
spec:
  replicas: {}
  serviceName: db
  selector: {{matchLabels: {{app: db}}}}
  {}
  template:
    metadata: {{labels: {{app: db}}}}
    spec: {{containers: [{{name: c, image: "{}"}}]}}
)",
                     replicas, more, image);
}

TEST(StatefulSet, StartsPodsInOrderAndStopsThemInReverse) {
  TestCluster cluster({.start_delay = Duration::Seconds(10)});
  cluster.AddNodes(2);
  cluster.Apply(Set(3, "x:1"));
  EXPECT_EQ(cluster.ShowPods(), "1 db-0 Pending");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.ShowPods(), "1 db-0 Running, 1 db-1 Pending");
  cluster.AdvanceSeconds(20);
  EXPECT_EQ(cluster.ShowPods(), "1 db-0 Running, 1 db-1 Running, 1 db-2 Running");
  EXPECT_EQ(cluster.Counts("statefulsets.apps", "db"),
            "availableReplicas=3 collisionCount=0 currentReplicas=3 readyReplicas=3 replicas=3 "
            "updatedReplicas=3");
  EXPECT_HOLDS(cluster.Get("pods", "db-1"),
               "{'metadata':{'labels':{'statefulset.kubernetes.io/pod-name':'db-1',"
               "'apps.kubernetes.io/pod-index':'1'}},'spec':{'hostname':'db-1','subdomain':'db'}}");
  cluster.Merge("statefulsets.apps", "db", "{'spec':{'replicas':1}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 db-0 Running");
}

TEST(StatefulSet, StartsPodsTogetherIfParallel) {
  TestCluster cluster({.start_delay = Duration::Seconds(10)});
  cluster.AddNodes(2);
  cluster.Apply(Set(3, "x:1", "podManagementPolicy: Parallel"));
  EXPECT_EQ(cluster.ShowPods(), "1 db-0 Pending, 1 db-1 Pending, 1 db-2 Pending");
}

TEST(StatefulSet, UpdatesFromTheHighestOrdinalDownToThePartition) {
  TestCluster cluster({.start_delay = Duration::Seconds(10)});
  cluster.AddNodes(2);
  cluster.Apply(Set(3, "x:1"));
  cluster.AdvanceSeconds(30);
  cluster.Apply(Set(3, "x:2", "updateStrategy: {rollingUpdate: {partition: 1}}"));
  EXPECT_EQ(cluster.ShowPods(), "1 db-0 Running, 1 db-1 Running, 1 db-2 Pending");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.ShowPods(), "1 db-0 Running, 1 db-1 Pending, 1 db-2 Running");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Counts("statefulsets.apps", "db"),
            "availableReplicas=3 collisionCount=0 currentReplicas=1 readyReplicas=3 replicas=3 "
            "updatedReplicas=2");
  EXPECT_HOLDS(cluster.Get("pods", "db-0"), "{'spec':{'containers':[{'image':'x:1'}]}}");
  // Below the partition a pod is recreated with the old revision.
  cluster.Delete("pods", "db-0");
  cluster.AdvanceSeconds(10);
  EXPECT_HOLDS(cluster.Get("pods", "db-0"), "{'spec':{'containers':[{'image':'x:1'}]}}");
  cluster.Apply(Set(3, "x:2", "updateStrategy: {rollingUpdate: {partition: 0}}"));
  cluster.AdvanceSeconds(20);
  EXPECT_HOLDS(cluster.Get("pods", "db-0"), "{'spec':{'containers':[{'image':'x:2'}]}}");
  const Json set = cluster.Get("statefulsets.apps", "db");
  const JsonObject* status = ObjectAt(AsObject(set), "status");
  EXPECT_EQ(StringAt(status, "currentRevision"), StringAt(status, "updateRevision"));
  EXPECT_EQ(cluster.Names(ControllerRevisions()).size(), 2u);
}

TEST(StatefulSet, EachPodHasItsClaims) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Set(2, "x:1", R"(volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}})"));
  EXPECT_THAT(cluster.Names(Claims()), ElementsAre("data-db-0", "data-db-1"));
  EXPECT_HOLDS(cluster.Get("pods", "db-1"),
               "{'spec':{'volumes':[{'name':'data',"
               "'persistentVolumeClaim':{'claimName':'data-db-1'}}]}}");
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "data-db-0"),
               "{'metadata':{'labels':{'app':'db'}}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
