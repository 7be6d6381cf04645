// Cases of the reference implementation that the conformance vectors do not have: details of dry
// runs, nominated pods and migrated volumes. The expected values are derived by hand.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/reference/evaluate.h"
#include "scheduler/reference/snapshot.h"
#include "scheduler/reference/volumes.h"
#include "testing/object_builders.h"

namespace berth::scheduler::reference {
namespace BERTH_TEST_FILE {

constexpr Instant kNow = Instant::FromUnixSeconds(1'900'000'000);

Snapshot SnapshotOf(const std::vector<api::Object>& objects) {
  Snapshot snapshot;
  for (const api::Object& object : objects) snapshot.Put(object);
  return snapshot;
}

Evaluation EvaluatePod(const std::vector<api::Object>& objects, const api::Pod& pod) {
  return Evaluate(SnapshotOf(objects), pod, {}, kNow);
}

std::string ReasonAt(const Evaluation& evaluation, const std::string& node) {
  return evaluation.nodes.at(node).verdict.Message();
}

api::PodAffinityTerm NearApp(const std::string& app) {
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels["app"] = app;
  term.topology_key = "zone";
  return term;
}

api::TopologySpreadConstraint SpreadOverZones() {
  api::TopologySpreadConstraint constraint;
  constraint.max_skew = 1;
  constraint.topology_key = "zone";
  constraint.when_unsatisfiable = "DoNotSchedule";
  constraint.label_selector.emplace().match_labels["app"] = "web";
  return constraint;
}

TEST(ReferenceSnapshot, StoresAPodOnce) {
  Snapshot snapshot;
  snapshot.Put(MakePod("web").Nominated("n1").ref());
  EXPECT_EQ(snapshot.NominatedTo("n1").size(), 1u);
  snapshot.Put(MakePod("web").On("n2").ref());
  EXPECT_TRUE(snapshot.NominatedTo("n1").empty());
  EXPECT_EQ(snapshot.PodsOn("n2").size(), 1u);
  snapshot.Put(MakePod("web").On("n2").Phase("Succeeded").ref());
  EXPECT_TRUE(snapshot.PodsOn("n2").empty());
}

TEST(ReferenceNodeOrder, AlternatesZonesInTheOrderOfTheirFirstNodes) {
  constexpr const char* kZone = "topology.kubernetes.io/zone";
  const Snapshot snapshot =
      SnapshotOf({MakeNode("n1").Label(kZone, "z").ref(), MakeNode("n2").Label(kZone, "z").ref(),
                  MakeNode("n3").Label(kZone, "z").ref(), MakeNode("n4").Label(kZone, "a").ref(),
                  MakeNode("n5").ref(), MakeNode("n6").Label(kZone, "a").ref()});
  EXPECT_EQ(NodeOrder(snapshot), (std::vector<std::string>{"n1", "n4", "n5", "n2", "n6", "n3"}));
}

// A volume that is assumed for another claim is taken, though the API does not show it yet.
TEST(ReferenceVolumeBinding, CountsAssumedVolumesAndClaims) {
  api::StorageClass local;
  local.metadata.name = "local";
  local.provisioner = "kubernetes.io/no-provisioner";
  local.volume_binding_mode = "WaitForFirstConsumer";
  api::PersistentVolume volume;
  volume.metadata.name = "v";
  volume.storage_class_name = "local";
  volume.phase = "Available";
  api::PersistentVolumeClaim claim;
  claim.metadata.name = "data";
  claim.metadata.namespace_ = "default";
  claim.storage_class_name = "local";
  MakePod pod("p");
  pod.object.spec.volumes.push_back({"data", api::PersistentVolumeClaimSource{"data", false}});
  Snapshot snapshot =
      SnapshotOf({MakeNode("n1").ref(), std::make_shared<const api::StorageClass>(local),
                  std::make_shared<const api::PersistentVolume>(volume),
                  std::make_shared<const api::PersistentVolumeClaim>(claim)});
  EXPECT_EQ(ReasonAt(Evaluate(snapshot, pod, {}, kNow), "n1"), "");

  volume.claim_ref.emplace().name = "other";
  snapshot.assumed_volumes[{"", "v"}] = std::make_shared<const api::PersistentVolume>(volume);
  EXPECT_EQ(ReasonAt(Evaluate(snapshot, pod, {}, kNow), "n1"),
            "node(s) didn't find available persistent volumes to bind");

  snapshot.assumed_volumes.clear();
  claim.metadata.annotations["volume.kubernetes.io/selected-node"] = "elsewhere";
  snapshot.assumed_claims[{"default", "data"}] =
      std::make_shared<const api::PersistentVolumeClaim>(claim);
  EXPECT_EQ(ReasonAt(Evaluate(snapshot, pod, {}, kNow), "n1"),
            "node(s) didn't find available persistent volumes to bind");
}

TEST(ReferenceNominatedPods, ReserveResourcesAgainstPodsOfEqualOrLowerPriority) {
  const std::vector<api::Object> objects = {
      MakeNode("n1").Cpu("1").ref(),
      MakePod("nominated").Request("cpu", "800m").Priority(5).Nominated("n1").ref()};
  EXPECT_EQ(ReasonAt(EvaluatePod(objects, MakePod("p").Request("cpu", "500m").Priority(5)), "n1"),
            "Insufficient cpu");
  EXPECT_EQ(EvaluatePod(objects, MakePod("p").Request("cpu", "500m").Priority(6)).best_nodes.size(),
            1u);
}

TEST(ReferenceNominatedPods, DoNotSatisfyAffinity) {
  MakePod pod("p");
  pod.object.spec.affinity.emplace().pod_affinity.emplace().required = {NearApp("web")};
  MakePod web("web");
  web.Label("app", "web");
  const api::Object node = MakeNode("n1").Label("zone", "a").ref();
  EXPECT_EQ(ReasonAt(EvaluatePod({node, web.Nominated("n1").ref()}, pod), "n1"),
            "node(s) didn't match pod affinity rules");
  EXPECT_EQ(ReasonAt(EvaluatePod({node, web.On("n1").ref()}, pod), "n1"), "");
}

TEST(ReferenceNominatedPods, GetTheirNodeThoughOthersScoreBetter) {
  const Evaluation evaluation =
      EvaluatePod({MakeNode("big").Cpu("64").ref(), MakeNode("small").Cpu("1").ref()},
                  MakePod("p").Request("cpu", "1").Nominated("small"));
  EXPECT_TRUE(evaluation.nominated_node_fits);
  EXPECT_EQ(evaluation.best_nodes, std::vector<std::string>{"small"});
  EXPECT_GT(evaluation.nodes.at("big").total, evaluation.nodes.at("small").total);
}

// Evicting one of two pods with the same host port frees the port.
TEST(ReferenceDryRun, HostPortsAreASet) {
  const Evaluation evaluation =
      EvaluatePod({MakeNode("n1").ref(), MakePod("low").HostPort(80).Priority(0).On("n1").ref(),
                   MakePod("high").HostPort(80).Priority(9).On("n1").ref()},
                  MakePod("p").HostPort(80).Priority(5));
  ASSERT_TRUE(evaluation.preemption.has_value());
  const Candidate want = {{{"default", "low"}}, 0};
  EXPECT_EQ(evaluation.preemption->candidates, (std::map<std::string, Candidate>{{"n1", want}}));
}

// A terminating pod is not counted in its zone, but removing it decrements the count: from 1 to 0
// in zone a, where the other pod stays.
TEST(ReferenceDryRun, SpreadCountsTerminatingPodsWhenTheyAreRemoved) {
  MakePod pod("p");
  pod.Label("app", "web").Priority(5).Request("cpu", "2");
  pod.object.spec.topology_spread_constraints = {SpreadOverZones()};
  MakePod leaving("leaving");
  leaving.Label("app", "web").On("a1");
  leaving.object.metadata.deletion_timestamp = kNow;
  const Evaluation evaluation = EvaluatePod(
      {MakeNode("a1").Label("zone", "a").ref(), MakeNode("b1").Label("zone", "b").Cpu("1").ref(),
       leaving.ref(), MakePod("stays").Label("app", "web").Priority(9).On("a1").ref()},
      pod);
  EXPECT_EQ(ReasonAt(evaluation, "a1"), "node(s) didn't match pod topology spread constraints");
  ASSERT_TRUE(evaluation.preemption.has_value());
  const Candidate want = {{{"default", "leaving"}}, 0};
  EXPECT_EQ(evaluation.preemption->candidates, (std::map<std::string, Candidate>{{"a1", want}}));
}

// The incoming pod uses claim "c" of its own namespace, the victim "c" of another one. Removing the
// victim counts all the same.
TEST(ReferenceDryRun, ExclusiveClaimsAreComparedByNameAlone) {
  auto claim = std::make_shared<api::PersistentVolumeClaim>();
  claim->metadata.name = "c";
  claim->metadata.namespace_ = "default";
  claim->access_modes = {"ReadWriteOncePod"};
  claim->volume_name = "v";
  claim->metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  const std::vector<api::Object> objects = {
      MakeNode("n1").ref(),
      MakeNode("n2").ref(),
      api::Ref<api::PersistentVolumeClaim>(claim),
      MakeObject<api::PersistentVolume>("v"),
      MakePod("user").Mounts("c").Priority(9).On("n2").ref(),
      MakePod("stranger").Namespace("team").Mounts("c").On("n1").ref()};
  const Evaluation evaluation = EvaluatePod(objects, MakePod("p").Mounts("c").Priority(5));
  ASSERT_TRUE(evaluation.preemption.has_value());
  EXPECT_TRUE(evaluation.preemption->candidates.contains("n1"));
  EXPECT_FALSE(evaluation.preemption->candidates.contains("n2"));
}

TEST(ReferenceImageLocality, TheFirstNodeByNameDeterminesTheSize) {
  constexpr int64_t kMegabyte = 1 << 20;
  const Evaluation evaluation = EvaluatePod({MakeNode("n1").Image("app:1", 300 * kMegabyte).ref(),
                                             MakeNode("n2").Image("app:1", 900 * kMegabyte).ref()},
                                            MakePod("p"));
  // 100 * (300 - 23) / (1000 - 23)
  EXPECT_EQ(evaluation.nodes.at("n1").scores.at("ImageLocality"), 28);
  EXPECT_EQ(evaluation.nodes.at("n2").scores.at("ImageLocality"), 28);
}

TEST(ReferencePreFilter, NamedNodesThatDoNotExistLeaveNone) {
  MakePod pod("p");
  api::NodeSelectorTerm term;
  term.match_fields = {{"metadata.name", "In", {"gone"}}};
  pod.object.spec.affinity.emplace().node_affinity.emplace().required = {{term}};
  const Evaluation evaluation = EvaluatePod({MakeNode("n1").ref(), MakeNode("n2").ref()}, pod);
  EXPECT_EQ(evaluation.restricted_to, std::vector<std::string>{"gone"});
  EXPECT_TRUE(evaluation.nodes.at("n1").excluded_by_pre_filter);
  EXPECT_EQ(evaluation.fit_error_before_post_filter,
            "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity].");
}

TEST(ReferenceProfile, APointOverridesMultiPoint) {
  framework::ProfileConfig config;
  config.multi_point.enabled = {{"NodeName"}, {"TaintToleration", 3}, {"ImageLocality", 1}};
  auto& score = config.points[static_cast<size_t>(framework::ExtensionPoint::kScore)];
  score.enabled = {{"NodeAffinity", 4}, {"ImageLocality", 7}};
  auto& filter = config.points[static_cast<size_t>(framework::ExtensionPoint::kFilter)];
  filter.disabled = {"NodeName"};
  const ReferenceProfile profile = ReferenceProfileOf(config);
  EXPECT_EQ(profile.filters, std::vector<std::string>{"TaintToleration"});
  EXPECT_EQ(profile.scorers,
            (std::vector<ReferenceProfile::Scorer>{
                {"ImageLocality", 7}, {"TaintToleration", 3}, {"NodeAffinity", 4}}));
}

struct HandleCase {
  const char* name;
  api::PersistentVolumeSource source;
  std::string zone;  // The volume's label, if not empty.
  const char* want;  // "error" if it cannot be translated.
};

class ReferenceCsiHandle : public testing::TestWithParam<HandleCase> {};

TEST_P(ReferenceCsiHandle, IdentifiesTheVolume) {
  api::PersistentVolume volume;
  volume.source = GetParam().source;
  if (!GetParam().zone.empty()) {
    volume.metadata.labels["topology.kubernetes.io/zone"] = GetParam().zone;
  }
  EXPECT_EQ(MigratedHandle(volume).value_or("error"), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Sources, ReferenceCsiHandle,
    testing::Values(
        HandleCase{"AwsId", api::AwsElasticBlockStoreSource{"vol-1"}, "", "vol-1"},
        HandleCase{"AwsUrl", api::AwsElasticBlockStoreSource{"aws://z/vol-1"}, "", "vol-1"},
        HandleCase{"AwsBadUrl", api::AwsElasticBlockStoreSource{"aws://z/x-1"}, "", "error"},
        HandleCase{"GceWithoutZone", api::GcePersistentDiskSource{"d"}, "",
                   "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"},
        HandleCase{"GceZone", api::GcePersistentDiskSource{"d"}, "eu-west1-b",
                   "projects/UNSPECIFIED/zones/eu-west1-b/disks/d"},
        HandleCase{"GceRegion", api::GcePersistentDiskSource{"d"}, "eu-west1-b__eu-west1-c",
                   "projects/UNSPECIFIED/regions/eu-west1/disks/d"},
        HandleCase{"GceTwoRegions", api::GcePersistentDiskSource{"d"}, "eu-west1-b__eu-west2-c",
                   "error"},
        HandleCase{"AzureManaged", api::AzureDiskSource{"d", "uri", "managed"}, "", "uri"},
        HandleCase{"AzureShared", api::AzureDiskSource{"d", "uri", "Shared"}, "", "error"},
        HandleCase{"Cinder", api::CinderSource{"id"}, "", "id"}),
    [](const auto& param) { return std::string(param.param.name); });

std::vector<api::NodeSelectorRequirement> ExpressionsOf(const api::PersistentVolume& volume) {
  const auto affinity = MigratedNodeAffinity(volume);
  if (!affinity || !*affinity || (*affinity)->terms.empty()) return {};
  return (*affinity)->terms[0].match_expressions;
}

TEST(ReferenceCsiMigration, TranslatesTheZone) {
  using Requirements = std::vector<api::NodeSelectorRequirement>;
  api::PersistentVolume volume;
  volume.source = api::AwsElasticBlockStoreSource{"vol-1"};
  volume.node_affinity = {{{{{"failure-domain.beta.kubernetes.io/zone", "In", {"a"}},
                             {"failure-domain.beta.kubernetes.io/region", "In", {"r"}}},
                            {}}}};
  EXPECT_EQ(ExpressionsOf(volume), (Requirements{{"topology.ebs.csi.aws.com/zone", "In", {"a"}},
                                                 {"topology.kubernetes.io/region", "In", {"r"}}}));
  volume.node_affinity.reset();
  EXPECT_EQ(ExpressionsOf(volume), Requirements{});
  volume.metadata.labels["topology.kubernetes.io/zone"] = "b__a";
  EXPECT_EQ(ExpressionsOf(volume),
            (Requirements{{"topology.ebs.csi.aws.com/zone", "In", {"a", "b"}}}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::reference
