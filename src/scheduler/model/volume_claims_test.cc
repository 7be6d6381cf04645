#include "scheduler/model/volume_claims.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

std::string Text(const Result<CsiVolume>& volume) {
  return volume ? volume->driver + " " + volume->handle : "failed: " + volume.error().message;
}

struct HandleCase {
  const char* name;
  api::PersistentVolumeSource source;
  api::StringMap labels;
  const char* want;
};

class HandleTest : public testing::TestWithParam<HandleCase> {};

TEST_P(HandleTest, OfPersistentVolume) {
  api::PersistentVolume volume;
  volume.source = GetParam().source;
  volume.metadata.labels = GetParam().labels;
  EXPECT_EQ(Text(TranslateToCsi(volume)), GetParam().want);
}

api::PersistentVolumeSource Ebs(const char* id) {
  return api::AwsElasticBlockStoreSource{id, false};
}
api::PersistentVolumeSource Gce() { return api::GcePersistentDiskSource{"disk", false}; }
api::PersistentVolumeSource Azure(const char* kind) {
  return api::AzureDiskSource{"n", "uri", kind};
}

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";

INSTANTIATE_TEST_SUITE_P(
    Handles, HandleTest,
    testing::Values(
        HandleCase{"BareEbsId", Ebs("vol-1"), {}, "ebs.csi.aws.com vol-1"},
        HandleCase{"EbsUrl", Ebs("aws://us-east-1a/vol-1"), {}, "ebs.csi.aws.com vol-1"},
        HandleCase{"EbsUrlWithoutAZone", Ebs("aws:///vol-1/"), {}, "ebs.csi.aws.com vol-1"},
        HandleCase{"EbsUrlWithoutAnId",
                   Ebs("aws://vol-1"),
                   {},
                   "failed: failed to translate Kubernetes ID to EBS Volume ID invalid format for "
                   "AWS volume (aws://vol-1)"},
        HandleCase{"EbsUrlWithAPath",
                   Ebs("aws://z/vol-1/x"),
                   {},
                   "failed: failed to translate Kubernetes ID to EBS Volume ID invalid format for "
                   "AWS volume (aws://z/vol-1/x)"},
        HandleCase{"GceWithoutAZone",
                   Gce(),
                   {},
                   "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk"},
        HandleCase{"GceInAZone",
                   Gce(),
                   {{kZone, "us-east1-b"}},
                   "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/us-east1-b/disks/disk"},
        HandleCase{"GceBetaLabelFirst",
                   Gce(),
                   {{kZone, "us-east1-b"}, {kBetaZone, "us-east1-c"}},
                   "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/us-east1-c/disks/disk"},
        HandleCase{"GceInTwoZones",
                   Gce(),
                   {{kZone, "us-east1-b__us-east1-c"}},
                   "pd.csi.storage.gke.io projects/UNSPECIFIED/regions/us-east1/disks/disk"},
        HandleCase{"GceInTwoRegions",
                   Gce(),
                   {{kZone, "us-west1-b__us-east1-c"}},
                   "failed: failed to get region from zones: multiple or no regions gotten from "
                   "zones, got: map[us-east1:{} us-west1:{}]"},
        HandleCase{"GceInOddZones",
                   Gce(),
                   {{kZone, "here__there"}},
                   "failed: failed to get region from zones: zone in unexpected format, expected: "
                   "{locale}-{region}-{zone}, got: here"},
        HandleCase{"ManagedAzureDisk", Azure("managed"), {}, "disk.csi.azure.com uri"},
        HandleCase{"AzureDiskOfNoKind", Azure(""), {}, "disk.csi.azure.com uri"},
        HandleCase{"DedicatedAzureDisk",
                   Azure("Dedicated"),
                   {},
                   "failed: kind(Dedicated) is not supported in csi migration"},
        HandleCase{"Cinder", api::CinderSource{"c"}, {}, "cinder.csi.openstack.org c"},
        HandleCase{"Portworx", api::PortworxSource{"p"}, {}, "pxd.portworx.com p"},
        HandleCase{"Vsphere", api::VsphereSource{"path"}, {}, "csi.vsphere.vmware.com "}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CsiTranslation, InlineDiskHasNoZone) {
  api::Volume volume{"v", api::GcePersistentDiskSource{"disk", false}};
  EXPECT_EQ(Text(TranslateToCsi(volume)),
            "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk");
}

TEST(CsiTranslation, OtherSourcesHaveNoPlugin) {
  EXPECT_EQ(InTreePluginOf(api::Volume{"v", api::RbdSource{}}), nullptr);
  EXPECT_EQ(InTreePluginOf(api::PersistentVolume{}), nullptr);
  EXPECT_EQ(FindInTreePlugin("kubernetes.io/rbd"), nullptr);
  ASSERT_NE(FindInTreePlugin("kubernetes.io/cinder"), nullptr);
  EXPECT_EQ(FindInTreePlugin("kubernetes.io/cinder")->driver, "cinder.csi.openstack.org");
}

// --- node affinity ---

std::string Text(const std::optional<api::NodeSelector>& affinity) {
  if (!affinity) return "anywhere";
  std::string text;
  for (const api::NodeSelectorTerm& term : affinity->terms) {
    text += "(";
    for (const api::NodeSelectorRequirement& r : term.match_expressions) {
      text += " " + r.key + " " + r.op;
      for (const std::string& value : r.values) text += " " + value;
    }
    text += " )";
  }
  return text;
}

struct AffinityCase {
  const char* name;
  std::vector<api::NodeSelectorRequirement> requirements;  // One term each.
  api::StringMap labels;
  const char* want;
};

class AffinityTest : public testing::TestWithParam<AffinityCase> {};

TEST_P(AffinityTest, OfEbsVolume) {
  api::PersistentVolume volume;
  volume.source = Ebs("vol-1");
  volume.metadata.labels = GetParam().labels;
  for (const auto& requirement : GetParam().requirements) {
    if (!volume.node_affinity) volume.node_affinity.emplace();
    volume.node_affinity->terms.push_back({{requirement}, {}});
  }
  EXPECT_EQ(Text(TranslateAffinity(volume)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Affinities, AffinityTest,
    testing::Values(
        AffinityCase{"Nothing", {}, {}, "anywhere"},
        AffinityCase{"ZoneIsRenamedInEveryTerm",
                     {{kZone, "In", {"a"}}, {kZone, "NotIn", {"b"}}},
                     {},
                     "( topology.ebs.csi.aws.com/zone In a )( topology.ebs.csi.aws.com/zone NotIn "
                     "b )"},
        AffinityCase{
            "BetaZoneAndRegion",
            {{kBetaZone, "In", {"a"}}, {"failure-domain.beta.kubernetes.io/region", "In", {"r"}}},
            {},
            "( topology.ebs.csi.aws.com/zone In a )( topology.kubernetes.io/region In r )"},
        AffinityCase{"BetaZoneStaysBesideAStableOne",
                     {{kBetaZone, "In", {"a"}}, {kZone, "In", {"a"}}},
                     {},
                     "( failure-domain.beta.kubernetes.io/zone In a )( "
                     "topology.ebs.csi.aws.com/zone In a )"},
        AffinityCase{
            "ZoneFromTheLabels", {}, {{kZone, "b__a"}}, "( topology.ebs.csi.aws.com/zone In a b )"},
        AffinityCase{"ZoneFromTheLabelsBesideOtherConditions",
                     {{"disk", "In", {"ssd"}}},
                     {{kBetaZone, "a"}},
                     "( disk In ssd topology.ebs.csi.aws.com/zone In a )"},
        AffinityCase{"AffinityGoesBeforeTheLabels",
                     {{kZone, "In", {"a"}}},
                     {{kZone, "b"}},
                     "( topology.ebs.csi.aws.com/zone In a )"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CsiTranslation, DriversWithoutZonesKeepTheAffinity) {
  api::PersistentVolume volume;
  volume.source = Azure("Managed");
  volume.node_affinity.emplace().terms = {{{{kZone, "In", {"a"}}}, {}}};
  EXPECT_EQ(Text(TranslateAffinity(volume)), "( topology.kubernetes.io/zone In a )");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
