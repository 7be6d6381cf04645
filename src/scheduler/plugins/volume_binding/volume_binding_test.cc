#include "scheduler/plugins/volume_binding/volume_binding.h"

#include "scheduler/plugins/volume_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr const char* kPlugin = "VolumeBinding";
const std::string kSeparator = "---\n";

std::string Affinity(std::string_view key, std::string_view values) {
  return fmt::format(
      "nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: {}, operator: "
      "In, values: [{}]}}]}}]}}}}",
      key, values);
}

std::string CsiNodeYaml(std::string_view name, std::string_view migrated) {
  return fmt::format(
      "{{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: {}, annotations: "
      "{{storage.alpha.kubernetes.io/migrated-plugins: '{}'}}}}, spec: {{drivers: []}}}}\n",
      name, migrated);
}

// Three nodes "a", "b" and "c" with the labels host: <name> and disk: ssd (a, b) or hdd (c).
class VolumeBindingTest : public testing::Test {
 protected:
  VolumeBindingTest() {
    world_.Add(NodeYaml("a", {.labels = "host: a, disk: ssd"}));
    world_.Add(NodeYaml("b", {.labels = "host: b, disk: ssd"}));
    world_.Add(NodeYaml("c", {.labels = "host: c, disk: hdd"}));
    world_.Add(ClassYaml("slow",
                         "provisioner: kubernetes.io/no-provisioner, volumeBindingMode: "
                         "WaitForFirstConsumer"));
  }
  std::string Filter(std::initializer_list<const char*> claims) {
    return FilterBy(kPlugin, world_, PodWithClaims("web", claims));
  }
  std::string Explain(std::initializer_list<const char*> claims, const char* node) {
    PluginHarness trial(world_, MakePlugin(kPlugin), PodWithClaims("web", claims));
    trial.Filter();
    return trial.Explain(node);
  }
  void UseProvisioner(std::string_view more = "") {
    world_.Add(ClassYaml("slow", fmt::format("provisioner: csi.test, volumeBindingMode: "
                                             "WaitForFirstConsumer, {}",
                                             more)));
  }
  TestCluster world_;
};

// --- PreFilter ---

TEST_F(VolumeBindingTest, PodsWithoutClaimsAreSkipped) {
  EXPECT_EQ(FilterBy(kPlugin, world_, PodYaml("web")), "Skip");
  EXPECT_EQ(
      FilterBy(kPlugin, world_, PodWithVolume("web", "awsElasticBlockStore: {volumeID: vol-1}")),
      "Skip");
}

struct ClaimCase {
  const char* name;
  std::string claim;
  const char* want;
};

class VolumeBindingClaimTest : public VolumeBindingTest,
                               public testing::WithParamInterface<ClaimCase> {};

TEST_P(VolumeBindingClaimTest, PreFilter) {
  world_.Add(GetParam().claim);
  EXPECT_EQ(Filter({"data"}), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Claims, VolumeBindingClaimTest,
    testing::Values(
        ClaimCase{"Missing", ClaimYaml("other"),
                  "UnschedulableAndUnresolvable: persistentvolumeclaim \"data\" not found"},
        ClaimCase{"Lost", ClaimYaml("data", {.spec = "volumeName: pv", .phase = "Lost"}),
                  "UnschedulableAndUnresolvable: persistentvolumeclaim \"data\" bound to "
                  "non-existent persistentvolume \"pv\""},
        ClaimCase{"BeingDeleted",
                  ClaimYaml("data", {.meta = "deletionTimestamp: '2025-01-01T00:00:00Z'"}),
                  "UnschedulableAndUnresolvable: persistentvolumeclaim \"data\" is being deleted"},
        ClaimCase{"ClassNotThere", ClaimYaml("data", {.spec = "storageClassName: nope"}),
                  "UnschedulableAndUnresolvable: pod has unbound immediate "
                  "PersistentVolumeClaims"},
        ClaimCase{"NoClass", ClaimYaml("data", {.spec = "storageClassName: ''"}),
                  "UnschedulableAndUnresolvable: pod has unbound immediate "
                  "PersistentVolumeClaims"},
        ClaimCase{"VolumeChosenButNotYetBound", ClaimYaml("data", {.spec = "volumeName: pv"}),
                  "UnschedulableAndUnresolvable: pod has unbound immediate "
                  "PersistentVolumeClaims"},
        ClaimCase{"ImmediateClass",
                  ClaimYaml("data", {.spec = "storageClassName: now"}) + kSeparator +
                      ClassYaml("now", "provisioner: p, volumeBindingMode: Immediate"),
                  "UnschedulableAndUnresolvable: pod has unbound immediate "
                  "PersistentVolumeClaims"},
        ClaimCase{"ClassWithoutABindingMode",
                  ClaimYaml("data", {.spec = "storageClassName: odd"}) + kSeparator +
                      ClassYaml("odd", "provisioner: p"),
                  "Error: VolumeBindingMode not set for StorageClass \"odd\""}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(VolumeBindingTest, EphemeralClaimIsMadeByItsControllerForItsPod) {
  UseProvisioner();
  const std::string pod = PodWithVolume("web", "ephemeral: {}");
  EXPECT_EQ(FilterBy(kPlugin, world_, pod),
            "UnschedulableAndUnresolvable: waiting for ephemeral volume controller to create the "
            "persistentvolumeclaim \"web-v\"");
  world_.Add(ClaimYaml("web-v"));
  EXPECT_EQ(FilterBy(kPlugin, world_, pod),
            "UnschedulableAndUnresolvable: PVC default/web-v was not created for pod default/web "
            "(pod is not owner)");
  world_.Add(ClaimYaml("web-v", {.meta = "ownerReferences: [{apiVersion: v1, kind: Pod, name: "
                                         "web, uid: uid-of-web, controller: true}]"}));
  EXPECT_EQ(FilterBy(kPlugin, world_, pod), "111");
}

// --- bound claims ---

TEST_F(VolumeBindingTest, BoundVolumeMustBeReachable) {
  world_.Add(VolumeYaml("pv", {.spec = Affinity("host", "a, c"), .phase = "Bound"}));
  world_.Add(BoundClaimYaml("data", "pv"));
  EXPECT_EQ(Filter({"data"}), "101");
  EXPECT_EQ(Explain({"data"}, "b"),
            "UnschedulableAndUnresolvable: node(s) didn't match PersistentVolume's node affinity");
}

TEST_F(VolumeBindingTest, BoundVolumeWithoutAffinityIsReachableAnywhere) {
  world_.Add(VolumeYaml("pv", {.phase = "Bound"}));
  world_.Add(BoundClaimYaml("data", "pv"));
  EXPECT_EQ(Filter({"data"}), "111");
}

TEST_F(VolumeBindingTest, VolumesKnowNoNodeNames) {
  world_.Add(
      VolumeYaml("pv", {.spec = "nodeAffinity: {required: {nodeSelectorTerms: [{matchFields: "
                                "[{key: metadata.name, operator: In, values: [a]}]}]}}",
                        .phase = "Bound"}));
  world_.Add(BoundClaimYaml("data", "pv"));
  EXPECT_EQ(Filter({"data"}), "111");
}

TEST_F(VolumeBindingTest, BoundVolumeMustExist) {
  world_.Add(BoundClaimYaml("data", "pv"));
  EXPECT_EQ(Filter({"data"}), "000");
  EXPECT_EQ(Explain({"data"}, "a"),
            "UnschedulableAndUnresolvable: node(s) unavailable due to one or more pvc(s) bound to "
            "non-existent pv(s)");
}

TEST_F(VolumeBindingTest, InTreeVolumeIsSeenThroughItsDriverWhereItIsMigrated) {
  world_.Add(NodeYaml("d", {.labels = "topology.ebs.csi.aws.com/zone: east"}));
  world_.Add(NodeYaml("e", {.labels = "topology.kubernetes.io/zone: east"}));
  world_.Add(CsiNodeYaml("d", "kubernetes.io/gce-pd,kubernetes.io/aws-ebs"));
  world_.Add(CsiNodeYaml("e", "kubernetes.io/gce-pd"));
  const std::string spec =
      "awsElasticBlockStore: {volumeID: vol-1}, " + Affinity("topology.kubernetes.io/zone", "east");
  world_.Add(VolumeYaml("pv", {.spec = spec, .phase = "Bound"}));
  world_.Add(BoundClaimYaml("data", "pv"));
  EXPECT_EQ(Filter({"data"}), "00011");
}

TEST_F(VolumeBindingTest, VolumeThatCannotBeTranslatedIsAnErrorWhereItIsMigrated) {
  world_.Add(VolumeYaml("pv", {.spec = "azureDisk: {diskName: d, diskURI: u, kind: Shared}"}));
  world_.Add(BoundClaimYaml("data", "pv"));
  EXPECT_EQ(Filter({"data"}), "111");
  world_.Add(CsiNodeYaml("b", "kubernetes.io/azure-disk"));
  EXPECT_EQ(Filter({"data"}),
            "Error: could not translate pv: kind(Shared) is not supported in csi migration");
}

// --- claims that wait for a node: existing volumes ---

TEST_F(VolumeBindingTest, ClaimIsMatchedOnNodesThatReachAVolume) {
  world_.Add(ClaimYaml("data"));
  world_.Add(VolumeYaml("pv-a", {.spec = Affinity("host", "a")}));
  world_.Add(VolumeYaml("pv-c", {.spec = Affinity("host", "c")}));
  EXPECT_EQ(Filter({"data"}), "101");
  EXPECT_EQ(Explain({"data"}, "b"),
            "UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to "
            "bind");
}

struct MatchCase {
  const char* name;
  StorageParts volume;
  const char* claim_spec;
  const char* want;
};

class MatchTest : public VolumeBindingTest, public testing::WithParamInterface<MatchCase> {};

TEST_P(MatchTest, Filter) {
  world_.Add(VolumeYaml("pv", GetParam().volume));
  world_.Add(ClaimYaml("data", {.spec = GetParam().claim_spec}));
  EXPECT_EQ(Filter({"data"}), GetParam().want);
}

constexpr const char* kForData = "claimRef: {namespace: default, name: data}";

INSTANTIATE_TEST_SUITE_P(
    Matches, MatchTest,
    testing::Values(
        MatchCase{"Fits", {}, "", "111"},
        MatchCase{"TooSmall", {}, "resources: {requests: {storage: 11Gi}}", "000"},
        MatchCase{"JustLargeEnough", {}, "resources: {requests: {storage: 10Gi}}", "111"},
        MatchCase{"OtherClass", {.spec = "storageClassName: fast"}, "", "000"},
        MatchCase{"OtherMode", {.spec = "volumeMode: Block"}, "", "000"},
        MatchCase{"SameModeSpelledOut", {.spec = "volumeMode: Filesystem"}, "", "111"},
        MatchCase{"OtherAttributesClass", {.spec = "volumeAttributesClassName: gold"}, "", "000"},
        MatchCase{"NotAvailable", {.phase = "Released"}, "", "000"},
        MatchCase{"BeingDeleted", {.meta = "deletionTimestamp: '2025-01-01T00:00:00Z'"}, "", "000"},
        MatchCase{"LacksAnAccessMode", {}, "accessModes: [ReadWriteOnce, ReadOnlyMany]", "000"},
        MatchCase{"LabelsMatch",
                  {.labels = "tier: gold"},
                  "selector: {matchLabels: {tier: gold}}",
                  "111"},
        MatchCase{"LabelsDiffer",
                  {.labels = "tier: tin"},
                  "selector: {matchLabels: {tier: gold}}",
                  "000"},
        MatchCase{
            "TakenByAnother", {.spec = "claimRef: {namespace: default, name: other}"}, "", "000"},
        MatchCase{"OfTheSameNameElsewhere",
                  {.spec = "claimRef: {namespace: far, name: data}"},
                  "",
                  "000"},
        MatchCase{"MeantForAnEarlierClaimOfThatName",
                  {.spec = "claimRef: {namespace: default, name: data, uid: gone}"},
                  "",
                  "000"},
        MatchCase{"MeantForTheClaimThoughNotAvailable",
                  {.spec = kForData, .phase = "Pending"},
                  "selector: {matchLabels: {tier: gold}}, accessModes: [ReadOnlyMany]",
                  "111"},
        MatchCase{"MeantForTheClaimButTooSmall",
                  {.spec = kForData},
                  "resources: {requests: {storage: 11Gi}}",
                  "000"},
        MatchCase{"SelectorThatDoesNotParse",
                  {},
                  "selector: {matchExpressions: [{key: tier, operator: In}]}",
                  "Error: error creating internal label selector for claim: default/data: values: "
                  "Invalid value: null: for 'in', 'notin' operators, values set can't be empty"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(VolumeBindingTest, VolumeMeantForTheClaimRulesOutAllOthers) {
  world_.Add(ClaimYaml("data"));
  world_.Add(VolumeYaml("any", {}));
  const std::string spec = std::string(kForData) + ", " + Affinity("host", "b");
  world_.Add(VolumeYaml("meant", {.spec = spec}));
  EXPECT_EQ(Filter({"data"}), "010");
}

TEST_F(VolumeBindingTest, TwoClaimsNeedTwoVolumes) {
  world_.Add(ClaimYaml("data"));
  world_.Add(ClaimYaml("logs"));
  world_.Add(VolumeYaml("pv-1", {.spec = Affinity("disk", "ssd")}));
  world_.Add(VolumeYaml("pv-2", {.spec = Affinity("host", "b")}));
  EXPECT_EQ(Filter({"data"}), "110");
  EXPECT_EQ(Filter({"data", "logs"}), "010");
  world_.Add(VolumeYaml("pv-3", {}));
  EXPECT_EQ(Filter({"data", "logs"}), "110");
}

TEST_F(VolumeBindingTest, SmallClaimsLeaveLargeVolumesToLargeClaims) {
  world_.Add(ClaimYaml("large", {.spec = "resources: {requests: {storage: 10Gi}}"}));
  world_.Add(ClaimYaml("small"));
  world_.Add(VolumeYaml("pv-1", {}));
  world_.Add(VolumeYaml("pv-2", {.spec = "capacity: {storage: 6Gi}"}));
  EXPECT_EQ(Filter({"large", "small"}), "111");
}

// --- claims that wait for a node: new volumes ---

TEST_F(VolumeBindingTest, UnmatchedClaimsGetNewVolumes) {
  UseProvisioner();
  world_.Add(ClaimYaml("data"));
  EXPECT_EQ(Filter({"data"}), "111");
}

TEST_F(VolumeBindingTest, NewVolumesComeOnlyWhereTheClassAllows) {
  UseProvisioner(
      "allowedTopologies: [{matchLabelExpressions: [{key: disk, values: [hdd]}]}, "
      "{matchLabelExpressions: [{key: disk, values: [ssd, nvme]}, {key: host, values: [b]}]}]");
  world_.Add(ClaimYaml("data"));
  EXPECT_EQ(Filter({"data"}), "011");
  EXPECT_EQ(Explain({"data"}, "a"),
            "UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to "
            "bind");
}

TEST_F(VolumeBindingTest, EmptyTopologyTermAllowsNothing) {
  UseProvisioner("allowedTopologies: [{matchLabelExpressions: []}]");
  world_.Add(ClaimYaml("data"));
  EXPECT_EQ(Filter({"data"}), "000");
}

TEST_F(VolumeBindingTest, ClaimStaysWithTheNodeThatWasSelectedForIt) {
  UseProvisioner();
  world_.Add(VolumeYaml("pv", {}));
  world_.Add(ClaimYaml("data", {.annotations = "volume.kubernetes.io/selected-node: b"}));
  EXPECT_EQ(Filter({"data"}), "010");
  EXPECT_EQ(Explain({"data"}, "a"),
            "UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to "
            "bind");
}

std::string CapacityYaml(std::string_view name, std::string_view fields) {
  return fmt::format(
      "{{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {{name: {}, namespace: "
      "default}}, {}}}\n",
      name, fields);
}

struct CapacityCase {
  const char* name;
  const char* driver;    // Its spec.
  const char* capacity;  // One CSIStorageCapacity.
  const char* want;
};

class CapacityTest : public VolumeBindingTest, public testing::WithParamInterface<CapacityCase> {};

TEST_P(CapacityTest, Filter) {
  UseProvisioner();
  world_.Add(ClaimYaml("data"));
  world_.Add(
      fmt::format("{{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {{name: csi.test}}, "
                  "spec: {{{}}}}}",
                  GetParam().driver));
  world_.Add(CapacityYaml("cap", GetParam().capacity));
  EXPECT_EQ(Filter({"data"}), GetParam().want);
}

constexpr const char* kTracked = "storageCapacity: true";

INSTANTIATE_TEST_SUITE_P(
    Capacities, CapacityTest,
    testing::Values(
        CapacityCase{"Enough", kTracked,
                     "storageClassName: slow, capacity: 5Gi, nodeTopology: {matchLabels: {disk: "
                     "ssd}}",
                     "110"},
        CapacityCase{"TooLittle", kTracked,
                     "storageClassName: slow, capacity: 4Gi, nodeTopology: {}", "000"},
        CapacityCase{"EveryNode", kTracked,
                     "storageClassName: slow, capacity: 5Gi, nodeTopology: {}", "111"},
        CapacityCase{"NoTopologyIsNoNode", kTracked, "storageClassName: slow, capacity: 5Gi",
                     "000"},
        CapacityCase{"NoCapacity", kTracked, "storageClassName: slow, nodeTopology: {}", "000"},
        CapacityCase{"MaximumSizeGoesBeforeCapacity", kTracked,
                     "storageClassName: slow, capacity: 9Gi, maximumVolumeSize: 4Gi, nodeTopology: "
                     "{}",
                     "000"},
        CapacityCase{"OtherClass", kTracked,
                     "storageClassName: fast, capacity: 5Gi, nodeTopology: {}", "000"},
        CapacityCase{"ByExpressions", kTracked,
                     "storageClassName: slow, capacity: 5Gi, nodeTopology: {matchExpressions: "
                     "[{key: host, operator: In, values: [b, c]}, {key: disk, operator: NotIn, "
                     "values: [hdd]}]}",
                     "010"},
        CapacityCase{"DriverDoesNotTrackIt", "storageCapacity: false",
                     "storageClassName: slow, capacity: 1Gi, nodeTopology: {}", "111"},
        CapacityCase{"DriverDoesNotSay", "", "storageClassName: slow, capacity: 1Gi", "111"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(VolumeBindingTest, TooLittleStorageHasItsOwnReason) {
  UseProvisioner();
  world_.Add(ClaimYaml("data"));
  world_.Add(
      "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.test}, spec: "
      "{storageCapacity: true}}");
  EXPECT_EQ(Explain({"data"}, "a"),
            "UnschedulableAndUnresolvable: node(s) did not have enough free storage");
}

TEST_F(VolumeBindingTest, ReasonsAboutBoundAndWaitingClaimsAddUp) {
  world_.Add(ClaimYaml("data"));
  world_.Add(VolumeYaml("pv", {.spec = Affinity("host", "b"), .phase = "Bound"}));
  world_.Add(BoundClaimYaml("logs", "pv"));
  EXPECT_EQ(Explain({"data", "logs"}, "a"),
            "UnschedulableAndUnresolvable: node(s) didn't match PersistentVolume's node affinity, "
            "node(s) didn't find available persistent volumes to bind");
}

TEST_F(VolumeBindingTest, NodesAreNotScored) {
  PluginHarness trial(world_, MakePlugin(kPlugin), PodWithClaims("web", {"data"}));
  EXPECT_EQ(trial.RawScores(), "Skip");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
