#include "scheduler/plugins/node_volume_limits.h"

#include "scheduler/model/attached_volumes.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/volume_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr const char* kPlugin = "NodeVolumeLimits";

// A CSINode that takes `count` volumes of "csi.test", or any number if that is empty.
std::string CsiNodeYaml(std::string_view name, std::string_view count,
                        std::string_view driver = "csi.test") {
  const std::string allocatable =
      count.empty() ? "" : fmt::format(", allocatable: {{count: {}}}", count);
  return fmt::format(
      "{{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: {0}}}, spec: {{drivers: "
      "[{{name: {1}, nodeID: {0}{2}}}]}}}}\n",
      name, driver, allocatable);
}

// A volume of the driver "csi.test" and a claim that is bound to it, both called `name`.
std::string CsiClaim(std::string_view name) {
  const std::string spec = fmt::format("csi: {{driver: csi.test, volumeHandle: h-{}}}", name);
  return VolumeYaml(name, {.spec = spec, .phase = "Bound"}) + "---\n" + BoundClaimYaml(name, name);
}

std::string AttachmentYaml(std::string_view name, std::string_view node, std::string_view volume) {
  return fmt::format(
      "{{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {{name: {}}}, spec: "
      "{{attacher: csi.test, nodeName: {}, source: {{persistentVolumeName: {}}}}}}}\n",
      name, node, volume);
}

class NodeVolumeLimitsTest : public testing::Test {
 protected:
  NodeVolumeLimitsTest() {
    for (const char* name : {"red", "green", "blue"}) world_.Add(CsiClaim(name));
    world_.Add(NodeYaml("a"));
  }
  std::string Filter(std::initializer_list<const char*> claims) {
    return FilterBy(kPlugin, world_, PodWithClaims("web", claims));
  }
  TestCluster world_;
};

TEST_F(NodeVolumeLimitsTest, OneVolumeTooMany) {
  world_.Add(CsiNodeYaml("a", "2"));
  world_.Add(PodWithClaims("other", {"red"}, OnNode("a")));
  EXPECT_EQ(Filter({"green"}), "1");
  EXPECT_EQ(Filter({"green", "blue"}), "0");
  PluginHarness trial(world_, MakePlugin(kPlugin), PodWithClaims("web", {"green", "blue"}));
  trial.Filter();
  EXPECT_EQ(trial.Explain("a"), "Unschedulable: node(s) exceed max volume count");
}

TEST_F(NodeVolumeLimitsTest, SharedVolumesCountOnce) {
  world_.Add(CsiNodeYaml("a", "1"));
  world_.Add(PodWithClaims("other", {"red"}, OnNode("a")));
  world_.Add(PodWithClaims("another", {"red"}, OnNode("a")));
  EXPECT_EQ(Filter({"red"}), "1");
  EXPECT_EQ(Filter({"red", "green"}), "0");
}

TEST_F(NodeVolumeLimitsTest, NoLimitIsNoLimit) {
  world_.Add(NodeYaml("b"));
  world_.Add(NodeYaml("c"));
  world_.Add(CsiNodeYaml("a", ""));
  world_.Add(CsiNodeYaml("b", "0"));
  EXPECT_EQ(Filter({"red"}), "101");
}

TEST_F(NodeVolumeLimitsTest, LimitOfAnotherDriverDoesNotMatter) {
  world_.Add(CsiNodeYaml("a", "0", "csi.other"));
  EXPECT_EQ(Filter({"red"}), "1");
}

TEST_F(NodeVolumeLimitsTest, AttachedVolumesWithoutAPodCount) {
  world_.Add(CsiNodeYaml("a", "2"));
  world_.Add(AttachmentYaml("va-red", "a", "red"));
  EXPECT_EQ(Filter({"green"}), "1");
  world_.Add(AttachmentYaml("va-green", "a", "green"));
  EXPECT_EQ(Filter({"blue"}), "0");
  // kube-scheduler counts a volume twice that is attached and wanted but used by no pod yet.
  EXPECT_EQ(Filter({"green"}), "0");
  world_.Add(PodWithClaims("other", {"green"}, OnNode("a")));
  EXPECT_EQ(Filter({"green"}), "1");
  world_.cluster().Remove<api::VolumeAttachment>({"", "va-red"});
  EXPECT_EQ(Filter({"blue"}), "1");
}

TEST_F(NodeVolumeLimitsTest, AttachmentsElsewhereOrOfUnknownVolumesDoNotCount) {
  world_.Add(CsiNodeYaml("a", "1"));
  world_.Add(AttachmentYaml("va-red", "b", "red"));
  world_.Add(AttachmentYaml("va-unknown", "a", "unknown"));
  EXPECT_EQ(Filter({"green"}), "1");
}

TEST_F(NodeVolumeLimitsTest, UnboundClaimsCountByTheirClass) {
  world_.Add(CsiNodeYaml("a", "1"));
  world_.Add(ClaimYaml("new"));
  world_.Add(ClaimYaml("newer"));
  EXPECT_EQ(Filter({"new", "newer"}), "1") << "a class that is not known is not counted";
  world_.Add(ClassYaml("slow"));
  EXPECT_EQ(Filter({"new"}), "1");
  EXPECT_EQ(Filter({"new", "newer"}), "0");
  world_.Add(PodWithClaims("other", {"new"}, OnNode("a")));
  EXPECT_EQ(Filter({"new"}), "1");
  EXPECT_EQ(Filter({"newer"}), "0");
}

TEST_F(NodeVolumeLimitsTest, ClaimOfAVolumeThatIsNotThereCountsByItsClass) {
  world_.Add(CsiNodeYaml("a", "0"));
  world_.Add(BoundClaimYaml("lost", "no-such-volume"));
  EXPECT_EQ(Filter({"lost"}), "1");
  world_.Add(ClassYaml("slow"));
  EXPECT_EQ(Filter({"lost"}), "0");
}

TEST_F(NodeVolumeLimitsTest, MissingClaimOfThePodIsFinal) {
  PluginHarness trial(world_, MakePlugin(kPlugin), PodWithClaims("web", {"red", "nope"}));
  EXPECT_EQ(trial.Filter(), "0");
  EXPECT_EQ(trial.Explain("a"),
            "UnschedulableAndUnresolvable: looking up PVC default/nope: persistentvolumeclaim "
            "\"nope\" not found");
}

TEST_F(NodeVolumeLimitsTest, MissingClaimsOfOtherPodsDoNotCount) {
  world_.Add(CsiNodeYaml("a", "1"));
  world_.Add(PodWithClaims("other", {"nope"}, OnNode("a")));
  EXPECT_EQ(Filter({"red"}), "1");
}

TEST_F(NodeVolumeLimitsTest, EphemeralClaimMustBelongToItsPod) {
  world_.Add(CsiNodeYaml("a", "1"));
  world_.Add(ClaimYaml("other-v"));
  world_.Add(PodWithVolume("other", "ephemeral: {}", OnNode("a")));
  EXPECT_EQ(Filter({"red"}),
            "Error: PVC default/other-v was not created for pod default/other (pod is not owner)");
}

TEST_F(NodeVolumeLimitsTest, PodsWithoutSuchVolumesAreSkipped) {
  EXPECT_EQ(FilterBy(kPlugin, world_, PodYaml("web")), "Skip");
  EXPECT_EQ(FilterBy(kPlugin, world_, PodWithVolume("web", "emptyDir: {}")), "Skip");
  EXPECT_EQ(FilterBy(kPlugin, world_, PodWithVolume("web", "csi: {driver: csi.test}")), "Skip");
}

constexpr const char* kEbs = "awsElasticBlockStore: {volumeID: vol-1}";

TEST_F(NodeVolumeLimitsTest, InTreeVolumesCountForTheDriverThatTookOver) {
  world_.Add(CsiNodeYaml("a", "0", "ebs.csi.aws.com"));
  EXPECT_EQ(FilterBy(kPlugin, world_, PodWithVolume("web", kEbs)), "0");
  world_.Add(VolumeYaml("ebs", {.spec = "awsElasticBlockStore: {volumeID: 'aws://east/vol-2'}"}));
  world_.Add(BoundClaimYaml("in-tree", "ebs"));
  EXPECT_EQ(Filter({"in-tree"}), "0");
  world_.Add(ClassYaml("in-tree-class",
                       "provisioner: kubernetes.io/aws-ebs, volumeBindingMode: "
                       "WaitForFirstConsumer"));
  world_.Add(ClaimYaml("unbound", {.annotations = "volume.beta.kubernetes.io/storage-class: "
                                                  "in-tree-class"}));
  EXPECT_EQ(Filter({"unbound"}), "0");
}

TEST_F(NodeVolumeLimitsTest, AzureFileAndVsphereAreNeverCounted) {
  world_.Add(CsiNodeYaml("a", "0", "file.csi.azure.com"));
  EXPECT_EQ(
      FilterBy(kPlugin, world_, PodWithVolume("web", "azureFile: {secretName: s, shareName: h}")),
      "1");
}

TEST_F(NodeVolumeLimitsTest, VolumeThatCannotBeTranslatedIsAnErrorWhereThereIsACsiNode) {
  const std::string pod = PodWithVolume("web", "awsElasticBlockStore: {volumeID: 'aws://x/y'}");
  EXPECT_EQ(FilterBy(kPlugin, world_, pod), "1");
  world_.Add(CsiNodeYaml("a", ""));
  EXPECT_EQ(FilterBy(kPlugin, world_, pod),
            "Error: converting volume(v) from inline to csi: failed to translate Kubernetes ID to "
            "EBS Volume ID invalid format for AWS volume (aws://x/y)");
}

TEST_F(NodeVolumeLimitsTest, RemovedPodsReleaseTheirVolumes) {
  world_.Add(CsiNodeYaml("a", "1"));
  world_.Add(PodWithClaims("other", {"red"}, OnNode("a")));
  const model::PodRecord& other = world_.cluster().pod(world_.pod("other"));
  world_.cluster().TryRemovePod(other, world_.node("a"));
  EXPECT_EQ(Filter({"green"}), "1");
  world_.cluster().TryAddPod(other, world_.node("a"));
  EXPECT_EQ(Filter({"green"}), "0");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
