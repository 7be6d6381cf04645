#include "cmd/offline_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/json/yaml.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Instant kStart = Instant::FromUnixSeconds(1000);

std::vector<api::Object> Decode(const std::string& yaml) {
  auto decoded = api::DecodeObjects(yaml, "test");
  EXPECT_TRUE(decoded.has_value()) << decoded.error().message;
  return decoded.value_or(std::vector<api::Object>());
}

std::vector<api::Object> Admit(const std::string& yaml) {
  auto admitted = AdmitAll(Decode(yaml), kStart);
  EXPECT_TRUE(admitted.has_value()) << admitted.error().message;
  return admitted.value_or(std::vector<api::Object>());
}

template <typename T>
const T& Get(const std::vector<api::Object>& objects, const std::string& name) {
  for (const api::Object& object : objects) {
    const auto* found = std::get_if<api::Ref<T>>(&object);
    if (found != nullptr && (*found)->metadata.name == name) return **found;
  }
  ADD_FAILURE() << "no object " << name;
  static const T kNone;
  return kNone;
}

// The admitted pod "p" whose spec is `spec`, indented by two spaces.
api::Pod AdmitPodWith(const std::string& spec, const std::string& others = "") {
  return Get<api::Pod>(Admit(others +
                             "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n"
                             "  labels: {app: web, version: v2}\nspec:\n" +
                             spec),
                       "p");
}

constexpr const char* kClasses = R"(
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
preemptionPolicy: Never
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: usual}
value: 7
globalDefault: true
)";

TEST(AdmitPod, FillsInTheOrdinary) {
  const api::Pod pod = AdmitPodWith("  containers: [{name: c, image: i}]\n");
  EXPECT_EQ(pod.metadata.namespace_, "default");
  EXPECT_EQ(pod.spec.scheduler_name, "default-scheduler");
  EXPECT_EQ(pod.spec.priority, 0);
  EXPECT_EQ(pod.spec.preemption_policy, "PreemptLowerPriority");
  EXPECT_EQ(pod.status.phase, "Pending");
  EXPECT_EQ(pod.metadata.creation_timestamp, kStart);
}

TEST(AdmitPod, KeepsWhatIsGiven) {
  const api::Pod pod = AdmitPodWith(
      "  schedulerName: mine\n  priority: 5\n  preemptionPolicy: Never\n"
      "  containers: [{name: c, image: i}]\n");
  EXPECT_EQ(pod.spec.scheduler_name, "mine");
  EXPECT_EQ(pod.spec.priority, 5);
  EXPECT_EQ(pod.spec.preemption_policy, "Never");
}

struct PriorityCase {
  const char* spec;
  const char* classes;
  int32_t priority;
  const char* class_name;
  const char* policy;
};

TEST(AdmitPod, ResolvesPriorityClasses) {
  const PriorityCase cases[] = {
      {"  priorityClassName: high\n", kClasses, 1000, "high", "Never"},
      {"  priorityClassName: high\n  preemptionPolicy: PreemptLowerPriority\n", kClasses, 1000,
       "high", "PreemptLowerPriority"},
      {"  priorityClassName: high\n  priority: 1000\n", kClasses, 1000, "high", "Never"},
      {"  priorityClassName: gone\n  priority: 4\n", kClasses, 4, "gone", "PreemptLowerPriority"},
      {"  containers: []\n", kClasses, 7, "usual", "PreemptLowerPriority"},
      {"  containers: []\n", "", 0, "", "PreemptLowerPriority"},
      {"  priorityClassName: system-node-critical\n", "", 2000001000, "system-node-critical",
       "PreemptLowerPriority"},
      {"  priorityClassName: system-cluster-critical\n", "", 2000000000, "system-cluster-critical",
       "PreemptLowerPriority"},
  };
  for (const PriorityCase& c : cases) {
    const api::Pod pod = AdmitPodWith(c.spec, c.classes);
    EXPECT_EQ(pod.spec.priority, c.priority) << c.spec;
    EXPECT_EQ(pod.spec.priority_class_name, c.class_name) << c.spec;
    EXPECT_EQ(pod.spec.preemption_policy, c.policy) << c.spec;
  }
}

TEST(AdmitPod, RejectsUnknownAndContradictedClasses) {
  const std::string pod =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: team}\nspec:\n";
  auto unknown = AdmitAll(Decode(pod + "  priorityClassName: gone\n"), kStart);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(
      unknown.error().message,
      HasSubstr(
          "Pod \"team/p\": spec.priorityClassName: no PriorityClass with name gone was found"));
  auto contradicted =
      AdmitAll(Decode(kClasses + pod + "  priorityClassName: high\n  priority: 5\n"), kStart);
  ASSERT_FALSE(contradicted.has_value());
  EXPECT_THAT(
      contradicted.error().message,
      HasSubstr("the integer value of priority (5) must not be provided in pod spec; priority "
                "admission controller computed 1000 from the given PriorityClass name"));
}

TEST(AdmitPod, RequestsComeFromLimits) {
  const api::Pod pod = AdmitPodWith(R"(
  initContainers:
  - {name: i, image: i, resources: {limits: {cpu: 2}}}
  containers:
  - {name: c, image: i, resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Gi}}}
)");
  const auto& requests = pod.spec.containers.at(0).resources.requests;
  EXPECT_EQ(requests.at("cpu").ToString(), "1");
  EXPECT_EQ(requests.at("memory").ToString(), "1Gi");
  EXPECT_EQ(pod.spec.init_containers.at(0).resources.requests.at("cpu").ToString(), "2");
}

TEST(AdmitPod, PodLevelRequestsComeFromContainersThenLimits) {
  const api::Pod pod = AdmitPodWith(R"(
  overhead: {cpu: 100m}
  resources: {limits: {cpu: 4, memory: 2Gi}}
  containers:
  - {name: a, image: i, resources: {requests: {cpu: 1}}}
  - {name: b, image: i, resources: {requests: {cpu: 500m}}}
)");
  const auto& requests = pod.spec.resources->requests;
  EXPECT_EQ(requests.at("cpu").MilliValue(), 1500);
  EXPECT_EQ(requests.at("memory").ToString(), "2Gi");
}

TEST(AdmitPod, HostNetworkPutsPortsOnTheHost) {
  const char* ports = "  containers: [{name: c, image: i, ports: [{containerPort: 80}]}]\n";
  EXPECT_EQ(AdmitPodWith(ports).spec.containers[0].ports[0].host_port, 0);
  const api::Pod pod = AdmitPodWith(std::string("  hostNetwork: true\n") + ports);
  EXPECT_EQ(pod.spec.containers[0].ports[0].host_port, 80);
  EXPECT_EQ(pod.spec.containers[0].ports[0].protocol, "TCP");
}

TEST(AdmitPod, ToleratesNodesThatJustWentAway) {
  const api::Pod pod = AdmitPodWith(
      "  containers: []\n"
      "  tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: "
      "NoExecute}]\n");
  ASSERT_EQ(pod.spec.tolerations.size(), 2U);
  EXPECT_FALSE(pod.spec.tolerations[0].toleration_seconds.has_value());
  EXPECT_EQ(pod.spec.tolerations[1].key, "node.kubernetes.io/unreachable");
  EXPECT_EQ(pod.spec.tolerations[1].toleration_seconds, 300);
  EXPECT_EQ(AdmitPodWith("  tolerations: [{operator: Exists}]\n").spec.tolerations.size(), 1U);
}

TEST(AdmitPod, MergesLabelKeysOnce) {
  const char* spec = R"(
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: zone
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {app: web}}
    matchLabelKeys: [version, absent]
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        labelSelector: {matchLabels: {app: web}}
        mismatchLabelKeys: [version]
)";
  const api::Pod pod = AdmitPodWith(spec);
  const api::LabelSelectorRequirement in{"version", "In", {"v2"}};
  const api::LabelSelectorRequirement not_in{"version", "NotIn", {"v2"}};
  const auto& constraint = pod.spec.topology_spread_constraints.at(0);
  EXPECT_THAT(constraint.label_selector->match_expressions, ElementsAre(in));
  const auto& term = pod.spec.affinity->pod_anti_affinity->required.at(0);
  EXPECT_THAT(term.label_selector->match_expressions, ElementsAre(not_in));

  const auto again = AdmitPod(pod, {});
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ((*again)->spec, pod.spec);

  // A feature gate leaves the constraints as they are.
  api::Pod original = pod;
  original.spec.topology_spread_constraints[0].label_selector->match_expressions.clear();
  const auto unmerged =
      AdmitPod(original, {}, {.match_label_keys_in_pod_topology_spread_selector_merge = false});
  ASSERT_TRUE(unmerged.has_value());
  EXPECT_EQ((*unmerged)->spec, original.spec);
}

TEST(AdmitNode, TakesAllocatableFromCapacity) {
  const auto objects = Admit(R"(
apiVersion: v1
kind: Node
metadata: {name: a}
status: {capacity: {cpu: 4, memory: 8Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {kubernetes.io/hostname: other}}
status: {capacity: {cpu: 4}, allocatable: {cpu: 3, pods: 20}}
)");
  const auto& a = Get<api::Node>(objects, "a");
  EXPECT_EQ(a.status.allocatable.at("cpu").ToString(), "4");
  EXPECT_EQ(a.status.allocatable.at("pods").ToString(), "110");
  EXPECT_EQ(a.metadata.labels.at("kubernetes.io/hostname"), "a");
  const auto& b = Get<api::Node>(objects, "b");
  EXPECT_EQ(b.status.allocatable.at("cpu").ToString(), "3");
  EXPECT_EQ(b.status.allocatable.at("pods").ToString(), "20");
  EXPECT_EQ(b.metadata.labels.at("kubernetes.io/hostname"), "other");
}

TEST(AdmitAll, AddsMissingNamespacesAndLabelsThem) {
  const auto objects = Admit(
      "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: team}}\n---\n"
      "{apiVersion: v1, kind: Namespace, metadata: {name: given}}\n");
  ASSERT_EQ(objects.size(), 3U);
  EXPECT_EQ(Get<api::Namespace>(objects, "team").metadata.labels.at("kubernetes.io/metadata.name"),
            "team");
  EXPECT_EQ(Get<api::Namespace>(objects, "given").metadata.labels.at("kubernetes.io/metadata.name"),
            "given");
}

TEST(AdmitAll, ClaimsGetTheDefaultStorageClass) {
  const auto objects = Admit(R"(
{apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: x, metadata: {name: fast,
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: b}, spec: {storageClassName: ""}}
)");
  EXPECT_EQ(Get<api::PersistentVolumeClaim>(objects, "a").storage_class_name, "fast");
  EXPECT_EQ(Get<api::PersistentVolumeClaim>(objects, "b").storage_class_name, "");
}

TEST(AdmitAll, GroupsHaveThePriorityOfTheirClass) {
  const std::string yaml = R"(
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 70}
---
{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: a},
  spec: {schedulingPolicy: {basic: {}}, priorityClassName: urgent}}
---
{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: b},
  spec: {schedulingPolicy: {gang: {minCount: 2}}}}
)";
  EXPECT_EQ(Get<api::PodGroup>(Admit(yaml), "a").priority_value, std::nullopt)
      << "without the feature they have none";
  scheduler::model::Features features;
  features.workload_aware_preemption = true;
  const auto objects = AdmitAll(Decode(yaml), kStart, features);
  ASSERT_TRUE(objects.has_value()) << objects.error().message;
  EXPECT_EQ(Get<api::PodGroup>(*objects, "a").priority_value, 70);
  EXPECT_EQ(Get<api::PodGroup>(*objects, "b").priority_value, 0);
  EXPECT_EQ(Get<api::PodGroup>(*objects, "b").min_count, 2);
}

TEST(AdmitAll, UidsDifferAndRepeat) {
  const char* yaml =
      "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n"
      "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: other}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: b, uid: mine}}\n";
  const auto once = Admit(yaml);
  const auto twice = Admit(yaml);
  std::vector<std::string> uids;
  for (size_t i = 0; i < once.size(); ++i) {
    uids.push_back(api::MetaOf(once[i]).uid);
    EXPECT_EQ(uids.back(), api::MetaOf(twice[i]).uid);
  }
  EXPECT_EQ(uids[3], "mine");
  EXPECT_EQ(uids[0].size(), 36U);
  EXPECT_EQ(std::set<std::string>(uids.begin(), uids.end()).size(), uids.size());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
