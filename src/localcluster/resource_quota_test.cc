#include "localcluster/resource_quota.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kQuota = R"(
apiVersion: v1
kind: ResourceQuota
metadata: {name: q}
spec: {hard: {pods: "2", requests.cpu: "1", count/configmaps: "9"}}
)";
constexpr std::string_view kReplicaSet = R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx, resources: {requests: {cpu: 300m}}}]}
)";

TEST(ResourceQuota, CountsExistingObjects) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods",
               "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i',"
               "'resources':{'requests':{'cpu':'500m'}}}]}}");
  cluster.Apply(kQuota);
  cluster.AdvanceSeconds(1);
  // The second ConfigMap is kube-root-ca.crt.
  cluster.Make("configmaps", "{'metadata':{'name':'a'}}");
  cluster.AdvanceSeconds(1);
  EXPECT_HOLDS(cluster.Get("resourcequotas", "q"),
               "{'status':{'hard':{'pods':'2','requests.cpu':'1','count/configmaps':'9'},"
               "'used':{'pods':'1','requests.cpu':'500m','count/configmaps':'2'}}}");
}

TEST(ResourceQuota, LimitsAWorkloadAndIsReleased) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kQuota);
  cluster.Apply(kReplicaSet);
  EXPECT_EQ(cluster.ShowPods(), "2 web-* Running");
  EXPECT_EQ(cluster.Conditions("replicasets.apps", "web"), "ReplicaFailure=True(FailedCreate)");
  EXPECT_THAT(cluster.EventsOf("web"), Contains(HasSubstr("is forbidden: exceeded quota: q, "
                                                          "requested: pods=1, used: pods=2, "
                                                          "limited: pods=2")));
  EXPECT_HOLDS(cluster.Get("resourcequotas", "q"),
               "{'status':{'used':{'pods':'2','requests.cpu':'600m'}}}");
  cluster.Merge("replicasets.apps", "web", "{'spec':{'replicas':1}}");
  cluster.AdvanceSeconds(60);
  EXPECT_HOLDS(cluster.Get("resourcequotas", "q"),
               "{'status':{'used':{'pods':'1','requests.cpu':'300m'}}}");
}

TEST(ResourceQuota, EndedPodsUseNothing) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kQuota);
  cluster.Make("pods",
               "{'metadata':{'name':'a','annotations':{'berth.dev/run-seconds':'5'}},"
               "'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i',"
               "'resources':{'requests':{'cpu':'1'}}}]}}");
  cluster.AdvanceSeconds(1);
  EXPECT_HOLDS(cluster.Get("resourcequotas", "q"), "{'status':{'used':{'pods':'1'}}}");
  cluster.AdvanceSeconds(10);
  EXPECT_HOLDS(cluster.Get("resourcequotas", "q"),
               "{'status':{'used':{'pods':'0','requests.cpu':'0'}}}");
}

TEST(ResourceQuota, CountsWhatItsScopesSelect) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods", apiserver::registry::kPodA);
  cluster.Make("pods",
               "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'c','image':'i',"
               "'resources':{'requests':{'cpu':'1'}}}]}}");
  cluster.Apply(R"(
apiVersion: v1
kind: ResourceQuota
metadata: {name: q}
spec: {hard: {pods: "5"}, scopes: [BestEffort]}
)");
  cluster.AdvanceSeconds(1);
  EXPECT_HOLDS(cluster.Get("resourcequotas", "q"), "{'status':{'used':{'pods':'1'}}}");
}

TEST(ResourceQuota, FollowsItsSpecAndLeavesNothingBehind) {
  TestCluster cluster;
  cluster.Apply(kQuota);
  cluster.Merge("resourcequotas", "q", "{'spec':{'hard':{'pods':'5','secrets':'1'}}}");
  cluster.AdvanceSeconds(1);
  EXPECT_HOLDS(cluster.Get("resourcequotas", "q"),
               "{'status':{'hard':{'pods':'5','secrets':'1'},'used':{'secrets':'0'}}}");
  cluster.Delete("resourcequotas", "q");
  cluster.AdvanceSeconds(1);
  EXPECT_THAT(cluster.Leftovers(), IsEmpty());
}

// A count is linear, so it is not made for each of many changes.
TEST(ResourceQuota, CountsManyObjectsRarely) {
  TestCluster cluster;
  cluster.Apply(R"(
apiVersion: v1
kind: ResourceQuota
metadata: {name: q}
spec: {hard: {count/configmaps: "9000"}}
)");
  for (int i = 0; i < 2000; ++i) {
    cluster.Make("configmaps", fmt::format("{{'metadata':{{'name':'c{}'}}}}", i));
  }
  cluster.AdvanceSeconds(1);
  for (int i = 0; i < 10; ++i) {
    cluster.Delete("configmaps", fmt::format("c{}", i));
    cluster.Run();
  }
  // The first deletion is counted at once, the others wait for 200 milliseconds.
  EXPECT_HOLDS(cluster.Get("resourcequotas", "q"), "{'status':{'used':{'count/configmaps':'2k'}}}");
  cluster.AdvanceSeconds(1);
  EXPECT_HOLDS(cluster.Get("resourcequotas", "q"),
               "{'status':{'used':{'count/configmaps':'1991'}}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
