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

TEST(StatefulSet, PodsComeOneAfterAnotherAndGoFromTheTop) {
  Scenario story({.start_delay = Duration::Seconds(10)});
  story.AddNodes(2);
  story.Apply(Set(3, "x:1"));
  EXPECT_EQ(story.ShowPods(), "1 db-0 Pending");
  story.AdvanceSeconds(10);
  EXPECT_EQ(story.ShowPods(), "1 db-0 Running, 1 db-1 Pending");
  story.AdvanceSeconds(20);
  EXPECT_EQ(story.ShowPods(), "1 db-0 Running, 1 db-1 Running, 1 db-2 Running");
  EXPECT_EQ(story.Counts("statefulsets.apps", "db"),
            "availableReplicas=3 collisionCount=0 currentReplicas=3 readyReplicas=3 replicas=3 "
            "updatedReplicas=3");
  EXPECT_HOLDS(story.Get("pods", "db-1"),
               "{'metadata':{'labels':{'statefulset.kubernetes.io/pod-name':'db-1',"
               "'apps.kubernetes.io/pod-index':'1'}},'spec':{'hostname':'db-1','subdomain':'db'}}");
  story.Merge("statefulsets.apps", "db", "{'spec':{'replicas':1}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 db-0 Running");
}

TEST(StatefulSet, InParallelTheyComeTogether) {
  Scenario story({.start_delay = Duration::Seconds(10)});
  story.AddNodes(2);
  story.Apply(Set(3, "x:1", "podManagementPolicy: Parallel"));
  EXPECT_EQ(story.ShowPods(), "1 db-0 Pending, 1 db-1 Pending, 1 db-2 Pending");
}

TEST(StatefulSet, AnUpdateGoesFromTheTopDownToThePartition) {
  Scenario story({.start_delay = Duration::Seconds(10)});
  story.AddNodes(2);
  story.Apply(Set(3, "x:1"));
  story.AdvanceSeconds(30);
  story.Apply(Set(3, "x:2", "updateStrategy: {rollingUpdate: {partition: 1}}"));
  EXPECT_EQ(story.ShowPods(), "1 db-0 Running, 1 db-1 Running, 1 db-2 Pending");
  story.AdvanceSeconds(10);
  EXPECT_EQ(story.ShowPods(), "1 db-0 Running, 1 db-1 Pending, 1 db-2 Running");
  story.AdvanceSeconds(10);
  EXPECT_EQ(story.Counts("statefulsets.apps", "db"),
            "availableReplicas=3 collisionCount=0 currentReplicas=1 readyReplicas=3 replicas=3 "
            "updatedReplicas=2");
  EXPECT_HOLDS(story.Get("pods", "db-0"), "{'spec':{'containers':[{'image':'x:1'}]}}");
  // Below the partition a pod comes back as it was.
  story.Delete("pods", "db-0");
  story.AdvanceSeconds(10);
  EXPECT_HOLDS(story.Get("pods", "db-0"), "{'spec':{'containers':[{'image':'x:1'}]}}");
  story.Apply(Set(3, "x:2", "updateStrategy: {rollingUpdate: {partition: 0}}"));
  story.AdvanceSeconds(20);
  EXPECT_HOLDS(story.Get("pods", "db-0"), "{'spec':{'containers':[{'image':'x:2'}]}}");
  const Json set = story.Get("statefulsets.apps", "db");
  const JsonObject* status = ObjectAt(AsObject(set), "status");
  EXPECT_EQ(StringAt(status, "currentRevision"), StringAt(status, "updateRevision"));
  EXPECT_EQ(story.Names(ControllerRevisions()).size(), 2u);
}

TEST(StatefulSet, EachPodHasItsClaims) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(Set(2, "x:1", R"(volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}})"));
  EXPECT_THAT(story.Names(Claims()), ElementsAre("data-db-0", "data-db-1"));
  EXPECT_HOLDS(story.Get("pods", "db-1"),
               "{'spec':{'volumes':[{'name':'data',"
               "'persistentVolumeClaim':{'claimName':'data-db-1'}}]}}");
  EXPECT_HOLDS(story.Get("persistentvolumeclaims", "data-db-0"),
               "{'metadata':{'labels':{'app':'db'}}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
