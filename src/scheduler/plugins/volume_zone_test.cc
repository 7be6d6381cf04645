#include "scheduler/plugins/volume_zone.h"

#include "scheduler/plugins/volume_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr const char* kPlugin = "VolumeZone";

struct ZoneCase {
  const char* name;
  const char* volume_labels;
  std::vector<const char*> nodes;  // Their labels.
  const char* want;
};

class ZoneTest : public testing::TestWithParam<ZoneCase> {};

TEST_P(ZoneTest, Filter) {
  TestCluster world{VolumeYaml("pv", {.labels = GetParam().volume_labels}),
                    BoundClaimYaml("data", "pv")};
  for (size_t i = 0; i < GetParam().nodes.size(); ++i) {
    world.Add(NodeYaml(NthName(i), {.labels = GetParam().nodes[i]}));
  }
  EXPECT_EQ(FilterBy(kPlugin, world, PodWithClaims("web", {"data"})), GetParam().want);
}

constexpr const char* kEast = "topology.kubernetes.io/zone: east";
constexpr const char* kWest = "topology.kubernetes.io/zone: west";
constexpr const char* kBetaEast = "failure-domain.beta.kubernetes.io/zone: east";
constexpr const char* kBetaWest = "failure-domain.beta.kubernetes.io/zone: west";

INSTANTIATE_TEST_SUITE_P(
    Zones, ZoneTest,
    testing::Values(
        ZoneCase{"NodeInTheZone", kEast, {kEast, kWest}, "10"},
        ZoneCase{"NodeWithoutAnyZoneOrRegionWillDo", kEast, {"disk: ssd", kWest}, "10"},
        ZoneCase{"NodeWithARegionButNoZoneWillNot",
                 kEast,
                 {"topology.kubernetes.io/region: r", kEast},
                 "01"},
        ZoneCase{"SeveralZones",
                 "topology.kubernetes.io/zone: east__ north ",
                 {kEast, kWest, "topology.kubernetes.io/zone: north"},
                 "101"},
        ZoneCase{"ZoneAndRegionMustBothMatch",
                 "topology.kubernetes.io/zone: east, topology.kubernetes.io/region: r",
                 {kEast, "topology.kubernetes.io/zone: east, topology.kubernetes.io/region: r"},
                 "01"},
        ZoneCase{"BetaLabelOfTheVolumeMatchesEitherLabelOfTheNode",
                 kBetaEast,
                 {kBetaEast, kEast, kBetaWest, kWest},
                 "1100"},
        ZoneCase{
            "BetaLabelOfTheNodeGoesBeforeTheStableOne",
            kBetaEast,
            {"failure-domain.beta.kubernetes.io/zone: west, topology.kubernetes.io/zone: east"},
            "0"},
        ZoneCase{"StableLabelOfTheVolumeDoesNotMatchABetaLabel", kEast, {kBetaEast}, "0"},
        ZoneCase{"ListWithAnEmptyZoneIsIgnored",
                 "topology.kubernetes.io/zone: east____west",
                 {"topology.kubernetes.io/zone: north"},
                 "Skip"},
        ZoneCase{"NoZoneLabels", "zone: east", {kWest}, "Skip"},
        ZoneCase{"ZoneThatNoNodeHas", "topology.kubernetes.io/zone: mars", {kEast}, "0"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(VolumeZone, WrongZoneIsFinal) {
  TestCluster world{VolumeYaml("pv", {.labels = kEast}), BoundClaimYaml("data", "pv"),
                    NodeYaml("a", {.labels = kWest})};
  PluginHarness trial(world, MakePlugin(kPlugin), PodWithClaims("web", {"data"}));
  EXPECT_EQ(trial.Filter(), "0");
  EXPECT_EQ(trial.Explain("a"),
            "UnschedulableAndUnresolvable: node(s) had no available volume zone");
}

struct ClaimCase {
  const char* name;
  std::string objects;
  const char* want;
};

class VolumeZoneClaimTest : public testing::TestWithParam<ClaimCase> {};

TEST_P(VolumeZoneClaimTest, PreFilter) {
  TestCluster world{NodeYaml("a"), GetParam().objects};
  EXPECT_EQ(FilterBy(kPlugin, world, PodWithClaims("web", {"data"})), GetParam().want);
}

std::string Joined(const std::string& first, const std::string& second) {
  return first + "---\n" + second;
}

INSTANTIATE_TEST_SUITE_P(
    Claims, VolumeZoneClaimTest,
    testing::Values(
        ClaimCase{"Missing", ClassYaml("slow"),
                  "UnschedulableAndUnresolvable: persistentvolumeclaim \"data\" not found"},
        ClaimCase{"VolumeMissing", BoundClaimYaml("data", "pv"),
                  "UnschedulableAndUnresolvable: persistentvolume \"pv\" not found"},
        ClaimCase{"NoVolumeAndNoClass", ClaimYaml("data", {.spec = "storageClassName: ''"}),
                  "UnschedulableAndUnresolvable: PersistentVolumeClaim had no pv name and "
                  "storageClass name"},
        ClaimCase{"ClassMissing", ClaimYaml("data"),
                  "UnschedulableAndUnresolvable: storageclass.storage.k8s.io \"slow\" not found"},
        ClaimCase{"ClassWithoutABindingMode",
                  Joined(ClaimYaml("data"), ClassYaml("slow", "provisioner: p")),
                  "UnschedulableAndUnresolvable: VolumeBindingMode not set for StorageClass "
                  "\"slow\""},
        ClaimCase{"ImmediateButUnbound",
                  Joined(ClaimYaml("data"),
                         ClassYaml("slow", "provisioner: p, volumeBindingMode: Immediate")),
                  "UnschedulableAndUnresolvable: PersistentVolume had no name"},
        ClaimCase{"WaitingForAPod", Joined(ClaimYaml("data"), ClassYaml("slow")), "Skip"},
        ClaimCase{
            "ClassByAnnotation",
            Joined(ClaimYaml("data",
                             {.annotations = "volume.beta.kubernetes.io/storage-class: other"}),
                   ClassYaml("slow")),
            "UnschedulableAndUnresolvable: storageclass.storage.k8s.io \"other\" not found"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(VolumeZone, PodsWithoutClaimsAreSkipped) {
  TestCluster world{NodeYaml("a", {.labels = kWest})};
  EXPECT_EQ(FilterBy(kPlugin, world, PodYaml("web")), "Skip");
  EXPECT_EQ(FilterBy(kPlugin, world, PodWithVolume("web", "ephemeral: {}")), "Skip");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
