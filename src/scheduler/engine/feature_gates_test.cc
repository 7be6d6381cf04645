// What each feature gate changes, on and off. The engine compares its decisions with the reference
// implementation, which must have the same gates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/scripted_engine.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using model::Features;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Lines = std::vector<std::string>;

// Returns the decision about the last of `objects`, a pod: its node, or the message.
std::string Decide(const Features& features, const std::vector<api::Object>& objects) {
  ScriptedEngine scripted;
  scripted.features = features;
  EngineHarness& harness = scripted.Start();
  for (const api::Object& object : objects) harness.Put(object);
  harness.Schedule();
  const Decision& decision = harness.all_decisions().at(0);
  return decision.kind == Decision::Kind::kPlaced ? decision.node : decision.message;
}

MakePod WithPodLevelCpu(MakePod pod, std::string_view cpu) {
  pod.object.spec.resources.emplace().requests["cpu"] = Amount(cpu);
  return pod;
}

TEST(FeatureGates, PodLevelResources) {
  const std::vector<api::Object> objects = {
      MakeNode("n1").Cpu("2").ref(),
      WithPodLevelCpu(MakePod("web"), "3").Request("cpu", "1").ref()};
  EXPECT_THAT(Decide({}, objects), HasSubstr("Insufficient cpu"));
  EXPECT_EQ(
      Decide({.in_place_pod_level_resources_vertical_scaling = false, .pod_level_resources = false},
             objects),
      "n1");
}

TEST(FeatureGates, PodLevelResourcesOfPlacedPods) {
  const std::vector<api::Object> objects = {
      MakeNode("n1").Cpu("4").ref(),
      WithPodLevelCpu(MakePod("old"), "3").Request("cpu", "1").On("n1").ref(),
      MakePod("web").Request("cpu", "2").ref()};
  EXPECT_THAT(Decide({}, objects), HasSubstr("Insufficient cpu"));
  EXPECT_EQ(
      Decide({.in_place_pod_level_resources_vertical_scaling = false, .pod_level_resources = false},
             objects),
      "n1");
}

TEST(FeatureGates, InPlacePodLevelResourcesVerticalScaling) {
  MakePod resized = WithPodLevelCpu(MakePod("old"), "1").On("n1");
  resized.object.status.resources.emplace().requests["cpu"] = Amount("3");
  const std::vector<api::Object> objects = {MakeNode("n1").Cpu("4").ref(), resized.ref(),
                                            MakePod("web").Request("cpu", "2").ref()};
  EXPECT_THAT(Decide({}, objects), HasSubstr("Insufficient cpu"));
  EXPECT_EQ(Decide({.in_place_pod_level_resources_vertical_scaling = false}, objects), "n1");
}

TEST(FeatureGates, NodeDeclaredFeatures) {
  MakePod pod("web");
  pod.object.spec.host_network = true;
  pod.object.spec.host_users = false;
  const std::vector<api::Object> objects = {MakeNode("n1").ref(), pod.ref()};
  EXPECT_THAT(Decide({}, objects), HasSubstr("node(s) didn't match Pod's required features"));
  // The plugin is in the profile, and does nothing.
  EXPECT_EQ(Decide({.in_place_pod_level_resources_vertical_scaling = false,
                    .node_declared_features = false},
                   objects),
            "n1");
}

TEST(FeatureGates, MatchLabelKeysInPodTopologySpread) {
  MakePod pod = MakePod("web").Label("app", "a").Label("version", "2");
  api::TopologySpreadConstraint constraint;
  constraint.max_skew = 1;
  constraint.topology_key = "kubernetes.io/hostname";
  constraint.when_unsatisfiable = "DoNotSchedule";
  constraint.label_selector.emplace().match_labels["app"] = "a";
  constraint.match_label_keys = {"version"};
  pod.object.spec.topology_spread_constraints = {constraint};
  // Of the pods of another version there is one on n1, so that all belong to n2, which is cordoned.
  const std::vector<api::Object> objects = {
      MakeNode("n1").Label("kubernetes.io/hostname", "n1").ref(),
      MakeNode("n2").Label("kubernetes.io/hostname", "n2").Cordoned().ref(),
      MakePod("old").Label("app", "a").Label("version", "1").On("n1").ref(), pod.ref()};
  EXPECT_EQ(Decide({}, objects), "n1");
  EXPECT_THAT(Decide({.match_label_keys_in_pod_topology_spread = false,
                      .match_label_keys_in_pod_topology_spread_selector_merge = false},
                     objects),
              HasSubstr("node(s) didn't match pod topology spread constraints"));
}

TEST(FeatureGates, TaintTolerationComparisonOperators) {
  MakePod pod("web");
  pod.object.spec.tolerations = {
      {.key = "cost", .op = "Lt", .value = "10", .effect = "NoSchedule"}};
  const std::vector<api::Object> objects = {MakeNode("n1").Taint("cost", "5", "NoSchedule").ref(),
                                            pod.ref()};
  EXPECT_THAT(Decide({}, objects), HasSubstr("node(s) had untolerated taint(s)"));
  EXPECT_EQ(Decide({.taint_toleration_comparison_operators = true}, objects), "n1");
}

TEST(FeatureGates, TaintTolerationComparisonOperatorsInScores) {
  MakePod pod("web");
  pod.object.spec.tolerations = {{.key = "cost", .op = "Lt", .value = "10"}};
  const std::vector<api::Object> objects = {
      MakeNode("n1").Taint("cost", "5", "PreferNoSchedule").ref(), MakeNode("n2").ref(), pod.ref()};
  EXPECT_EQ(Decide({}, objects), "n2");
  EXPECT_EQ(Decide({.taint_toleration_comparison_operators = true}, objects), "n1") << "a tie";
}

// --- storage ---

api::Ref<api::PersistentVolumeClaim> Claim(const std::string& name, const char* storage_class) {
  api::PersistentVolumeClaim claim;
  claim.metadata.name = name;
  claim.metadata.namespace_ = "default";
  claim.metadata.uid = "uid-of-" + name;
  claim.access_modes = {"ReadWriteOnce"};
  claim.storage_class_name = storage_class;
  claim.requests["storage"] = Amount("10Gi");
  return std::make_shared<const api::PersistentVolumeClaim>(std::move(claim));
}

api::Ref<api::CsiDriver> Driver(const api::CsiDriver& driver) {
  api::CsiDriver named = driver;
  named.metadata.name = "disk.example.com";
  return std::make_shared<const api::CsiDriver>(std::move(named));
}

api::Ref<api::StorageClass> WaitingClass() {
  api::StorageClass storage_class;
  storage_class.metadata.name = "fast";
  storage_class.provisioner = "disk.example.com";
  storage_class.volume_binding_mode = "WaitForFirstConsumer";
  return std::make_shared<const api::StorageClass>(std::move(storage_class));
}

api::Ref<api::CsiStorageCapacity> CapacityOf(const std::string& node, const char* capacity) {
  api::CsiStorageCapacity object;
  object.metadata.name = "on-" + node;
  object.metadata.namespace_ = "kube-system";
  object.storage_class_name = "fast";
  object.node_topology.emplace().match_labels["host"] = node;
  object.capacity = Amount(capacity);
  return std::make_shared<const api::CsiStorageCapacity>(std::move(object));
}

TEST(FeatureGates, StorageCapacityScoring) {
  const std::vector<api::Object> objects = {Driver({.metadata = {}, .storage_capacity = true}),
                                            WaitingClass(),
                                            Claim("data", "fast"),
                                            CapacityOf("n1", "20Gi"),
                                            CapacityOf("n2", "100Gi"),
                                            MakeNode("n1").Label("host", "n1").ref(),
                                            MakeNode("n2").Label("host", "n2").ref(),
                                            MakePod("web").Mounts("data").ref()};
  EXPECT_EQ(Decide({}, objects), "n1") << "a tie";
  EXPECT_EQ(Decide({.storage_capacity_scoring = true}, objects), "n2");
}

TEST(FeatureGates, VolumeLimitScaling) {
  api::PersistentVolume volume;
  volume.metadata.name = "pv";
  volume.capacity["storage"] = Amount("10Gi");
  volume.source =
      api::CsiPersistentVolumeSource{.driver = "disk.example.com", .volume_handle = "h"};
  volume.claim_ref.emplace().name = "data";
  volume.phase = "Bound";
  api::PersistentVolumeClaim bound = *Claim("data", "");
  bound.volume_name = "pv";
  bound.phase = "Bound";
  bound.metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  const auto decide = [&](const Features& features, bool required, bool installed) {
    std::vector<api::Object> objects = {
        std::make_shared<const api::PersistentVolume>(volume),
        std::make_shared<const api::PersistentVolumeClaim>(bound),
        Driver({.metadata = {}, .prevent_pod_scheduling_if_missing = required}),
        MakeNode("n1").ref()};
    if (installed) {
      api::CsiNode csi_node;
      csi_node.metadata.name = "n1";
      csi_node.drivers = {{.name = "disk.example.com", .node_id = "n1"}};
      objects.emplace_back(std::make_shared<const api::CsiNode>(std::move(csi_node)));
    }
    objects.emplace_back(MakePod("web").Mounts("data").ref());
    return Decide(features, objects);
  };
  const Features on{.volume_limit_scaling = true};
  EXPECT_THAT(decide(on, /*required=*/true, /*installed=*/false),
              HasSubstr("1 disk.example.com CSI driver is not installed on the node"));
  EXPECT_EQ(decide(on, /*required=*/true, /*installed=*/true), "n1");
  EXPECT_EQ(decide(on, /*required=*/false, /*installed=*/false), "n1");
  EXPECT_EQ(decide({}, /*required=*/true, /*installed=*/false), "n1");
}

// --- the course of a cycle ---

TEST(FeatureGates, NominatedNodeNameForExpectation) {
  for (const bool on : {true, false}) {
    ScriptedEngine scripted;
    scripted.features.nominated_node_name_for_expectation = on;
    scripted.AddPreBind("Slow", {.seconds = 1});
    scripted.AddPreBind("Idle", {.plan = framework::Verdict::Skip()});
    scripted.Start().Put(MakeNode("n1"));
    scripted->Put(MakePod("web"));
    scripted->Schedule();
    if (on) scripted.EndAnnouncement();
    EXPECT_THAT(scripted->Commands(), IsEmpty());
    scripted->Pass(Duration::Seconds(1));
    scripted->Schedule();
    EXPECT_THAT(scripted.Commands(), ElementsAre("bind web to n1"));
    // Without the gate no plugin is asked beforehand.
    EXPECT_EQ(*scripted.log, on ? Lines({"Slow begins", "Slow ends"})
                                : Lines({"Slow begins", "Slow ends", "Idle begins", "Idle ends"}));
  }
}

TEST(FeatureGates, WithoutExpectationsPreBindPluginsRunOneAfterTheOther) {
  ScriptedEngine scripted;
  scripted.features.nominated_node_name_for_expectation = false;
  scripted.AddPreBind("One", {.seconds = 1});
  scripted.AddPreBind("Two", {.seconds = 1});
  scripted.Start().Put(MakeNode("n1"));
  scripted->Put(MakePod("web"));
  scripted->Schedule();
  EXPECT_EQ(*scripted.log, Lines({"One begins"}));
  scripted->Pass(Duration::Seconds(1));
  scripted->Schedule();
  EXPECT_EQ(*scripted.log, Lines({"One begins", "One ends", "Two begins"}));
}

TEST(FeatureGates, SchedulerPopFromBackoffQ) {
  for (const bool on : {true, false}) {
    ScriptedEngine scripted;
    scripted.features.scheduler_pop_from_backoff_q = on;
    scripted.Start().Put(MakeNode("n1").Cpu("1"));
    scripted->Put(MakePod("web").Request("cpu", "2"));
    scripted->Schedule();
    scripted->Put(MakeNode("n2").Cpu("4"));
    EXPECT_EQ(scripted->Queue(), "0/1/0/0");
    scripted->Decisions();
    scripted->Schedule();
    EXPECT_EQ(scripted->Decisions(), on ? Lines({"web -> n2"}) : Lines());
    scripted->Pass(Duration::Seconds(3));
    scripted->Schedule();
    EXPECT_EQ(scripted->Decisions(), on ? Lines() : Lines({"web -> n2"}));
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
