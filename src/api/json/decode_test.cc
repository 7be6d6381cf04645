#include "api/json/decode.h"

#include <gtest/gtest.h>

#include "api/json/encode.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

// "Kind namespace/name" of each object.
std::vector<std::string> Describe(const std::vector<Object>& objects) {
  std::vector<std::string> out;
  for (const Object& object : objects) {
    out.push_back(std::string(KindOf(object).kind) + " " + KeyOf(object).ToString());
  }
  return out;
}

struct ErrorCase {
  const char* name;
  const char* json;
  const char* want;  // The error in full.
};

class DecodeErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(DecodeErrorTest, NamesObjectFieldAndValue) {
  const auto objects = DecodeJson(GetParam().json);
  ASSERT_FALSE(objects.has_value());
  EXPECT_EQ(objects.error().message, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, DecodeErrorTest,
    testing::Values(
        ErrorCase{"StringForInteger",
                  R"({"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":"5"}})",
                  R"(Pod "default/web": spec.priority: expected an integer, found "5")"},
        ErrorCase{"FractionForInteger",
                  R"({"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":1.5}})",
                  R"(Pod "default/web": spec.priority: expected an integer, found 1.5)"},
        ErrorCase{"TooLargeForItsField",
                  R"({"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":3000000000}})",
                  R"(Pod "default/web": spec.priority: 3000000000 does not fit in 32 bits)"},
        ErrorCase{"TooLargeForAnything",
                  R"({"kind":"Pod","metadata":{"name":"web","generation":9223372036854775808}})",
                  R"(Pod "default/web": metadata.generation: 9223372036854775808 does not fit )"
                  "in 64 bits"},
        ErrorCase{"NameAfterTheMistake",
                  R"({"spec":{"hostNetwork":"yes"},"kind":"Pod",
                "metadata":{"namespace":"shop","name":"web"}})",
                  R"(Pod "shop/web": spec.hostNetwork: expected a boolean, found "yes")"},
        ErrorCase{"ClusterScopedName",
                  R"({"kind":"Node","metadata":{"name":"n1"},"spec":{"taints":{}}})",
                  R"(Node "n1": spec.taints: expected a list, found an object)"},
        ErrorCase{"ElementOfAList",
                  R"({"kind":"Pod","metadata":{"name":"web"},
                "spec":{"containers":[{"name":"a"},{"name":7}]}})",
                  R"(Pod "default/web": spec.containers[1].name: expected a string, found 7)"},
        ErrorCase{
            "KeyWithDots",
            R"({"kind":"Pod","metadata":{"name":"web","labels":{"example.com/x":true}}})",
            R"(Pod "default/web": metadata.labels[example.com/x]: expected a string, found true)"},
        ErrorCase{"ListForObject", R"({"kind":"Pod","metadata":{"name":"web"},"spec":[]})",
                  R"(Pod "default/web": spec: expected an object, found a list)"},
        ErrorCase{"BadTime",
                  R"({"kind":"Pod","metadata":{"name":"web","creationTimestamp":"yesterday"}})",
                  R"(Pod "default/web": metadata.creationTimestamp: invalid time "yesterday": )"
                  R"(timestamps must look like 2006-01-02T15:04:05Z)"},
        ErrorCase{"DuplicateKey", R"({"kind":"Pod","metadata":{"name":"web","uid":"1","uid":"2"}})",
                  R"(Pod "default/web": metadata.uid: duplicate key)"},
        ErrorCase{"DuplicateUnknownKey",
                  R"({"kind":"Pod","metadata":{"name":"web"},"x":1,"y":2,"x":3})",
                  R"(Pod "default/web": x: duplicate key)"},
        ErrorCase{"DuplicateMapKey",
                  R"({"kind":"Pod","metadata":{"name":"web","labels":{"a":"1","a":"1"}}})",
                  R"(Pod "default/web": metadata.labels.a: duplicate key)"},
        ErrorCase{"DuplicateByEscape",
                  R"({"kind":"Pod","metadata":{"name":"web","n\u0061me":"x"}})",
                  R"(Pod "default/web": metadata.name: duplicate key)"},
        ErrorCase{"NoName", R"({"kind":"Pod","metadata":{"generateName":"web-"}})",
                  "Pod: metadata.name is missing: the object needs a name, and generateName alone "
                  "is not one"},
        ErrorCase{"NoKind", R"({"metadata":{"name":"web"}})", "the document has no kind"},
        ErrorCase{"KindNotAString", R"({"kind":["Pod"]})", "kind: expected a string, found a list"},
        ErrorCase{
            "ItemOfAList",
            R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"n"}},
                  {"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":{}}}]})",
            R"(items[1]: Pod "default/web": spec.priority: expected an integer, found an object)"},
        ErrorCase{"ItemWithoutKind", R"({"kind":"List","items":[{"metadata":{"name":"n"}}]})",
                  "items[0]: the item has no kind"},
        ErrorCase{"ItemNotAnObject", R"({"kind":"PodList","items":["web"]})",
                  R"(items[0]: expected an object, found "web")"},
        ErrorCase{"ListInAList", R"({"kind":"List","items":[{"kind":"List","items":[]}]})",
                  "items[0]: a List within a List is not supported"},
        ErrorCase{"ItemsNotAList", R"({"kind":"List","items":{}})",
                  "items: expected a list, found an object"},
        ErrorCase{"TextAfterTheDocument",
                  R"({"kind":"Node","metadata":{"name":"n"}} {"kind":"Node"})",
                  R"(Node "n": invalid JSON at line 1, column 41: unexpected {"kind":"Node"} )"
                  "after the document"},
        ErrorCase{
            "MissingComma", "{\"kind\":\"Node\",\n \"metadata\":{\"name\":\"n\" \"uid\":\"u\"}}",
            "Node \"n\": metadata.name: invalid JSON at line 2, column 25: missing or superfluous "
            "comma, colon, quote or bracket"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DecodeJson, QuantityErrorsExplainTheFormat) {
  const auto objects = DecodeJson(
      R"({"kind":"Node","metadata":{"name":"worker-1"},
          "status":{"allocatable":{"cpu":"4 cores"}}})");
  ASSERT_FALSE(objects.has_value());
  const std::string want =
      R"(Node "worker-1": status.allocatable.cpu: invalid quantity "4 cores": )";
  EXPECT_EQ(objects.error().message.substr(0, want.size()), want);
  EXPECT_GT(objects.error().message.size(), want.size());
}

TEST(DecodeJson, LongValuesAreShortened) {
  const std::string value(100'000, 'x');
  const auto objects = DecodeJson(
      R"({"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":")" + value + R"("}})");
  ASSERT_FALSE(objects.has_value());
  EXPECT_EQ(objects.error().message,
            R"(Pod "default/web": spec.priority: expected an integer, found ")" +
                value.substr(0, 59) + "...");
}

struct ListCase {
  const char* name;
  const char* json;
  std::vector<std::string> want;
};

class DecodeListTest : public testing::TestWithParam<ListCase> {};

TEST_P(DecodeListTest, ReturnsTheObjectsInOrder) {
  const auto objects = DecodeJson(GetParam().json);
  ASSERT_TRUE(objects.has_value()) << objects.error().message;
  EXPECT_EQ(Describe(*objects), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Documents, DecodeListTest,
    testing::Values(
        ListCase{"OneObject", R"({"kind":"Pod","metadata":{"name":"p"}})", {"Pod default/p"}},
        ListCase{"KindAtTheEnd",
                 R"({"metadata":{"name":"p"},"spec":{},"kind":"Pod"})",
                 {"Pod default/p"}},
        ListCase{"AnyApiVersion",
                 R"({"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget",
                     "metadata":{"name":"b"}})",
                 {"PodDisruptionBudget default/b"}},
        ListCase{"KindOfAnotherGroup",
                 R"({"apiVersion":"serving.knative.dev/v1","kind":"Service",
                     "metadata":{"name":"s"}})",
                 {}},
        ListCase{"ListOfAnotherGroup",
                 R"({"apiVersion":"serving.knative.dev/v1","kind":"ServiceList",
                     "items":[{"metadata":{"name":"s"}}]})",
                 {}},
        ListCase{"UnknownKind", R"({"kind":"Deployment","metadata":{},"spec":[1]})", {}},
        ListCase{"UnknownListWithoutItems", R"({"kind":"AllowList","spec":{}})", {}},
        ListCase{"UnknownListWithOtherItems", R"({"kind":"AllowList","items":{"a":1}})", {}},
        ListCase{"MixedList",
                 R"({"apiVersion":"v1","items":[{"kind":"Node","metadata":{"name":"n"}},
                 {"kind":"Event","metadata":{"name":"e"}},
                 {"kind":"Pod","metadata":{"name":"p","namespace":"x"}}],"kind":"List"})",
                 {"Node n", "Pod x/p"}},
        ListCase{
            "ItemsOfATypedListNeedNoKind",
            R"({"kind":"PodList","items":[{"metadata":{"name":"p"}},{"metadata":{"name":"q"}}]})",
            {"Pod default/p", "Pod default/q"}},
        ListCase{"ItemsOfAnUnknownKind",
                 R"({"kind":"EventList","items":[{"metadata":{"name":"e"}}]})",
                 {}},
        ListCase{"NullItems", R"({"kind":"PodList","items":null})", {}},
        ListCase{"EmptyItems", R"({"kind":"List","items":[]})", {}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DecodeJsonAs, AcceptsAMissingKindButNotAWrongOne) {
  EXPECT_TRUE(DecodeJsonAs<Pod>(R"({"metadata":{"name":"p"}})").has_value());
  EXPECT_TRUE(DecodeJsonAs<Pod>(R"({"kind":"Pod","metadata":{"name":"p"}})").has_value());
  const auto wrong = DecodeJsonAs<Pod>(R"({"kind":"Node","metadata":{"name":"p"}})");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message, R"(expected a Pod, found kind "Node")");
}

TEST(DecodeJson, IntegersMayBeWrittenAsYamlFloats) {
  const auto pod = DecodeJsonAs<Pod>(R"({"metadata":{"name":"p"},"spec":{"priority":1e3}})");
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_EQ((*pod)->spec.priority, 1000);
}

TEST(DecodeJson, UnescapesKeysAndValues) {
  const auto pod =
      DecodeJsonAs<Pod>(R"({"metadata":{"n\u0061me":"p\ud83d\ude00\/\n","labels":{"\"":"\\"}}})");
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_EQ((*pod)->metadata.name, "p\U0001f600/\n");
  EXPECT_EQ((*pod)->metadata.labels, (StringMap{{"\"", "\\"}}));
  const auto again = DecodeJsonAs<Pod>(EncodeJson(**pod));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(**again, **pod);
}

TEST(DecodeJson, DuplicatesAreFoundAmongManyKeys) {
  std::string json = R"({"kind":"Pod","metadata":{"name":"p"})";
  for (int i = 0; i < 1000; ++i) json += ",\"field" + std::to_string(i) + "\":1";
  EXPECT_TRUE(DecodeJson(json + "}").has_value());
  const auto twice = DecodeJson(json + ",\"field500\":1}");
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().message, R"(Pod "default/p": field500: duplicate key)");
}

TEST(DecodeJson, ReadersCarryNoStateBetweenDocuments) {
  ASSERT_FALSE(DecodeJson(R"({"kind":"List","items":[{"kind":"Pod","spec":{"priority":"x"}}]})")
                   .has_value());
  const auto objects = DecodeJson(R"({"kind":"Node","metadata":{"name":"n"}})");
  ASSERT_TRUE(objects.has_value()) << objects.error().message;
  EXPECT_EQ(Describe(*objects), std::vector<std::string>{"Node n"});
}

}  // namespace BERTH_TEST_FILE

// Every kind except Pod: decodes and encodes all its fields.
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

// Checks that `json` decodes to `want`, and so does the encoding of `want`.
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
      "spec":{"attachRequired":true,"storageCapacity":false,
              "preventPodSchedulingIfMissing":true}})",
                 CsiDriver{.metadata = Named("d"),
                           .storage_capacity = false,
                           .prevent_pod_scheduling_if_missing = true});
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

TEST(StripTypeAndManagedFields, RemovesThem) {
  EXPECT_EQ(StripTypeAndManagedFields(R"({"kind":"Pod", "apiVersion":"v1",
      "metadata":{"name":"p", "managedFields":[{"manager":"kubectl"}], "labels":{"kind":"x"}},
      "spec":{"containers":[{"name":"c", "env":[{"name":"A", "value":"\u00e4\""}]}]}})"),
            R"({"metadata":{"name":"p","labels":{"kind":"x"}},)"
            R"("spec":{"containers":[{"name":"c", "env":[{"name":"A", "value":"\u00e4\""}]}]}})");
}

TEST(StripTypeAndManagedFields, PreservesNumbersExactly) {
  EXPECT_EQ(
      StripTypeAndManagedFields(R"({"a":9223372036854775807,"b":-1,"c":18446744073709551615})"),
      R"({"a":9223372036854775807,"b":-1,"c":18446744073709551615})");
}

TEST(StripTypeAndManagedFields, ReturnsOtherTextUnchanged) {
  for (const char* text : {"", "[1]", "null", R"({"metadata":)", R"({"metadata":3})"}) {
    EXPECT_EQ(StripTypeAndManagedFields(text), text);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
