// Every kind but Pod: all its fields in, and out again.
#include <gtest/gtest.h>

#include "api/decode.h"
#include "api/encode.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

Quantity Amount(const char* text) { return Quantity::Parse(text).value(); }

ObjectMeta Named(const char* name, const char* namespace_ = "") {
  ObjectMeta meta;
  meta.name = name;
  meta.namespace_ = namespace_;
  return meta;
}

LabelSelector AppIs(const char* app) {
  return {.match_labels = {{"app", app}}, .match_expressions = {}};
}

// Decodes `json`, compares with `want`, and does the same with what `want` encodes to.
template <typename T>
void ExpectBothWays(const char* json, const T& want) {
  for (const std::string& text : {std::string(json), EncodeJson(want)}) {
    const auto objects = DecodeJson(text);
    ASSERT_TRUE(objects.has_value()) << objects.error().message << "\n" << text;
    ASSERT_EQ(objects->size(), 1u) << text;
    const auto* got = std::get_if<Ref<T>>(&objects->front());
    ASSERT_NE(got, nullptr) << text;
    EXPECT_EQ(**got, want) << text;
  }
}

TEST(DecodeNode, BothWays) {
  Node node;
  node.metadata = Named("n1");
  node.metadata.labels = {{"zone", "a"}};
  node.spec.unschedulable = true;
  node.spec.taints = {{.key = "k", .value = "v", .effect = "NoSchedule"}};
  node.status.capacity = {{"cpu", Amount("8")}};
  node.status.allocatable = {{"cpu", Amount("7500m")}, {"memory", Amount("31Gi")}};
  node.status.conditions = {{.type = "Ready", .status = "True"}};
  node.status.images = {{.names = {"nginx:1", "nginx@sha256:0"}, .size_bytes = 5'000'000'000}};
  node.status.declared_features = {"GuaranteedQoSPodCPUResize"};
  ExpectBothWays(R"({"apiVersion":"v1","kind":"Node",
      "metadata":{"name":"n1","namespace":"ignored","labels":{"zone":"a"}},
      "spec":{"podCIDR":"10.0.0.0/24","unschedulable":true,
              "taints":[{"key":"k","value":"v","effect":"NoSchedule",
                         "timeAdded":"2026-01-01T00:00:00Z"}]},
      "status":{"capacity":{"cpu":8},"allocatable":{"cpu":"7.5","memory":"31Gi"},
                "conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}],
                "images":[{"names":["nginx:1","nginx@sha256:0"],"sizeBytes":5000000000}],
                "declaredFeatures":["GuaranteedQoSPodCPUResize"]}})",
                 node);
}

TEST(DecodeNamespace, BothWays) {
  Namespace want{.metadata = Named("shop")};
  want.metadata.labels = {{"env", "prod"}};
  ExpectBothWays(R"({"kind":"Namespace","metadata":{"name":"shop","labels":{"env":"prod"}},
      "spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})",
                 want);
}

TEST(DecodeWorkloads, ServiceBothWays) {
  ExpectBothWays(R"({"kind":"Service","metadata":{"name":"s","namespace":"shop"},
      "spec":{"selector":{"app":"web"},"ports":[{"port":80,"targetPort":"http"}]}})",
                 Service{.metadata = Named("s", "shop"), .selector = StringMap{{"app", "web"}}});
  ExpectBothWays(R"({"kind":"Service","metadata":{"name":"s"},"spec":{"selector":{}}})",
                 Service{.metadata = Named("s", "default"), .selector = StringMap()});
  ExpectBothWays(R"({"kind":"Service","metadata":{"name":"s"},"spec":{"clusterIP":"None"}})",
                 Service{.metadata = Named("s", "default"), .selector = {}});
}

TEST(DecodeWorkloads, OwnersBothWays) {
  ExpectBothWays(
      R"({"kind":"ReplicationController","metadata":{"name":"r"},
      "spec":{"replicas":2,"selector":{"app":"web"},"template":{"spec":{}}}})",
      ReplicationController{.metadata = Named("r", "default"), .selector = {{"app", "web"}}});
  ExpectBothWays(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r"},
      "spec":{"selector":{"matchLabels":{"app":"web"}}}})",
                 ReplicaSet{.metadata = Named("r", "default"), .selector = AppIs("web")});
  ExpectBothWays(R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"r"},
      "spec":{"serviceName":"x","selector":{"matchLabels":{"app":"db"}}}})",
                 StatefulSet{.metadata = Named("r", "default"), .selector = AppIs("db")});
}

TEST(DecodeWorkloads, DisruptionBudgetBothWays) {
  ExpectBothWays(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},
      "spec":{"minAvailable":"50%","selector":{"matchLabels":{"app":"web"}}},
      "status":{"disruptionsAllowed":2,
                "disruptedPods":{"web-1":"2026-01-01T00:00:00Z","web-2":null}}})",
                 PodDisruptionBudget{.metadata = Named("b", "default"),
                                     .selector = AppIs("web"),
                                     .disruptions_allowed = 2,
                                     .disrupted_pods = {"web-1", "web-2"}});
}

TEST(DecodeResourceClaim, BothWays) {
  ExpectBothWays(
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c",
      "namespace":"default"},"spec":{"devices":{"requests":[{"name":"a"}]}},"status":{"allocation":
      {"devices":{"results":[{"request":"a","driver":"gpu.example.com","pool":"p","device":"d0"}]},
      "nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",
      "values":["n"]}]}]}},"reservedFor":[{"resource":"pods","name":"web","uid":"u"}]}})",
      ResourceClaim{.metadata = Named("c", "default"),
                    .status = {.allocation =
                                   ClaimAllocation{
                                       .devices = {{"a", "gpu.example.com", "p", "d0"}},
                                       .node_selector =
                                           NodeSelector{{{{}, {{"metadata.name", "In", {"n"}}}}}}},
                               .reserved_for = {{"", "pods", "web", "u"}}}});
  // An allocation without devices is one all the same.
  const auto empty = DecodeJsonAs<ResourceClaim>(
      R"({"kind":"ResourceClaim","metadata":{"name":"c"},"status":{"allocation":{"devices":{}}}})");
  ASSERT_TRUE(empty.has_value());
  EXPECT_TRUE((*empty)->status.allocation.has_value());
}

TEST(DecodeDeviceClass, BothWays) {
  ExpectBothWays(R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"d"},
                 "spec":{"extendedResourceName":"example.com/gpu"}})",
                 DeviceClass{.metadata = Named("d"), .extended_resource_name = "example.com/gpu"});
}

TEST(DecodeWorkloads, PriorityClassBothWays) {
  ExpectBothWays(
      R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},
      "value":-2147483648,"globalDefault":true,"preemptionPolicy":"Never","description":"d"})",
      PriorityClass{.metadata = Named("high"),
                    .value = INT32_MIN,
                    .global_default = true,
                    .preemption_policy = "Never"});
}

TEST(DecodeStorage, PersistentVolumeBothWays) {
  PersistentVolume volume;
  volume.metadata = Named("pv");
  volume.capacity = {{"storage", Amount("10Gi")}};
  volume.source = CsiPersistentVolumeSource{.driver = "d", .volume_handle = "h"};
  volume.access_modes = {"ReadWriteOnce"};
  volume.claim_ref = ObjectReference{.api_version = "v1",
                                     .kind = "PersistentVolumeClaim",
                                     .namespace_ = "shop",
                                     .name = "c",
                                     .uid = "u",
                                     .resource_version = "9"};
  volume.storage_class_name = "fast";
  volume.volume_mode = "Block";
  volume.volume_attributes_class_name = "gold";
  volume.node_affinity =
      NodeSelector{{{.match_expressions = {{"zone", "In", {"a"}}}, .match_fields = {}}}};
  volume.phase = "Bound";
  ExpectBothWays(R"({"kind":"PersistentVolume","metadata":{"name":"pv"},
      "spec":{"capacity":{"storage":"10Gi"},"csi":{"driver":"d","volumeHandle":"h","fsType":"ext4"},
              "accessModes":["ReadWriteOnce"],
              "claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim","namespace":"shop",
                          "name":"c","uid":"u","resourceVersion":"9"},
              "storageClassName":"fast","volumeMode":"Block","volumeAttributesClassName":"gold",
              "nodeAffinity":{"required":{"nodeSelectorTerms":[
                {"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}},
      "status":{"phase":"Bound"}})",
                 volume);
}

struct SourceCase {
  const char* name;
  const char* json;
  PersistentVolumeSource source;
};

class PersistentVolumeSourceTest : public testing::TestWithParam<SourceCase> {};

TEST_P(PersistentVolumeSourceTest, BothWays) {
  PersistentVolume volume;
  volume.metadata = Named("pv");
  volume.source = GetParam().source;
  const std::string json =
      std::string(R"({"kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{)") +
      GetParam().json + "}}";
  ExpectBothWays(json.c_str(), volume);
}

INSTANTIATE_TEST_SUITE_P(
    Sources, PersistentVolumeSourceTest,
    testing::Values(
        SourceCase{"HostPath", R"("hostPath":{"path":"/x"})", OtherSource()},
        SourceCase{"Gce", R"("gcePersistentDisk":{"pdName":"p"})",
                   GcePersistentDiskSource{.pd_name = "p", .read_only = false}},
        SourceCase{"Aws", R"("awsElasticBlockStore":{"volumeID":"a"})",
                   AwsElasticBlockStoreSource{.volume_id = "a", .read_only = false}},
        SourceCase{"AzureDisk", R"("azureDisk":{"diskName":"n","diskURI":"u"})",
                   AzureDiskSource{.disk_name = "n", .disk_uri = "u", .kind = ""}},
        SourceCase{
            "AzureFile", R"("azureFile":{"secretName":"s","secretNamespace":"ns","shareName":"h"})",
            AzureFileSource{.secret_name = "s", .secret_namespace = "ns", .share_name = "h"}},
        SourceCase{"Cinder", R"("cinder":{"volumeID":"c"})", CinderSource{.volume_id = "c"}},
        SourceCase{"Vsphere", R"("vsphereVolume":{"volumePath":"p"})",
                   VsphereSource{.volume_path = "p"}},
        SourceCase{"Portworx", R"("portworxVolume":{"volumeID":"w"})",
                   PortworxSource{.volume_id = "w"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DecodeStorage, ClaimBothWays) {
  PersistentVolumeClaim claim;
  claim.metadata = Named("c", "shop");
  claim.access_modes = {"ReadWriteOncePod"};
  claim.selector = AppIs("db");
  claim.requests = {{"storage", Amount("5Gi")}};
  claim.volume_name = "pv";
  claim.storage_class_name = "";
  claim.volume_mode = "Filesystem";
  claim.volume_attributes_class_name = "gold";
  claim.phase = "Pending";
  ExpectBothWays(R"({"kind":"PersistentVolumeClaim","metadata":{"name":"c","namespace":"shop"},
      "spec":{"accessModes":["ReadWriteOncePod"],"selector":{"matchLabels":{"app":"db"}},
              "resources":{"requests":{"storage":"5Gi"}},"volumeName":"pv","storageClassName":"",
              "volumeMode":"Filesystem","volumeAttributesClassName":"gold"},
      "status":{"phase":"Pending"}})",
                 claim);
}

TEST(DecodeStorage, StorageClassBothWays) {
  StorageClass storage_class;
  storage_class.metadata = Named("fast");
  storage_class.provisioner = "p";
  storage_class.volume_binding_mode = "WaitForFirstConsumer";
  storage_class.allowed_topologies = {{{{.key = "zone", .values = {"a", "b"}}}}};
  ExpectBothWays(
      R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"fast"},
      "provisioner":"p","reclaimPolicy":"Delete","volumeBindingMode":"WaitForFirstConsumer",
      "allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["a","b"]}]}]})",
      storage_class);
}

TEST(DecodeStorage, CsiNodeBothWays) {
  CsiNode node;
  node.metadata = Named("n1");
  node.drivers = {{.name = "d", .node_id = "i", .topology_keys = {"zone"}, .allocatable_count = 0},
                  {.name = "e", .node_id = "j", .topology_keys = {}, .allocatable_count = {}}};
  ExpectBothWays(R"({"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"n1"},
      "spec":{"drivers":[{"name":"d","nodeID":"i","topologyKeys":["zone"],
                          "allocatable":{"count":0}},
                         {"name":"e","nodeID":"j","topologyKeys":null,"allocatable":{}}]}})",
                 node);
}

TEST(DecodeStorage, CsiDriverBothWays) {
  ExpectBothWays(R"({"kind":"CSIDriver","metadata":{"name":"d"},
      "spec":{"attachRequired":true,"storageCapacity":false}})",
                 CsiDriver{.metadata = Named("d"), .storage_capacity = false});
}

TEST(DecodeStorage, CsiStorageCapacityBothWays) {
  ExpectBothWays(R"({"kind":"CSIStorageCapacity","metadata":{"name":"x","namespace":"kube-system"},
      "storageClassName":"fast","nodeTopology":{"matchLabels":{"app":"a"}},"capacity":"100Gi",
      "maximumVolumeSize":"10Gi"})",
                 CsiStorageCapacity{.metadata = Named("x", "kube-system"),
                                    .storage_class_name = "fast",
                                    .node_topology = AppIs("a"),
                                    .capacity = Amount("100Gi"),
                                    .maximum_volume_size = Amount("10Gi")});
}

TEST(DecodeStorage, VolumeAttachmentBothWays) {
  ExpectBothWays(R"({"kind":"VolumeAttachment","metadata":{"name":"a"},
      "spec":{"attacher":"d","nodeName":"n1","source":{"persistentVolumeName":"pv"}},
      "status":{"attached":true}})",
                 VolumeAttachment{.metadata = Named("a"),
                                  .attacher = "d",
                                  .node_name = "n1",
                                  .persistent_volume_name = "pv"});
}

TEST(EncodeJson, LeavesOutWhatIsAbsent) {
  Pod pod;
  pod.metadata = Named("p", "default");
  pod.spec.containers.emplace_back().name = "c";
  EXPECT_EQ(EncodeJson(pod),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},)"
            R"("spec":{"containers":[{"name":"c","resources":{}}]},"status":{}})");
  PersistentVolumeClaim claim;
  claim.metadata = Named("c", "default");
  EXPECT_EQ(EncodeJson(Object(std::make_shared<const PersistentVolumeClaim>(claim))),
            R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",)"
            R"("metadata":{"name":"c","namespace":"default"}})");
}

TEST(KindOf, NamesEachTypeByItsOwnKind) {
  EXPECT_EQ(KindOf<Pod>().kind, "Pod");
  EXPECT_EQ(KindOf<Node>().kind, "Node");
  EXPECT_EQ(KindOf<Namespace>().kind, "Namespace");
  EXPECT_EQ(KindOf<Service>().kind, "Service");
  EXPECT_EQ(KindOf<ReplicationController>().kind, "ReplicationController");
  EXPECT_EQ(KindOf<ReplicaSet>().kind, "ReplicaSet");
  EXPECT_EQ(KindOf<StatefulSet>().kind, "StatefulSet");
  EXPECT_EQ(KindOf<PersistentVolume>().kind, "PersistentVolume");
  EXPECT_EQ(KindOf<PersistentVolumeClaim>().kind, "PersistentVolumeClaim");
  EXPECT_EQ(KindOf<StorageClass>().kind, "StorageClass");
  EXPECT_EQ(KindOf<CsiNode>().kind, "CSINode");
  EXPECT_EQ(KindOf<CsiDriver>().kind, "CSIDriver");
  EXPECT_EQ(KindOf<CsiStorageCapacity>().kind, "CSIStorageCapacity");
  EXPECT_EQ(KindOf<VolumeAttachment>().kind, "VolumeAttachment");
  EXPECT_EQ(KindOf<PodDisruptionBudget>().kind, "PodDisruptionBudget");
  EXPECT_EQ(KindOf<PriorityClass>().kind, "PriorityClass");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
