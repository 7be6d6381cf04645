#include "localcluster/workload_expansion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/json/yaml.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Instant kNow = Instant::FromUnixSeconds(1'767'225'600);

Json FromYaml(std::string_view yaml) {
  const auto documents = api::YamlToJson(yaml);
  EXPECT_TRUE(documents) << documents.error().message;
  return *api::ParseJson(documents->front());
}

class WorkloadExpansionTest : public ::testing::Test {
 protected:
  Result<std::vector<Json>> Expand(std::string_view yaml) {
    auto expanded = ExpandAll(yaml);
    if (!expanded) return std::unexpected(expanded.error());
    return std::move(expanded->objects);
  }

  Result<WorkloadExpansion::Expanded> ExpandAll(std::string_view yaml) {
    Json workload = FromYaml(yaml);
    const JsonObject* fields = AsObject(workload);
    const api::scheme::Kind* kind =
        api::scheme::FindKindByName(StringAt(fields, "apiVersion"), StringAt(fields, "kind"));
    EXPECT_TRUE(kind != nullptr && IsWorkload(*kind));
    return expansion_.Expand(*kind, std::move(workload));
  }

  // Returns "Pod web-1" for each object.
  std::vector<std::string> Names(std::string_view yaml) {
    created_ = Expand(yaml);
    std::vector<std::string> names;
    if (!created_) return {created_.error().message};
    for (const Json& object : *created_) {
      names.push_back(fmt::format("{} {}", StringAt(AsObject(object), "kind"),
                                  StringAt(ObjectAt(AsObject(object), "metadata"), "name")));
    }
    return names;
  }

  void Add(std::string_view yaml) {
    const Json object = FromYaml(yaml);
    const JsonObject* fields = AsObject(object);
    expansion_.AddObject(
        *api::scheme::FindKindByName(StringAt(fields, "apiVersion"), StringAt(fields, "kind")),
        object.get_object());
  }

  const JsonObject& Last() const { return created_->back().get_object(); }

  WorkloadExpansion expansion_{kNow};
  Result<std::vector<Json>> created_;
};

std::string Workload(std::string_view version, std::string_view kind, std::string_view spec) {
  return fmt::format(
      "apiVersion: {}\nkind: {}\nmetadata: {{name: web}}\nspec:\n"
      "  selector: {{matchLabels: {{app: web}}}}\n"
      "  template:\n"
      "    metadata: {{labels: {{app: web}}}}\n"
      "    spec: {{containers: [{{name: c, image: i}}]}}\n{}",
      version, kind, spec);
}

TEST_F(WorkloadExpansionTest, ADeploymentGetsAReplicaSetAndPods) {
  const std::vector<std::string> names =
      Names(Workload("apps/v1", "Deployment", "  replicas: 2\n"));
  ASSERT_EQ(names.size(), 3U) << fmt::format("{}", fmt::join(names, "\n"));
  const std::string hash(
      StringAt(ObjectAt(ObjectAt(&Last(), "metadata"), "labels"), "pod-template-hash"));
  EXPECT_FALSE(hash.empty());
  EXPECT_THAT(names, ElementsAre("ReplicaSet web-" + hash, "Pod web-" + hash + "-1",
                                 "Pod web-" + hash + "-2"));
  const JsonObject* owner = ControllerOf(ObjectAt(&Last(), "metadata"));
  EXPECT_EQ(StringAt(owner, "kind"), "ReplicaSet");
  EXPECT_EQ(StringAt(owner, "name"), "web-" + hash);
}

TEST_F(WorkloadExpansionTest, PodsAreNumberedByTheirOwnWorkload) {
  const std::string other = Workload("apps/v1", "ReplicaSet", "  replicas: 3\n");
  std::string named = other;
  named.replace(named.find("name: web"), 9, "name: api");
  EXPECT_THAT(Names(named), ElementsAre("Pod api-1", "Pod api-2", "Pod api-3"));
  EXPECT_THAT(Names(Workload("apps/v1", "ReplicaSet", "  replicas: 1\n")),
              ElementsAre("Pod web-1"));
}

TEST_F(WorkloadExpansionTest, AStatefulSetGetsAllPodsAndTheirClaims) {
  EXPECT_THAT(
      Names("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n"
            "  replicas: 2\n"
            "  serviceName: db\n"
            "  selector: {matchLabels: {app: db}}\n"
            "  template:\n"
            "    metadata: {labels: {app: db}}\n"
            "    spec:\n"
            "      containers:\n"
            "      - {name: c, image: i, volumeMounts: [{name: data, mountPath: /data}]}\n"
            "  volumeClaimTemplates:\n"
            "  - metadata: {name: data}\n"
            "    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"),
      ElementsAre("PersistentVolumeClaim data-db-0", "PersistentVolumeClaim data-db-1", "Pod db-0",
                  "Pod db-1"));
  const JsonArray* volumes = ArrayAt(ObjectAt(&Last(), "spec"), "volumes");
  ASSERT_NE(volumes, nullptr);
  EXPECT_EQ(StringAt(ObjectAt(AsObject((*volumes)[0]), "persistentVolumeClaim"), "claimName"),
            "data-db-1");
}

TEST_F(WorkloadExpansionTest, ADaemonSetGetsAPodForEachEligibleNode) {
  Add("apiVersion: v1\nkind: Node\nmetadata: {name: a, uid: u1}\n");
  Add("apiVersion: v1\nkind: Node\nmetadata: {name: b, uid: u2}\n"
      "spec: {taints: [{key: gpu, effect: NoSchedule}]}\n");
  Add("apiVersion: v1\nkind: Node\nmetadata: {name: c, uid: u3}\n"
      "spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: "
      "NoSchedule}]}\n");
  EXPECT_THAT(Names(Workload("apps/v1", "DaemonSet", "")), ElementsAre("Pod web-1", "Pod web-2"));
  const JsonObject* affinity =
      ObjectAt(ObjectAt(ObjectAt(&Last(), "spec"), "affinity"), "nodeAffinity");
  EXPECT_NE(At(affinity, "requiredDuringSchedulingIgnoredDuringExecution"), nullptr);
  EXPECT_FALSE(EmptyAt(ObjectAt(&Last(), "spec"), "tolerations"));
}

constexpr std::string_view kJobSpec =
    "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}";

std::string Job(std::string_view more) {
  return fmt::format("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: sum}}\nspec: {{{}{}}}\n",
                     more, kJobSpec);
}

TEST_F(WorkloadExpansionTest, AJobGetsThePodsThatRunAtOnce) {
  EXPECT_THAT(Names(Job("parallelism: 3, completions: 2, ")),
              ElementsAre("Pod sum-1", "Pod sum-2"));
}

TEST_F(WorkloadExpansionTest, ASuspendedJobGetsNone) {
  EXPECT_THAT(Names(Job("suspend: true, ")), IsEmpty());
}

TEST_F(WorkloadExpansionTest, AJobOfADumpIsCreatedAnew) {
  EXPECT_THAT(Names("apiVersion: batch/v1\nkind: Job\n"
                    "metadata: {name: sum, uid: old, resourceVersion: '7'}\n"
                    "spec:\n"
                    "  selector: {matchLabels: {batch.kubernetes.io/controller-uid: old}}\n"
                    "  template:\n"
                    "    metadata: {labels: {batch.kubernetes.io/controller-uid: old}}\n"
                    "    spec: {restartPolicy: Never, containers: [{name: c, image: i}]}\n"
                    "status: {active: 1}\n"),
              ElementsAre("Pod sum-1"));
}

TEST_F(WorkloadExpansionTest, ACronJobRunsOnce) {
  const std::string spec = fmt::format(
      "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: nightly}}\nspec:\n"
      "  schedule: '0 3 * * *'\n"
      "  jobTemplate: {{metadata: {{labels: {{a: b}}}}, spec: {{{}}}}}\n",
      kJobSpec);
  // The minutes since 1970.
  EXPECT_THAT(Names(spec), ElementsAre("Pod nightly-29453760-1"));
  EXPECT_THAT(Names(spec + "  suspend: true\n"), ElementsAre(HasSubstr("already exists")));
}

TEST_F(WorkloadExpansionTest, ASuspendedCronJobDoesNotRun) {
  EXPECT_THAT(
      Names(fmt::format("apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: nightly}}\n"
                        "spec: {{schedule: '0 3 * * *', suspend: true, jobTemplate: {{spec: "
                        "{{{}}}}}}}\n",
                        kJobSpec)),
      IsEmpty());
}

TEST_F(WorkloadExpansionTest, AReplicaSetAdoptsPods) {
  Add("apiVersion: v1\nkind: Pod\nmetadata: {name: old, namespace: default, uid: u, labels: {app: "
      "web}}\nspec: {containers: [{name: c, image: i}]}\nstatus: {phase: Pending}\n");
  EXPECT_THAT(Names(Workload("apps/v1", "ReplicaSet", "  replicas: 2\n")),
              ElementsAre("Pod web-1"));
}

TEST_F(WorkloadExpansionTest, AnInvalidWorkloadIsAnError) {
  EXPECT_THAT(Names("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
                    "spec: {template: {spec: {containers: [{name: c, image: i}]}}}\n"),
              ElementsAre(HasSubstr("spec.selector: Required value")));
}

TEST_F(WorkloadExpansionTest, PodsOfAMissingClassAreRefused) {
  std::string yaml = Workload("apps/v1", "Deployment", "  replicas: 2\n");
  const std::string containers = "{containers:";
  yaml.replace(yaml.find(containers), containers.size(), "{priorityClassName: high, containers:");
  const auto expanded = ExpandAll(yaml);
  ASSERT_TRUE(expanded) << expanded.error().message;
  EXPECT_THAT(expanded->refused, HasSubstr("no PriorityClass with name high was found"));
  EXPECT_EQ(expanded->wanted, 2);
  EXPECT_EQ(expanded->created, 0);
}

TEST_F(WorkloadExpansionTest, AQuotaRefusesThePodsBeyondIt) {
  Add("apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n");
  Add("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: default}\n"
      "spec: {hard: {pods: '3'}}\nstatus: {hard: {pods: '3'}, used: {pods: '1'}}\n");
  const auto expanded = ExpandAll(Workload("apps/v1", "Deployment", "  replicas: 4\n"));
  ASSERT_TRUE(expanded) << expanded.error().message;
  EXPECT_EQ(expanded->objects.size(), 3U);  // The ReplicaSet and two pods.
  EXPECT_THAT(expanded->refused, HasSubstr("exceeded quota: team, requested: pods=1, used: pods=3, "
                                           "limited: pods=3"));
  EXPECT_EQ(expanded->wanted, 4);
  EXPECT_EQ(expanded->created, 2);
}

TEST_F(WorkloadExpansionTest, ALimitRangeSetsRequestsAndRefuses) {
  Add("apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n");
  Add("apiVersion: v1\nkind: LimitRange\nmetadata: {name: small, namespace: default}\n"
      "spec: {limits: [{type: Container, max: {cpu: '2'}, default: {cpu: '1'}, "
      "defaultRequest: {cpu: 500m}}]}\n");
  auto expanded = ExpandAll(Workload("apps/v1", "ReplicaSet", "  replicas: 1\n"));
  ASSERT_TRUE(expanded) << expanded.error().message;
  EXPECT_EQ(expanded->refused, "");
  ASSERT_EQ(expanded->objects.size(), 1U);
  EXPECT_THAT(api::ToJsonText(expanded->objects[0]), HasSubstr(R"("requests":{"cpu":"500m"})"));
  std::string yaml = Workload("apps/v1", "Deployment", "  replicas: 1\n");
  const std::string image = "image: i";
  yaml.replace(yaml.find(image), image.size(), "image: i, resources: {limits: {cpu: '3'}}");
  expanded = ExpandAll(yaml);
  ASSERT_TRUE(expanded) << expanded.error().message;
  EXPECT_THAT(expanded->refused, HasSubstr("maximum cpu usage per Container is 2, but limit is 3"));
}

TEST_F(WorkloadExpansionTest, TheNumberOfPodsIsLimited) {
  EXPECT_THAT(Names(Workload("apps/v1", "Deployment", "  replicas: 2000000000\n")),
              ElementsAre("it has 2000000000 pods; at most 150000 are created for all workloads "
                          "together"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
