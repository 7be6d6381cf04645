#include <gtest/gtest.h>

#include <utility>

#include "api/json/decode.h"
#include "api/json/encode.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

Quantity Amount(const char* text) { return Quantity::Parse(text).value(); }

LabelSelector AppIs(const char* app) {
  return {.match_labels = {{"app", app}}, .match_expressions = {}};
}

// Every field that Berth reads, and a few that it ignores.
constexpr const char* kFullPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {
    "name": "web-1", "namespace": "shop", "uid": "u-1", "resourceVersion": "77", "generation": 3,
    "creationTimestamp": "2026-03-01T08:00:04Z", "deletionTimestamp": "2026-03-01T08:00:05Z",
    "labels": {"app": "web", "tier": ""}, "annotations": {"note": "a \"quoted\" \u00e9"},
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u-0",
                         "controller": true, "blockOwnerDeletion": true}],
    "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {"f:containers": {}}}}]
  },
  "spec": {
    "nodeName": "n1", "schedulerName": "berth", "priority": -5, "priorityClassName": "high",
    "preemptionPolicy": "Never", "dnsPolicy": "ClusterFirst",
    "initContainers": [{"name": "side", "restartPolicy": "Always",
                        "restartPolicyRules": [
                          {"action": "Restart", "exitCodes": {"operator": "In"}}]}],
    "containers": [{
      "name": "main", "image": "nginx:1", "env": [{"name": "A", "value": "b"}],
      "resources": {"requests": {"cpu": "250m", "memory": 1024},
                    "limits": {"example.com/gpu": " 2 "}},
      "ports": [{"containerPort": 80, "hostPort": 8080, "hostIP": "10.0.0.1", "protocol": "TCP"}]}],
    "resources": {"requests": {"cpu": 0.5}},
    "overhead": {"cpu": "10m"},
    "nodeSelector": {"disk": "ssd"},
    "affinity": {
      "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
           "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n9"]}]}]},
        "preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 10, "preference": {
             "matchExpressions": [{"key": "gpu", "operator": "Exists"}]}}]},
      "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
          {"labelSelector": {"matchLabels": {"app": "db"}}, "namespaces": ["x"],
           "namespaceSelector": {}, "topologyKey": "zone", "matchLabelKeys": ["v"],
           "mismatchLabelKeys": ["t"]}]},
      "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 7, "podAffinityTerm": {
             "labelSelector": {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]},
             "topologyKey": "host"}}]}},
    "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoExecute",
                     "tolerationSeconds": 0}, {"operator": "Exists"}],
    "topologySpreadConstraints": [
      {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
       "labelSelector": {"matchLabels": {"app": "web"}}, "minDomains": 3,
       "nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor",
       "matchLabelKeys": ["pod-template-hash"]}],
    "schedulingGates": [{"name": "g1"}, {"name": "g2"}],
    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "c", "readOnly": true}}],
    "resourceClaims": [{"name": "r1", "resourceClaimName": "rc"},
                       {"name": "r2", "resourceClaimTemplateName": "rct"}],
    "hostNetwork": true, "hostUsers": false, "terminationGracePeriodSeconds": 30
  },
  "status": {
    "phase": "Running", "nominatedNodeName": "n2", "startTime": "2026-03-01T08:00:06Z",
    "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                    "message": "m",
                    "lastTransitionTime": "2026-03-01T08:00:07Z", "observedGeneration": 2}],
    "containerStatuses": [{"name": "main", "ready": true, "resources": {"requests": {"cpu": "1"}},
                           "allocatedResources": {"cpu": "2"}}],
    "initContainerStatuses": [{"name": "side"}],
    "resources": {"limits": {"memory": "1Gi"}},
    "allocatedResources": {"cpu": "3"},
    "resourceClaimStatuses": [{"name": "r2", "resourceClaimName": "web-1-r2"}]
  }
})";

ObjectMeta FullMeta() {
  return {.name = "web-1",
          .namespace_ = "shop",
          .uid = "u-1",
          .resource_version = "77",
          .generation = 3,
          .labels = {{"app", "web"}, {"tier", ""}},
          .annotations = {{"note", "a \"quoted\" \u00e9"}},
          .owner_references = {{.api_version = "apps/v1",
                                .kind = "ReplicaSet",
                                .name = "web",
                                .uid = "u-0",
                                .controller = true}},
          .creation_timestamp = Instant::FromUnixSeconds(1'772'352'004),
          .deletion_timestamp = Instant::FromUnixSeconds(1'772'352'005)};
}

Affinity FullAffinity() {
  Affinity affinity;
  affinity.node_affinity = {
      .required = NodeSelector{{{.match_expressions = {{"zone", "In", {"a", "b"}}},
                                 .match_fields = {{"metadata.name", "NotIn", {"n9"}}}}}},
      .preferred = {
          {.weight = 10,
           .preference = {.match_expressions = {{"gpu", "Exists", {}}}, .match_fields = {}}}}};
  affinity.pod_affinity = {.required = {{.label_selector = AppIs("db"),
                                         .namespaces = {"x"},
                                         .namespace_selector = LabelSelector(),
                                         .topology_key = "zone",
                                         .match_label_keys = {"v"},
                                         .mismatch_label_keys = {"t"}}},
                           .preferred = {}};
  PodAffinityTerm term;
  term.label_selector = {.match_labels = {}, .match_expressions = {{"app", "DoesNotExist", {}}}};
  term.topology_key = "host";
  affinity.pod_anti_affinity = {.required = {}, .preferred = {{.weight = 7, .term = term}}};
  return affinity;
}

PodSpec FullSpec() {
  Container side;
  side.name = "side";
  side.restart_policy = "Always";
  side.restart_policy_rule_actions = {"Restart"};
  Container main;
  main.name = "main";
  main.image = "nginx:1";
  main.resources.requests = {{"cpu", Amount("250m")}, {"memory", Amount("1024")}};
  main.resources.limits = {{"example.com/gpu", Amount("2")}};
  main.ports = {
      {.container_port = 80, .host_port = 8080, .host_ip = "10.0.0.1", .protocol = "TCP"}};

  PodSpec spec;
  spec.node_name = "n1";
  spec.scheduler_name = "berth";
  spec.priority = -5;
  spec.priority_class_name = "high";
  spec.preemption_policy = "Never";
  spec.init_containers = {side};
  spec.containers = {main};
  spec.resources = ResourceRequirements{.requests = {{"cpu", Amount("500m")}}, .limits = {}};
  spec.overhead = {{"cpu", Amount("10m")}};
  spec.node_selector = StringMap{{"disk", "ssd"}};
  spec.affinity = FullAffinity();
  spec.tolerations = {
      {.key = "k", .op = "Equal", .value = "v", .effect = "NoExecute", .toleration_seconds = 0},
      {.key = "", .op = "Exists", .value = "", .effect = "", .toleration_seconds = {}}};
  spec.topology_spread_constraints = {{.max_skew = 2,
                                       .topology_key = "zone",
                                       .when_unsatisfiable = "DoNotSchedule",
                                       .label_selector = AppIs("web"),
                                       .min_domains = 3,
                                       .node_affinity_policy = "Ignore",
                                       .node_taints_policy = "Honor",
                                       .match_label_keys = {"pod-template-hash"}}};
  spec.scheduling_gates = {"g1", "g2"};
  spec.volumes = {{"data", PersistentVolumeClaimSource{.claim_name = "c", .read_only = true}}};
  spec.resource_claims = {
      {.name = "r1", .resource_claim_name = "rc", .resource_claim_template_name = {}},
      {.name = "r2", .resource_claim_name = {}, .resource_claim_template_name = "rct"}};
  spec.host_network = true;
  spec.host_users = false;
  spec.termination_grace_period_seconds = 30;
  return spec;
}

PodStatus FullStatus() {
  PodStatus status;
  status.phase = "Running";
  status.nominated_node_name = "n2";
  status.start_time = Instant::FromUnixSeconds(1'772'352'006);
  status.conditions = {{.type = "PodScheduled",
                        .status = "False",
                        .reason = "Unschedulable",
                        .message = "m",
                        .last_transition_time = Instant::FromUnixSeconds(1'772'352'007),
                        .observed_generation = 2}};
  status.container_statuses = {
      {.name = "main",
       .resources = ResourceRequirements{.requests = {{"cpu", Amount("1")}}, .limits = {}},
       .allocated_resources = {{"cpu", Amount("2")}}}};
  status.init_container_statuses = {{.name = "side", .resources = {}, .allocated_resources = {}}};
  status.resources = ResourceRequirements{.requests = {}, .limits = {{"memory", Amount("1Gi")}}};
  status.allocated_resources = {{"cpu", Amount("3")}};
  status.resource_claim_statuses = {{.name = "r2", .resource_claim_name = "web-1-r2"}};
  return status;
}

TEST(DecodePod, ReadsEveryField) {
  const auto pod = DecodeJsonAs<Pod>(kFullPod);
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_EQ((*pod)->metadata, FullMeta());
  EXPECT_EQ((*pod)->spec.affinity, FullAffinity());
  EXPECT_EQ((*pod)->spec, FullSpec());
  EXPECT_EQ((*pod)->status, FullStatus());
}

TEST(EncodePod, WritesEveryField) {
  const Pod pod{.metadata = FullMeta(), .spec = FullSpec(), .status = FullStatus()};
  const auto again = DecodeJsonAs<Pod>(EncodeJson(pod));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(**again, pod);
}

struct VolumeCase {
  const char* name;
  const char* json;  // The members beside the volume's name.
  VolumeSource source;
};

class VolumeTest : public testing::TestWithParam<VolumeCase> {};

TEST_P(VolumeTest, RoundTrips) {
  const auto pod =
      DecodeJsonAs<Pod>(std::string(R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"v")") +
                        GetParam().json + "}]}}");
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  ASSERT_EQ((*pod)->spec.volumes.size(), 1u);
  EXPECT_EQ((*pod)->spec.volumes[0].name, "v");
  EXPECT_EQ((*pod)->spec.volumes[0].source, GetParam().source);
  const auto again = DecodeJsonAs<Pod>(EncodeJson(**pod));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(**again, **pod);
}

INSTANTIATE_TEST_SUITE_P(
    Sources, VolumeTest,
    testing::Values(
        VolumeCase{"None", "", OtherSource()},
        VolumeCase{"ConfigMap", R"(,"configMap":{"name":"x"})", OtherSource()},
        VolumeCase{"NullSource", R"(,"csi":null,"emptyDir":{})", OtherSource()},
        VolumeCase{"Claim", R"(,"persistentVolumeClaim":{"claimName":"c"})",
                   PersistentVolumeClaimSource{.claim_name = "c", .read_only = false}},
        VolumeCase{"Ephemeral", R"(,"ephemeral":{"volumeClaimTemplate":{"spec":{}}})",
                   EphemeralSource()},
        VolumeCase{"Csi", R"(,"csi":{"driver":"d","readOnly":true})",
                   CsiInlineSource{.driver = "d"}},
        VolumeCase{"Image", R"(,"image":{"reference":"r"})", ImageSource{.reference = "r"}},
        VolumeCase{"Gce", R"(,"gcePersistentDisk":{"pdName":"p","readOnly":true})",
                   GcePersistentDiskSource{.pd_name = "p", .read_only = true}},
        VolumeCase{"Aws", R"(,"awsElasticBlockStore":{"volumeID":"a","readOnly":true})",
                   AwsElasticBlockStoreSource{.volume_id = "a", .read_only = true}},
        VolumeCase{
            "RbdWithoutPool", R"(,"rbd":{"monitors":["m1","m2"],"image":"i"})",
            RbdSource{.monitors = {"m1", "m2"}, .pool = "rbd", .image = "i", .read_only = false}},
        VolumeCase{"Rbd", R"(,"rbd":{"monitors":["m"],"pool":"p","image":"i","readOnly":true})",
                   RbdSource{.monitors = {"m"}, .pool = "p", .image = "i", .read_only = true}},
        VolumeCase{"Iscsi", R"(,"iscsi":{"targetPortal":"t","iqn":"q","lun":4,"readOnly":true})",
                   IscsiSource{.target_portal = "t", .iqn = "q", .lun = 4, .read_only = true}},
        VolumeCase{"AzureDisk", R"(,"azureDisk":{"diskName":"n","diskURI":"u","kind":"Managed"})",
                   AzureDiskSource{.disk_name = "n", .disk_uri = "u", .kind = "Managed"}},
        VolumeCase{"AzureFile", R"(,"azureFile":{"secretName":"s","shareName":"h"})",
                   AzureFileSource{.secret_name = "s", .secret_namespace = "", .share_name = "h"}},
        VolumeCase{"Cinder", R"(,"cinder":{"volumeID":"c"})", CinderSource{.volume_id = "c"}},
        VolumeCase{"Vsphere", R"(,"vsphereVolume":{"volumePath":"p"})",
                   VsphereSource{.volume_path = "p"}},
        VolumeCase{"Portworx", R"(,"portworxVolume":{"volumeID":"w"})",
                   PortworxSource{.volume_id = "w"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DecodePod, DistinguishesEmptyFromAbsentWhereThatMatters) {
  const auto pod = DecodeJsonAs<Pod>(
      R"({"metadata":{"name":"p"},"spec":{"nodeSelector":{},"affinity":{"podAffinity":{}}}})");
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_EQ((*pod)->spec.node_selector, StringMap());
  EXPECT_TRUE((*pod)->spec.affinity->pod_affinity.has_value());
  EXPECT_FALSE((*pod)->spec.affinity->pod_anti_affinity.has_value());
  EXPECT_FALSE((*pod)->spec.resources.has_value());
  const auto again = DecodeJsonAs<Pod>(EncodeJson(**pod));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(**again, **pod);
}

TEST(DecodePod, NullIsAbsentInFieldsAndZeroInListsAndMaps) {
  const auto pod =
      DecodeJsonAs<Pod>(R"({"metadata":{"name":"p","creationTimestamp":null,"labels":{"a":null}},
      "spec":{"priority":null,"nodeSelector":null,"containers":[null],"schedulingGates":[null],
      "overhead":{"cpu":null}},"status":null})");
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_FALSE((*pod)->metadata.creation_timestamp.has_value());
  EXPECT_EQ((*pod)->metadata.labels, (StringMap{{"a", ""}}));
  EXPECT_FALSE((*pod)->spec.priority.has_value());
  EXPECT_FALSE((*pod)->spec.node_selector.has_value());
  EXPECT_EQ((*pod)->spec.containers, std::vector<Container>(1));
  EXPECT_EQ((*pod)->spec.scheduling_gates, std::vector<std::string>(1));
  EXPECT_EQ((*pod)->spec.overhead, (ResourceList{{"cpu", Quantity()}}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
