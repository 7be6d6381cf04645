// The filters' explanations of rejected nodes for users, word by word.
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/plugins/plugin_testing.h"
#include "scheduler/plugins/volume_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// The explanation of `plugin` for `node`, which it must reject.
std::string Details(std::string_view plugin, TestCluster& world, const std::string& pod,
                    std::string_view node, const framework::PluginArgs& args = {}) {
  PluginHarness trial(world, MakePlugin(plugin, args), pod);
  trial.Filter();
  EXPECT_NE(trial.Explain(node), "Success");
  return trial.As<framework::FilterPlugin>().Details(trial.cycle(), world.node(node));
}

std::string Zone(std::string_view zone) {
  return fmt::format("topology.kubernetes.io/zone: {}", zone);
}

// Nodes a1 and a2 in zone a, b1 in zone b; "bare" is in none.
class ZonesTest : public testing::Test {
 protected:
  ZonesTest() {
    world_.Add(Host("a1", Zone("a")));
    world_.Add(Host("a2", Zone("a")));
    world_.Add(Host("b1", Zone("b")));
    world_.Add(NodeYaml("bare"));
  }
  static std::string Host(std::string_view name, const std::string& labels) {
    return NodeYaml(name, {.labels = fmt::format("kubernetes.io/hostname: {}, {}", name, labels)});
  }
  void Place(std::string_view name, std::string_view node, const std::string& labels = "app: web",
             std::string_view spec = "") {
    world_.Add(
        PodYaml(name, {.labels = labels, .spec = fmt::format("nodeName: {}, {}", node, spec)}));
  }
  TestCluster world_;
};

struct SpreadCase {
  const char* name;
  const char* labels;  // Of the pod.
  const char* more;    // Of the constraint.
  const char* node;
  const char* want;
};

class SpreadDetailsTest : public ZonesTest, public testing::WithParamInterface<SpreadCase> {};

TEST_P(SpreadDetailsTest, NameDomainsAndCounts) {
  for (const char* pod : {"w1", "w2"}) Place(pod, "a1");
  Place("w3", "a2");
  Place("w4", "b1");
  const SpreadCase& c = GetParam();
  const std::string pod = PodYaml(
      "new",
      {.labels = c.labels,
       .spec = fmt::format("topologySpreadConstraints: [{{maxSkew: 1, whenUnsatisfiable: "
                           "DoNotSchedule, labelSelector: {{matchLabels: {{app: web}}}}, {}}}]",
                           c.more)});
  EXPECT_EQ(Details("PodTopologySpread", world_, pod, c.node), c.want);
}

INSTANTIATE_TEST_SUITE_P(
    Spread, SpreadDetailsTest,
    testing::Values(
        SpreadCase{"APodOfTheGroup", "app: web", "topologyKey: topology.kubernetes.io/zone", "a1",
                   "with this pod, zone \"a\" would have 4 pods with app=web, 3 more than zone "
                   "\"b\" with 1; maxSkew is 1"},
        SpreadCase{"APodOutsideTheGroup", "app: db", "topologyKey: topology.kubernetes.io/zone",
                   "a2",
                   "zone \"a\" already has 3 pods with app=web, 2 more than zone \"b\" with 1; "
                   "maxSkew is 1"},
        SpreadCase{"Hosts", "app: web", "topologyKey: kubernetes.io/hostname", "a1",
                   "with this pod, node \"a1\" would have 3 pods with app=web, 2 more than node "
                   "\"a2\" with 1; maxSkew is 1"},
        SpreadCase{"TooFewDomains", "app: web",
                   "topologyKey: topology.kubernetes.io/zone, minDomains: 3", "b1",
                   "with this pod, zone \"b\" would have 2 pods with app=web; there are 2 domains, "
                   "fewer than minDomains 3, so that 0 counts as the fewest; maxSkew is 1"},
        SpreadCase{"ANodeInNoDomain", "app: web", "topologyKey: topology.kubernetes.io/zone",
                   "bare",
                   "the node has no label topology.kubernetes.io/zone, over which the pods are "
                   "spread"}),
    [](const auto& test) { return std::string(test.param.name); });

// A required term of one kind.
std::string Wants(std::string_view kind, std::string_view selector,
                  std::string_view key = "topology.kubernetes.io/zone") {
  return fmt::format(
      "affinity: {{{}: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {}, "
      "labelSelector: {{{}}}}}]}}}}",
      kind, key, selector);
}

class AffinityDetailsTest : public ZonesTest {
 protected:
  std::string About(std::string_view node, const std::string& spec,
                    const std::string& labels = "app: web") {
    return Details("InterPodAffinity", world_, PodYaml("new", {.labels = labels, .spec = spec}),
                   node);
  }
};

TEST_F(AffinityDetailsTest, OwnAntiAffinityNamesThePodInTheDomain) {
  Place("other", "a2", "app: db");
  Place("cache", "a2", "app: cache");
  Place("far", "b1", "app: db");
  const std::string spec = Wants("podAntiAffinity", "matchLabels: {app: db}");
  EXPECT_EQ(About("a1", spec),
            "the pod has anti-affinity to pods with app=db in zone \"a\", where default/other runs "
            "on node a2");
  EXPECT_EQ(About("b1", spec),
            "the pod has anti-affinity to pods with app=db in zone \"b\", where default/far runs "
            "on node b1");
}

TEST_F(AffinityDetailsTest, ExistingAntiAffinityNamesTheObjector) {
  const std::string shy =
      Wants("podAntiAffinity", "matchExpressions: [{key: app, operator: In, values: [web, api]}]");
  Place("zed", "a2", "app: db", shy);
  Place("db", "a2", "app: db", shy);
  Place("loner", "b1", "app: db", Wants("podAntiAffinity", "matchLabels: {app: db}"));
  EXPECT_EQ(About("a1", ""),
            "default/db on node a2 has anti-affinity to pods with app in (api, web) in zone \"a\"");
}

TEST_F(AffinityDetailsTest, AffinityNamesWhoIsMissingAndWhereOneIs) {
  const std::string spec = Wants("podAffinity", "matchLabels: {app: db}", "kubernetes.io/hostname");
  EXPECT_EQ(
      About("a1", spec),
      "no pod with app=db, which the pod's affinity requires, runs on node \"a1\", nor anywhere "
      "else");
  Place("db", "b1", "app: db");
  EXPECT_EQ(About("a1", spec),
            "no pod with app=db, which the pod's affinity requires, runs on node \"a1\"; there is "
            "default/db on node b1");
  EXPECT_EQ(About("bare", spec),
            "the node has no label kubernetes.io/hostname, by which the pod's affinity groups "
            "nodes");
}

// The first of its kind may go anywhere: affinity is not what keeps it away.
TEST_F(AffinityDetailsTest, AffinityToItselfIsNotBlamedForAntiAffinity) {
  Place("db", "a1", "app: db");
  const std::string spec =
      "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: web}}}]}, podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, "
      "labelSelector: {matchLabels: {app: db}}}]}}";
  EXPECT_EQ(About("a1", spec),
            "the pod has anti-affinity to pods with app=db on node \"a1\", where default/db runs");
}

std::string Offers(std::string_view name, std::string_view allocatable) {
  return NodeYaml(name, {.status = fmt::format("allocatable: {{{}}}", allocatable)});
}

std::string Asks(std::string_view name, std::string_view requests, std::string_view more = "") {
  return PodYaml(name, {.spec = fmt::format("containers: [{{name: c, resources: {{requests: "
                                            "{{{}}}}}}}], {}",
                                            requests, more)});
}

TEST(DetailsTest, ResourcesAreRequestedFreeAndAllocatable) {
  TestCluster world{Offers("a", "cpu: 4, memory: 16542900Ki, pods: 2"),
                    Offers("b", "cpu: 1, pods: 1"),
                    Asks("one", "cpu: 3500m, memory: 12Gi", "nodeName: a"),
                    Asks("two", "cpu: 250m", "nodeName: b")};
  const std::string pod = Asks("new", "cpu: 2, memory: 8Gi");
  EXPECT_EQ(Details("NodeResourcesFit", world, pod, "a"),
            "the pod requests 2 cpu, of which 500m of 4 are free; the pod requests 8Gi memory, of "
            "which 3.8Gi of 15.8Gi are free");
  EXPECT_EQ(Details("NodeResourcesFit", world, pod, "b"),
            "it takes 1 pod and has 1; the pod requests 2 cpu, more than the node has: 1; the pod "
            "requests 8Gi memory, more than the node has: 0");
}

TEST(DetailsTest, ExtendedResourcesAreCountedAndIgnoredOnesLeftOut) {
  TestCluster world{Offers("a", "cpu: 4, pods: 9, example.com/gpu: 2"),
                    Asks("one", "example.com/gpu: 1", "nodeName: a")};
  EXPECT_EQ(Details("NodeResourcesFit", world, Asks("new", "example.com/gpu: 2"), "a"),
            "the pod requests 2 example.com/gpu, of which 1 of 2 are free");
}

TEST(DetailsTest, TaintsAreNamedAsKubectlDoes) {
  TestCluster world{NodeYaml(
      "a", {.spec = "taints: [{key: gpu, value: 'yes', effect: NoSchedule}, {key: soft, effect: "
                    "PreferNoSchedule}, {key: old, effect: NoExecute}, {key: ok, effect: "
                    "NoSchedule}]"})};
  const std::string pod = PodYaml("new", {.spec = "tolerations: [{key: ok, operator: Exists}]"});
  EXPECT_EQ(Details("TaintToleration", world, pod, "a"),
            "the pod does not tolerate gpu=yes:NoSchedule, old:NoExecute");
}

struct NodeAffinityCase {
  const char* name;
  const char* spec;
  const char* want;
};

class NodeAffinityDetailsTest : public testing::TestWithParam<NodeAffinityCase> {};

TEST_P(NodeAffinityDetailsTest, SayWhatTheNodeHasInstead) {
  TestCluster world{NodeYaml("a", {.labels = "disk: hdd, cores: '8'"})};
  EXPECT_EQ(Details("NodeAffinity", world, PodYaml("new", {.spec = GetParam().spec}), "a"),
            GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    NodeAffinity, NodeAffinityDetailsTest,
    testing::Values(
        NodeAffinityCase{"Selector", "nodeSelector: {disk: ssd}",
                         "the nodeSelector requires disk=ssd, the node has disk=hdd"},
        NodeAffinityCase{"SelectorOfALabelThatIsMissing", "nodeSelector: {gpu: a100}",
                         "the nodeSelector requires gpu=a100, the node has no label gpu"},
        NodeAffinityCase{
            "FirstRequirementOfEachTerm",
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
            "{nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: Exists}, {key: cores, "
            "operator: Gt, values: ['16']}]}, {matchExpressions: [{key: disk, operator: In, "
            "values: "
            "[ssd, nvme]}]}]}}}",
            "the node affinity requires cores>16, the node has cores=8; or requires disk in (nvme, "
            "ssd), "
            "the node has disk=hdd"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DetailsTest, DistinguishesAddedAffinityFromThePodsOwn) {
  framework::NodeAffinityArgs args;
  api::NodeSelectorTerm term;
  term.match_expressions.push_back({"pool", "In", {"prod"}});
  args.added_affinity.emplace().required.emplace().terms.push_back(term);
  TestCluster world{NodeYaml("a", {.labels = "pool: test"})};
  EXPECT_EQ(Details("NodeAffinity", world, PodYaml("new"), "a", args),
            "addedAffinity of the configuration requires pool=prod, the node has pool=test");
}

TEST(DetailsTest, PortsNameTheirHolder) {
  auto with_port = [](std::string_view name, std::string_view port, std::string_view more = "") {
    return PodYaml(
        name, {.spec = fmt::format("containers: [{{name: c, ports: [{{{}}}]}}], {}", port, more)});
  };
  TestCluster world{NodeYaml("a"), with_port("web", "hostPort: 443, protocol: TCP", "nodeName: a"),
                    with_port("dns", "hostPort: 53, protocol: UDP", "nodeName: a")};
  EXPECT_EQ(Details("NodePorts", world, with_port("new", "hostPort: 53, protocol: UDP"), "a"),
            "port 53/UDP is taken by default/dns");
  EXPECT_EQ(Details("NodePorts", world,
                    with_port("new", "hostPort: 443, protocol: TCP, hostIP: 10.0.0.1"), "a"),
            "port 10.0.0.1:443/TCP is taken by default/web");
}

// --- volumes ---

std::string Local(std::string_view name, std::string_view zone, std::string_view more = "") {
  const std::string spec = fmt::format(
      "nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: "
      "topology.kubernetes.io/zone, operator: In, values: [{}]}}]}}]}}}}{}",
      zone, more);
  return VolumeYaml(name, {.spec = spec});
}

class VolumeDetailsTest : public testing::Test {
 protected:
  VolumeDetailsTest() {
    world_.Add(NodeYaml("a", {.labels = Zone("a")}));
    world_.Add(NodeYaml("b", {.labels = Zone("b")}));
  }
  std::string About(std::string_view plugin, std::string_view node = "b") {
    return Details(plugin, world_, PodWithClaims("new", {"data"}), node);
  }
  TestCluster world_;
};

TEST_F(VolumeDetailsTest, BoundVolumeOutOfReach) {
  world_.Add(Local("disk-1", "a"));
  world_.Add(BoundClaimYaml("data", "disk-1"));
  EXPECT_EQ(About("VolumeBinding"),
            "claim \"data\" is bound to volume disk-1, which the node cannot reach: the volume "
            "requires topology.kubernetes.io/zone=a, the node has topology.kubernetes.io/zone=b");
}

TEST_F(VolumeDetailsTest, BoundVolumeThatDoesNotExist) {
  world_.Add(BoundClaimYaml("data", "gone"));
  EXPECT_EQ(About("VolumeBinding"), "claim \"data\" is bound to volume gone, which does not exist");
}

TEST_F(VolumeDetailsTest, NoVolumeWithinReachAndNoneIsMade) {
  world_.Add(Local("disk-1", "a"));
  world_.Add(ClaimYaml("data"));
  world_.Add(ClassYaml("slow",
                       "provisioner: kubernetes.io/no-provisioner, volumeBindingMode: "
                       "WaitForFirstConsumer"));
  EXPECT_EQ(About("VolumeBinding"),
            "no free volume of class \"slow\" for claim \"data\" (5Gi) is reachable, and the "
            "class provisions none");
}

TEST_F(VolumeDetailsTest, ClassThatMakesVolumesElsewhere) {
  world_.Add(ClaimYaml("data"));
  world_.Add(ClassYaml("slow",
                       "provisioner: csi.test, volumeBindingMode: WaitForFirstConsumer, "
                       "allowedTopologies: [{matchLabelExpressions: [{key: "
                       "topology.kubernetes.io/zone, values: [a, c]}]}]"));
  EXPECT_EQ(
      About("VolumeBinding"),
      "no free volume of class \"slow\" for claim \"data\" (5Gi) is reachable, and the "
      "class provisions none here: it requires topology.kubernetes.io/zone in (a, c), the node has "
      "topology.kubernetes.io/zone=b");
}

TEST_F(VolumeDetailsTest, DriverWithoutCapacity) {
  world_.Add(ClaimYaml("data"));
  world_.Add(ClassYaml("slow"));
  world_.Add(
      "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.test}, spec: "
      "{storageCapacity: true}}\n");
  EXPECT_EQ(About("VolumeBinding"),
            "no free volume of class \"slow\" for claim \"data\" (5Gi) is reachable, and "
            "csi.test has no capacity here to provision one");
}

TEST_F(VolumeDetailsTest, VolumeThatIsBeingMadeElsewhere) {
  world_.Add(ClaimYaml("data", {.annotations = "volume.kubernetes.io/selected-node: a"}));
  world_.Add(ClassYaml("slow"));
  EXPECT_EQ(About("VolumeBinding"), "the volume for claim \"data\" (5Gi) is being made on node a");
}

TEST_F(VolumeDetailsTest, ZoneOfTheVolume) {
  const std::string zones = Zone("a__c");
  world_.Add(VolumeYaml("disk-1", {.labels = zones}));
  world_.Add(BoundClaimYaml("data", "disk-1"));
  EXPECT_EQ(About("VolumeZone"),
            "claim \"data\" is bound to volume disk-1, which is in zone \"a\", \"c\", the node is "
            "in zone \"b\"");
}

TEST_F(VolumeDetailsTest, ExclusiveClaimInUse) {
  world_.Add(ClaimYaml("data", {.spec = "accessModes: [ReadWriteOncePod]"}));
  world_.Add(PodWithClaims("holder", {"data"}, OnNode("a")));
  EXPECT_EQ(About("VolumeRestrictions"),
            "claim \"data\" is for one pod at a time (ReadWriteOncePod) and in use by "
            "default/holder on node a");
}

TEST_F(VolumeDetailsTest, DiskInUse) {
  world_.Add(PodWithVolume("holder", "gcePersistentDisk: {pdName: d}", OnNode("b")));
  EXPECT_EQ(Details("VolumeRestrictions", world_,
                    PodWithVolume("new", "gcePersistentDisk: {pdName: d}"), "b"),
            "the disk of the pod's volume \"v\" is in use by default/holder");
}

TEST_F(VolumeDetailsTest, FullDriver) {
  world_.Add(
      "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: b}, spec: {drivers: [{name: "
      "csi.test, nodeID: b, allocatable: {count: 1}}]}}\n");
  for (const char* name : {"data", "held"}) {
    const std::string spec = fmt::format("csi: {{driver: csi.test, volumeHandle: h-{}}}", name);
    world_.Add(VolumeYaml(name, {.spec = spec, .phase = "Bound"}));
    world_.Add(BoundClaimYaml(name, name));
  }
  world_.Add(PodWithClaims("holder", {"held"}, OnNode("b")));
  EXPECT_EQ(About("NodeVolumeLimits"),
            "driver csi.test attaches up to 1 volume to the node, 1 is in use, and the pod needs 1 "
            "more");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
