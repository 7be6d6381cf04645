#include "localcluster/coscheduling_status.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: podgroups.scheduling.x-k8s.io, annotations: {api-approved.kubernetes.io: unapproved}}
spec:
  group: scheduling.x-k8s.io
  scope: Namespaced
  names: {plural: podgroups, kind: PodGroup}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {minMember: {type: integer}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
)";

constexpr std::string_view kLabel = "scheduling.x-k8s.io/pod-group";

// A cluster with scheduler-plugins' definition. Pods run for ten seconds.
struct GroupCluster : TestCluster {
  GroupCluster() : TestCluster({.leases = false, .start_delay = Duration::Seconds(5)}) {
    AddNodes(2);
    Apply(kDefinition);
  }

  void AddGroup(int min_member) {
    Apply(
        fmt::format("{{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: "
                    "{{name: g}}, spec: {{minMember: {}}}}}",
                    min_member));
  }
  void AddPod(std::string_view name, std::string_view exit_code = "0",
              std::string_view label = kLabel) {
    Apply(fmt::format(R"(
apiVersion: v1
kind: Pod
metadata:
  name: {}
  labels: {{{}: g}}
  annotations: {{berth.dev/run-seconds: '10', berth.dev/exit-code: '{}'}}
spec: {{restartPolicy: Never, containers: [{{name: c, image: nginx}}]}}
)",
                      name, label, exit_code));
  }
  api::scheme::KindPtr Groups() const {
    return api.kinds()->Find("scheduling.x-k8s.io", "v1alpha1", "podgroups");
  }
  apiserver::store::ObjectPtr Group() const {
    return store->Get(Groups()->collection, {"default", "g"});
  }
  // Returns the group's status as "Running running=3".
  std::string Status() const {
    const Json document = apiserver::store::Parse(*Group());
    const JsonObject* status = ObjectAt(AsObject(document), "status");
    std::string text(StringAt(status, "phase"));
    for (const std::string_view key : {"running", "succeeded", "failed"}) {
      if (const auto count = IntAt(status, key)) text += fmt::format(" {}={}", key, *count);
    }
    if (At(status, "occupiedBy")) text += fmt::format(" by {}", StringAt(status, "occupiedBy"));
    return text;
  }
  void PatchStatus(std::string_view patch) {
    const auto done =
        api.Patch(*Groups(), {"default", "g"}, "status", apiserver::patch::PatchType::kMerge,
                  apiserver::registry::Doc(patch));
    ASSERT_EQ(apiserver::registry::ErrorOf(done), "ok");
    Run();
  }
  void Relabel(std::string_view pod, std::string_view value) {
    const auto done =
        Merge("pods", pod, fmt::format("{{'metadata':{{'labels':{{'{}':{}}}}}}}", kLabel, value));
    ASSERT_EQ(apiserver::registry::ErrorOf(done), "ok");
    Run();
  }
};

TEST(CoschedulingStatus, FollowsThePodsUntilEnoughHaveSucceeded) {
  GroupCluster cluster;
  cluster.AddGroup(2);
  EXPECT_EQ(cluster.Status(), "Pending");
  cluster.AddPod("a");
  EXPECT_EQ(cluster.Status(), "Pending");
  cluster.AddPod("b");
  EXPECT_EQ(cluster.Status(), "Scheduling");
  cluster.AdvanceSeconds(5);
  EXPECT_EQ(cluster.Status(), "Running running=2");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Status(), "Finished succeeded=2");
  // It remains so.
  cluster.Delete("pods", "a");
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.Status(), "Finished succeeded=2");
}

TEST(CoschedulingStatus, APodThatFailsFailsTheGroup) {
  GroupCluster cluster;
  cluster.AddGroup(2);
  cluster.AddPod("a", "1");
  cluster.AddPod("b");
  cluster.AdvanceSeconds(15);
  const std::string status = cluster.Status();
  EXPECT_TRUE(status.starts_with("Failed ") && status.ends_with(" failed=1")) << status;
  cluster.AddPod("c");
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.Status(), status);
}

TEST(CoschedulingStatus, AFailureOfTooFewPodsIsNotFinal) {
  GroupCluster cluster;
  cluster.AddGroup(2);
  cluster.schedules_pods = false;
  cluster.AddPod("a", "1");
  cluster.AddPod("b");
  ASSERT_TRUE(cluster.Bind("a", "node-0"));
  cluster.AdvanceSeconds(15);
  EXPECT_EQ(cluster.Status(), "Scheduling failed=1");
  cluster.Delete("pods", "a");
  cluster.schedules_pods = true;
  cluster.AddPod("a");
  cluster.AdvanceSeconds(5);
  EXPECT_EQ(cluster.Status(), "Running running=2");
}

TEST(CoschedulingStatus, IsPendingAgainWithoutEnoughPods) {
  GroupCluster cluster;
  cluster.AddGroup(2);
  cluster.AddPod("a");
  cluster.AddPod("b");
  cluster.AdvanceSeconds(5);
  cluster.Delete("pods", "b");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.Status(), "Pending running=1");
  cluster.AddPod("b");
  EXPECT_EQ(cluster.Status(), "Scheduling running=1");
  // Labels and minMember may change.
  cluster.Relabel("b", "null");
  EXPECT_EQ(cluster.Status(), "Pending running=1");
  cluster.AddGroup(1);
  EXPECT_EQ(cluster.Status(), "Running running=1");
  cluster.Relabel("b", "'g'");
  cluster.AdvanceSeconds(5);
  EXPECT_EQ(cluster.Status(), "Running running=2");
}

TEST(CoschedulingStatus, CountsPodsThatCameFirst) {
  GroupCluster cluster;
  cluster.AddPod("a");
  cluster.AddPod("b", "0", "pod-group.scheduling.sigs.k8s.io");
  // One of another namespace is not a member.
  cluster.Make("namespaces", "{'metadata':{'name':'other'}}");
  cluster.Make("pods",
               "{'metadata':{'name':'c','labels':{'scheduling.x-k8s.io/pod-group':'g'}},"
               "'spec':{'containers':[{'name':'c','image':'i'}]}}",
               "other");
  cluster.AdvanceSeconds(5);
  cluster.AddGroup(2);
  EXPECT_EQ(cluster.Status(), "Running running=2");
}

TEST(CoschedulingStatus, NamesTheOwnersOfAPod) {
  GroupCluster cluster;
  cluster.Apply(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  parallelism: 2
  completions: 2
  template:
    metadata: {labels: {scheduling.x-k8s.io/pod-group: g}}
    spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}
)");
  cluster.AddGroup(2);
  EXPECT_EQ(cluster.Status(), "Scheduling by default/work");
  cluster.AdvanceSeconds(15);
  EXPECT_EQ(cluster.Status(), "Finished succeeded=2 by default/work");
}

TEST(CoschedulingStatus, LeavesAGroupAloneThatStartedTooLate) {
  GroupCluster cluster;
  cluster.AddGroup(2);
  cluster.PatchStatus("{'status':{'scheduleStartTime':'2026-01-03T00:00:01Z'}}");
  cluster.AddPod("a");
  cluster.AddPod("b");
  cluster.AdvanceSeconds(5);
  EXPECT_EQ(cluster.Status(), "Pending");
  EXPECT_THAT(cluster.EventsOf("g"),
              ElementsAre(StartsWith("Warning Timeout schedule time longer than 48")));
  cluster.PatchStatus("{'status':{'scheduleStartTime':'2026-01-03T00:00:00Z'}}");
  EXPECT_EQ(cluster.Status(), "Running running=2");
}

TEST(CoschedulingStatus, WritesOnlyChanges) {
  GroupCluster cluster;
  cluster.AddGroup(1);
  cluster.AddPod("a");
  cluster.AdvanceSeconds(5);
  const auto version = cluster.Group()->version;
  ASSERT_EQ(apiserver::registry::ErrorOf(
                cluster.Merge("pods", "a", "{'metadata':{'annotations':{'note':'x'}}}")),
            "ok");
  cluster.Run();
  EXPECT_EQ(cluster.Group()->version, version);
}

TEST(CoschedulingStatus, NothingIsLeftOfADefinitionThatGoes) {
  GroupCluster cluster;
  const auto before = cluster.local_cluster.Sizes();
  cluster.AddGroup(2);
  cluster.AddPod("a");
  cluster.AddPod("b");
  cluster.Delete("customresourcedefinitions.apiextensions.k8s.io", "podgroups.scheduling.x-k8s.io");
  cluster.Run();
  cluster.Delete("pods", "a");
  cluster.Delete("pods", "b");
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.local_cluster.Sizes(), before);
  // Pods of no group are not indexed.
  cluster.AddPod("c");
  EXPECT_THAT(cluster.local_cluster.Sizes(), Contains("coscheduling-status=0"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
