#include "localcluster/pod_adoption.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

struct Workload {
  std::string_view name;      // Of the test.
  std::string_view resource;  // "jobs.batch"
  std::string_view kind;      // apiVersion and kind.
  std::string_view selector;  // Its part of the spec.
};

std::string Manifest(const Workload& workload) {
  return fmt::format(R"(
{}
metadata: {{name: web}}
spec:
  {}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{restartPolicy: {}, containers: [{{name: c, image: i}}]}}
)",
                     workload.kind, workload.selector,
                     workload.resource == "jobs.batch" ? "Never" : "Always");
}

// Returns the uid of each pod.
std::vector<std::string> Uids(const TestCluster& cluster) {
  std::vector<std::string> uids;
  for (const auto& object : cluster.store->List(Pods().collection, {}).objects) {
    uids.push_back(object->uid);
  }
  return uids;
}

// Returns the kind of the pod's controller, or "".
std::string OwnerKind(const TestCluster& cluster, const std::string& pod) {
  const Json document = cluster.Get("pods", pod);
  return std::string(StringAt(ControllerOf(ObjectAt(AsObject(document), "metadata")), "kind"));
}

class Adoption : public ::testing::TestWithParam<Workload> {
 protected:
  Adoption() {
    cluster_.AddNodes(2);
    cluster_.Apply(Manifest(GetParam()));
    pods_ = cluster_.Names(Pods());
  }

  TestCluster cluster_{{.job_run = Duration::Seconds(600)}};
  std::vector<std::string> pods_;
};

TEST_P(Adoption, APodWithoutItsOwnerIsAdoptedAgain) {
  ASSERT_FALSE(pods_.empty());
  const std::vector<std::string> uids = Uids(cluster_);
  const std::string owner = OwnerKind(cluster_, pods_.front());
  ASSERT_NE(owner, "");
  cluster_.Merge("pods", pods_.front(), "{'metadata':{'ownerReferences':null}}");
  ASSERT_EQ(OwnerKind(cluster_, pods_.front()), "");
  cluster_.Run();
  EXPECT_EQ(OwnerKind(cluster_, pods_.front()), owner);
  EXPECT_EQ(Uids(cluster_), uids);
}

TEST_P(Adoption, APodWithOtherLabelsIsReleased) {
  ASSERT_FALSE(pods_.empty());
  cluster_.Merge("pods", pods_.front(),
                 "{'metadata':{'labels':{'app':'other','batch.kubernetes.io/controller-uid':null,"
                 "'controller-uid':null}}}");
  cluster_.Run();
  EXPECT_EQ(OwnerKind(cluster_, pods_.front()), "");
}

TEST_P(Adoption, PodsOfADeletedWorkloadBelongToTheNext) {
  if (GetParam().resource == "jobs.batch") return;  // Its selector has its uid.
  const std::vector<std::string> uids = Uids(cluster_);
  cluster_.Delete(GetParam().resource, "web", {.propagation_policy = "Orphan"});
  cluster_.Run();
  cluster_.Apply(Manifest(GetParam()));
  cluster_.AdvanceSeconds(5);
  EXPECT_EQ(Uids(cluster_), uids);
  for (const std::string& pod : pods_) EXPECT_NE(OwnerKind(cluster_, pod), "");
}

TEST_P(Adoption, NothingIsLeftOfADeletedWorkload) {
  cluster_.Delete(GetParam().resource, "web", {.propagation_policy = "Background"});
  cluster_.AdvanceSeconds(60);
  for (const std::string& node : cluster_.Names(Nodes())) cluster_.Delete("nodes", node);
  cluster_.AdvanceSeconds(3600);
  EXPECT_EQ(cluster_.ShowPods(), "");
  for (const std::string& size : cluster_.Leftovers()) {
    EXPECT_THAT(size, ::testing::Not(::testing::ContainsRegex("^(jobs|daemon-sets|stateful-sets|"
                                                              "deployments|replica-sets)")));
  }
}

constexpr std::string_view kSelector = "selector: {matchLabels: {app: web}}\n  replicas: 2";
INSTANTIATE_TEST_SUITE_P(
    Workloads, Adoption,
    ::testing::Values(
        Workload{"ReplicaSet", "replicasets.apps", "apiVersion: apps/v1\nkind: ReplicaSet",
                 kSelector},
        Workload{"ReplicationController", "replicationcontrollers",
                 "apiVersion: v1\nkind: ReplicationController",
                 "selector: {app: web}\n  replicas: 2"},
        Workload{"StatefulSet", "statefulsets.apps", "apiVersion: apps/v1\nkind: StatefulSet",
                 kSelector},
        Workload{"DaemonSet", "daemonsets.apps", "apiVersion: apps/v1\nkind: DaemonSet",
                 "selector: {matchLabels: {app: web}}"},
        Workload{"Deployment", "deployments.apps", "apiVersion: apps/v1\nkind: Deployment",
                 kSelector},
        Workload{"Job", "jobs.batch", "apiVersion: batch/v1\nkind: Job", "parallelism: 2"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(StatefulSetAdoption, PodsOfOtherNamesStayOrphans) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods",
               "{'metadata':{'name':'other','labels':{'app':'web'}},"
               "'spec':{'containers':[{'name':'c','image':'i'}]}}");
  cluster.Apply(Manifest({.name = "",
                          .resource = "statefulsets.apps",
                          .kind = "apiVersion: apps/v1\nkind: StatefulSet",
                          .selector = kSelector}));
  EXPECT_EQ(OwnerKind(cluster, "other"), "");
  EXPECT_EQ(cluster.ShowPods(), "1 other Running, 1 web-0 Running, 1 web-1 Running");
}

TEST(ReplicationControllerAdoption, FollowsAChangedSelector) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Manifest({.name = "",
                          .resource = "replicationcontrollers",
                          .kind = "apiVersion: v1\nkind: ReplicationController",
                          .selector = "selector: {app: web}\n  replicas: 2"}));
  const std::string pod = cluster.Names(Pods()).front();
  cluster.Merge("replicationcontrollers", "web",
                "{'spec':{'selector':{'app':'new'},'template':{'metadata':{'labels':"
                "{'app':'new'}}}}}");
  cluster.Run();
  EXPECT_EQ(OwnerKind(cluster, pod), "");
  EXPECT_EQ(cluster.ShowPods(), "4 web-* Running");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
