#include "scheduler/plugins/volume_restrictions.h"

#include "scheduler/plugins/volume_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr const char* kPlugin = "VolumeRestrictions";

struct DiskCase {
  const char* name;
  const char* wanted;
  const char* present;  // On node "a"; "b" is empty.
  const char* want;
};

class DiskTest : public testing::TestWithParam<DiskCase> {};

TEST_P(DiskTest, Filter) {
  TestCluster world{NodeYaml("a"), NodeYaml("b"),
                    PodWithVolume("other", GetParam().present, OnNode("a"))};
  EXPECT_EQ(FilterBy(kPlugin, world, PodWithVolume("web", GetParam().wanted)), GetParam().want);
}

constexpr const char* kRbd = "rbd: {monitors: [m1, m2], pool: p, image: i}";

INSTANTIATE_TEST_SUITE_P(
    Disks, DiskTest,
    testing::Values(
        DiskCase{"SameGceDisk", "gcePersistentDisk: {pdName: d}", "gcePersistentDisk: {pdName: d}",
                 "01"},
        DiskCase{"OtherGceDisk", "gcePersistentDisk: {pdName: d}", "gcePersistentDisk: {pdName: e}",
                 "11"},
        DiskCase{"GceDiskReadByBoth", "gcePersistentDisk: {pdName: d, readOnly: true}",
                 "gcePersistentDisk: {pdName: d, readOnly: true}", "11"},
        DiskCase{"GceDiskReadByOne", "gcePersistentDisk: {pdName: d, readOnly: true}",
                 "gcePersistentDisk: {pdName: d}", "01"},
        DiskCase{"EbsReadByBothStillClashes", "awsElasticBlockStore: {volumeID: d, readOnly: true}",
                 "awsElasticBlockStore: {volumeID: d, readOnly: true}", "01"},
        DiskCase{"SameNameInAnotherCloud", "awsElasticBlockStore: {volumeID: d}",
                 "gcePersistentDisk: {pdName: d}", "11"},
        DiskCase{"IscsiByIqnWhateverTheLun", "iscsi: {targetPortal: x, iqn: q, lun: 0}",
                 "iscsi: {targetPortal: 'y', iqn: q, lun: 1}", "01"},
        DiskCase{"IscsiReadByBoth", "iscsi: {targetPortal: x, iqn: q, lun: 0, readOnly: true}",
                 "iscsi: {targetPortal: x, iqn: q, lun: 0, readOnly: true}", "11"},
        DiskCase{"RbdSharesAMonitor", kRbd, "rbd: {monitors: [m2, m3], pool: p, image: i}", "01"},
        DiskCase{"RbdSharesNoMonitor", kRbd, "rbd: {monitors: [m3], pool: p, image: i}", "11"},
        DiskCase{"RbdOtherPool", kRbd, "rbd: {monitors: [m1], pool: q, image: i}", "11"},
        DiskCase{"RbdOtherImage", kRbd, "rbd: {monitors: [m1], pool: p, image: j}", "11"},
        DiskCase{"OtherSourcesAreNotChecked", "configMap: {name: d}", "configMap: {name: d}",
                 "Skip"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(VolumeRestrictions, ClashingDiskIsUnschedulableSoThatPreemptionMayHelp) {
  TestCluster world{NodeYaml("a"),
                    PodWithVolume("other", "gcePersistentDisk: {pdName: d}", OnNode("a"))};
  PluginHarness trial(world, MakePlugin(kPlugin),
                      PodWithVolume("web", "gcePersistentDisk: {pdName: d}"));
  EXPECT_EQ(trial.Filter(), "0");
  EXPECT_EQ(trial.Explain("a"), "Unschedulable: node(s) had no available disk");
}

const std::string kExclusive = ClaimYaml("data", {.spec = "accessModes: [ReadWriteOncePod]"});

TEST(VolumeRestrictions, MissingClaimIsFinal) {
  TestCluster world{NodeYaml("a"), kExclusive};
  EXPECT_EQ(FilterBy(kPlugin, world, PodWithClaims("web", {"data", "logs"})),
            "UnschedulableAndUnresolvable: persistentvolumeclaim \"logs\" not found");
}

TEST(VolumeRestrictions, ExclusiveClaimInUseKeepsThePodOffAllNodes) {
  TestCluster world{NodeYaml("a"), NodeYaml("b"), kExclusive,
                    PodWithClaims("other", {"data"}, OnNode("a"))};
  PluginHarness trial(world, MakePlugin(kPlugin), PodWithClaims("web", {"data"}));
  EXPECT_EQ(trial.Filter(), "00");
  EXPECT_EQ(trial.Explain("b"),
            "Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod "
            "access mode already in-use by another pod");
}

struct UseCase {
  const char* name;
  std::string claim;
  std::string other;
  const char* want;
};

class ExclusiveUseTest : public testing::TestWithParam<UseCase> {};

TEST_P(ExclusiveUseTest, Filter) {
  TestCluster world{NodeYaml("a"), NodeYaml("b"), GetParam().claim, GetParam().other};
  EXPECT_EQ(FilterBy(kPlugin, world, PodWithClaims("web", {"data"})), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Uses, ExclusiveUseTest,
    testing::Values(
        UseCase{"ByNoOne", kExclusive, PodYaml("other"), "Skip"},
        UseCase{"ByAPendingPod", kExclusive, PodWithClaims("other", {"data"}), "Skip"},
        UseCase{"OnANodeThatDoesNotExist", kExclusive,
                PodWithClaims("other", {"data"}, OnNode("gone")), "Skip"},
        UseCase{"OfAClaimThatManyMayUse", ClaimYaml("data"),
                PodWithClaims("other", {"data"}, OnNode("a")), "Skip"},
        UseCase{"OfTheSameNameInAnotherNamespace", kExclusive,
                "{kind: Pod, apiVersion: v1, metadata: {name: other, namespace: far, uid: x}, "
                "spec: {nodeName: a, volumes: [{name: v, persistentVolumeClaim: {claimName: "
                "data}}]}}",
                "Skip"}),
    [](const auto& test) { return std::string(test.param.name); });

// kube-scheduler compares claims by name alone when pods come and go while it tries things out.
TEST(VolumeRestrictions, RemovedAndAddedPodsChangeTheConflictsWhateverTheirNamespace) {
  TestCluster world{
      NodeYaml("a"), kExclusive, PodWithClaims("other", {"data"}, OnNode("a")),
      "{kind: Pod, apiVersion: v1, metadata: {name: far, namespace: far, uid: x}, spec: "
      "{nodeName: a, volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}}"};
  PluginHarness trial(world, MakePlugin(kPlugin), PodWithClaims("web", {"data"}));
  EXPECT_EQ(trial.Filter(), "0");
  const auto& plugin = trial.As<framework::PreFilterPlugin>();
  const model::PodRecord& other = world.cluster().pod(world.pod("other"));
  const model::PodRecord& far = world.cluster().pod(world.cluster().pods().Find("far", "far"));
  const model::NodeRow node = world.node("a");

  plugin.PodRemoved(trial.cycle(), other, node);
  EXPECT_EQ(trial.Explain("a"), "Success");
  plugin.PodAdded(trial.cycle(), far, node);
  EXPECT_NE(trial.Explain("a"), "Success");
  plugin.PodRemoved(trial.cycle(), far, node);
  EXPECT_EQ(trial.Explain("a"), "Success");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
