#include "features/feature_gates.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::features {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Settings = std::vector<std::string>;

std::vector<std::string> Problems(const Settings& settings) {
  const auto gates = FeatureGates::Parse(settings);
  return gates ? std::vector<std::string>() : gates.error();
}

TEST(FeatureGatesTest, TheTableIsSortedAndHasWhatOthersNeed) {
  const auto gates = AllFeatureGates();
  EXPECT_TRUE(std::ranges::is_sorted(gates, {}, &FeatureGate::name));
  for (const FeatureGate& gate : gates) {
    EXPECT_EQ(FindFeatureGate(gate.name), &gate);
    for (const std::string_view needed : NeededBy(gate.name)) {
      EXPECT_NE(FindFeatureGate(needed), nullptr) << needed;
    }
  }
  EXPECT_EQ(FindFeatureGate("NoSuchGate"), nullptr);
  EXPECT_THAT(NeededBy("GangScheduling"), ElementsAre("GenericWorkload"));
}

struct DefaultCase {
  const char* gate;
  bool on;
  GateStage stage;
  bool locked;
};

TEST(FeatureGatesTest, GatesOfTheSchedulerHaveTheirDefaults) {
  const DefaultCase cases[] = {
      {"SchedulerQueueingHints", true, GateStage::kGA, true},
      {"SchedulerAsyncPreemption", true, GateStage::kBeta, false},
      {"SchedulerPopFromBackoffQ", true, GateStage::kBeta, false},
      {"SchedulerAsyncAPICalls", false, GateStage::kBeta, false},
      {"OpportunisticBatching", true, GateStage::kBeta, false},
      {"NodeDeclaredFeatures", true, GateStage::kBeta, false},
      {"PodLevelResources", true, GateStage::kBeta, false},
      {"SidecarContainers", true, GateStage::kGA, true},
      {"TaintTolerationComparisonOperators", false, GateStage::kAlpha, false},
      {"DynamicResourceAllocation", true, GateStage::kGA, true},
      {"DRADeviceTaintRules", false, GateStage::kBeta, false},
      {"GangScheduling", false, GateStage::kAlpha, false},
      {"CoordinatedLeaderElection", false, GateStage::kBeta, false},
      {"ComponentFlagz", true, GateStage::kBeta, false},
      {"ComponentStatusz", true, GateStage::kBeta, false},
      {"LoggingBetaOptions", true, GateStage::kBeta, false},
      {"LoggingAlphaOptions", false, GateStage::kAlpha, false},
      // Those of client-go.
      {"AtomicFIFO", true, GateStage::kBeta, false},
      {"ClientsAllowCARotation", true, GateStage::kBeta, false},
      {"ClientsAllowCBOR", false, GateStage::kAlpha, false},
      {"ClientsAllowTLSCacheGC", true, GateStage::kBeta, false},
      {"ClientsPreferCBOR", false, GateStage::kAlpha, false},
      {"InOrderInformers", true, GateStage::kGA, true},
      {"InOrderInformersBatchProcess", true, GateStage::kBeta, false},
      {"InformerResourceVersion", true, GateStage::kGA, false},
      {"UnlockWhileProcessingFIFO", true, GateStage::kBeta, false},
      {"WatchListClient", true, GateStage::kBeta, false},
  };
  const FeatureGates gates;
  for (const DefaultCase& c : cases) {
    EXPECT_EQ(gates.IsOn(c.gate), c.on) << c.gate;
    const FeatureGate* gate = FindFeatureGate(c.gate);
    ASSERT_NE(gate, nullptr);
    EXPECT_EQ(gate->stage, c.stage) << c.gate;
    EXPECT_EQ(gate->locked, c.locked) << c.gate;
  }
}

TEST(FeatureGatesTest, GatesAreSwitchedInOrder) {
  const Settings settings = {"ComponentFlagz=false", "ComponentStatusz=false",
                             "ComponentStatusz = true", "HPAScaleToZero=true"};
  const auto gates = FeatureGates::Parse(settings);
  ASSERT_TRUE(gates.has_value());
  EXPECT_FALSE(gates->IsOn("ComponentFlagz"));
  EXPECT_TRUE(gates->IsOn("ComponentStatusz"));
  EXPECT_THAT(gates->warnings(), IsEmpty());
}

TEST(FeatureGatesTest, GatesOfClientGoAreSwitchedSilently) {
  const Settings settings = {
      "WatchListClient=false",           "ClientsAllowCARotation=false",
      "ClientsAllowCBOR=true",           "ClientsPreferCBOR=true",
      "ClientsAllowTLSCacheGC=false",    "InOrderInformersBatchProcess=false",
      "UnlockWhileProcessingFIFO=false", "CoordinatedLeaderElection=true"};
  const auto gates = FeatureGates::Parse(settings);
  ASSERT_TRUE(gates.has_value()) << gates.error()[0];
  EXPECT_FALSE(gates->IsOn("WatchListClient"));
  EXPECT_TRUE(gates->IsOn("CoordinatedLeaderElection"));
  EXPECT_THAT(gates->warnings(), IsEmpty());
}

TEST(FeatureGatesTest, TheComponentMayBeNamed) {
  const Settings settings = {"kube:ComponentFlagz=false"};
  const auto gates = FeatureGates::Parse(settings);
  ASSERT_TRUE(gates.has_value());
  EXPECT_FALSE(gates->IsOn("ComponentFlagz"));
}

struct ProblemCase {
  Settings settings;
  std::vector<std::string> want;
};

TEST(FeatureGatesTest, AllMistakesAreReported) {
  const ProblemCase cases[] = {
      {{"Nope=true", "Nada=false"},
       {"unrecognized feature gate: Nada", "unrecognized feature gate: Nope"}},
      {{"SchedulerQueueingHints=false"},
       {"cannot set feature gate SchedulerQueueingHints to false, feature is locked to true"}},
      {{"SchedulerQueueingHints=true"}, {}},
      {{"InOrderInformers=false"},
       {"cannot set feature gate InOrderInformers to false, feature is locked to true"}},
      {{"AtomicFIFO=false", "StaleControllerConsistencyDaemonSet=false",
        "StaleControllerConsistencyJob=false", "StaleControllerConsistencyReplicaSet=false"},
       {"StaleControllerConsistencyStatefulSet is enabled, but depends on features that are "
        "disabled: [AtomicFIFO]"}},
      {{"ComponentFlagz"}, {"missing bool value for ComponentFlagz"}},
      {{"ComponentFlagz=on"},
       {"invalid value of ComponentFlagz=on, err: strconv.ParseBool: parsing \"on\": invalid "
        "syntax"}},
      {{"other:ComponentFlagz=true"}, {"component not registered: other"}},
      {{"kube:ComponentFlagz=true", "ComponentStatusz=true"},
       {"set kube feature gates with default empty prefix or kube: prefix consistently, do not mix "
        "use"}},
      {{"GangScheduling=true"},
       {"GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]"}},
      {{"DRADeviceTaintRules=true"},
       {"feature gate DRADeviceTaintRules cannot be switched on: Berth does not have this "
        "feature"}},
      {{"DRAListTypeAttributes=true", "DRADeviceTaintRules=true"},
       {"feature gate DRADeviceTaintRules cannot be switched on: Berth does not have this feature",
        "feature gate DRAListTypeAttributes cannot be switched on: Berth does not have this "
        "feature"}},
      {{"GenericWorkload=true", "GangScheduling=true", "WorkloadAwarePreemption=true",
        "TopologyAwareWorkloadScheduling=true"},
       {}},
      {{"PodLevelResources=false"},
       {"InPlacePodLevelResourcesVerticalScaling is enabled, but depends on features that are "
        "disabled: [PodLevelResources]"}},
      {{"MatchLabelKeysInPodTopologySpread=false"},
       {"MatchLabelKeysInPodTopologySpreadSelectorMerge is enabled, but depends on features that "
        "are disabled: [MatchLabelKeysInPodTopologySpread]"}},
      {{"GenericWorkload=false", "PodLevelResources=true"}, {}},
  };
  for (const ProblemCase& c : cases) EXPECT_EQ(Problems(c.settings), c.want) << c.settings[0];
}

TEST(FeatureGatesTest, GatesThatAreOnAndCannotBeSwitchedAreLocked) {
  for (const FeatureGate& gate : AllFeatureGates()) {
    EXPECT_TRUE(gate.support != GateSupport::kFixed || !gate.on || gate.locked) << gate.name;
  }
}

TEST(FeatureGatesTest, EveryFeatureOfTheSchedulerIsAGateThatIsSwitched) {
  const scheduler::model::Features defaults;
  EXPECT_TRUE(std::ranges::is_sorted(scheduler::model::kNamedFeatures, {},
                                     &scheduler::model::NamedFeature::name));
  for (const auto& [name, field] : scheduler::model::kNamedFeatures) {
    const FeatureGate* gate = FindFeatureGate(name);
    ASSERT_NE(gate, nullptr) << name;
    EXPECT_EQ(gate->support, GateSupport::kSwitch) << name;
    EXPECT_EQ(gate->on, defaults.*field) << name;
    EXPECT_FALSE(gate->locked) << name;
    // With what depends on it, and what it depends on, if anything.
    Settings settings = {fmt::format("{}={}", name, !gate->on)};
    for (std::string_view needs = name; !gate->on && !NeededBy(needs).empty();) {
      needs = NeededBy(needs).front();
      if (!FindFeatureGate(needs)->on) settings.push_back(fmt::format("{}=true", needs));
    }
    for (const FeatureGate& other : AllFeatureGates()) {
      if (std::ranges::count(NeededBy(other.name), name) > 0)
        settings.push_back(fmt::format("{}=false", other.name));
    }
    const auto gates = FeatureGates::Parse(settings);
    ASSERT_TRUE(gates.has_value()) << gates.error()[0];
    if (gate->stage != GateStage::kGA) {
      EXPECT_THAT(gates->warnings(), IsEmpty()) << name;
    }
    EXPECT_EQ(gates->OfScheduler().*field, !gate->on) << name;
  }
  EXPECT_EQ(FeatureGates().OfScheduler(), defaults);
}

TEST(FeatureGatesTest, AllBetaSwitchesTheFeaturesOfTheScheduler) {
  const Settings settings = {"AllBeta=false", "SchedulerPopFromBackoffQ=true"};
  const auto gates = FeatureGates::Parse(settings);
  ASSERT_TRUE(gates.has_value()) << gates.error()[0];
  const scheduler::model::Features features = gates->OfScheduler();
  EXPECT_FALSE(features.pod_level_resources);
  EXPECT_FALSE(features.scheduler_async_preemption);
  EXPECT_TRUE(features.scheduler_pop_from_backoff_q);
}

TEST(FeatureGatesTest, WhatMakesNoDifferenceIsAWarning) {
  const Settings settings = {"OpportunisticBatching=false"};
  const auto gates = FeatureGates::Parse(settings);
  ASSERT_TRUE(gates.has_value());
  EXPECT_THAT(gates->warnings(), ElementsAre(HasSubstr("OpportunisticBatching=false")));
}

TEST(FeatureGatesTest, SettingsAreSeparatedByCommas) {
  EXPECT_THAT(SplitSettings("A=true, B=false,,C=1"), ElementsAre("A=true", "B=false", "C=1"));
  EXPECT_THAT(SplitSettings(" "), IsEmpty());
}

TEST(FeatureGatesTest, GatesThatWillGoAreAWarning) {
  const Settings settings = {"SchedulerQueueingHints=true"};
  const auto gates = FeatureGates::Parse(settings);
  ASSERT_TRUE(gates.has_value());
  EXPECT_THAT(gates->warnings(),
              ElementsAre("setting GA feature gate SchedulerQueueingHints=true: it will be removed "
                          "in a future release"));
}

TEST(FeatureGatesTest, AllAlphaSwitchesWhatIsNotNamed) {
  const Settings settings = {"AllAlpha=true", "ClusterTrustBundle=true"};
  const auto gates = FeatureGates::Parse(settings);
  ASSERT_TRUE(gates.has_value()) << gates.error()[0];
  EXPECT_TRUE(gates->IsOn("LoggingAlphaOptions"));
  EXPECT_TRUE(gates->OfScheduler().gang_scheduling);
  EXPECT_FALSE(gates->IsOn("SchedulerAsyncAPICalls"));
  EXPECT_THAT(gates->warnings(),
              ElementsAre(HasSubstr("DRAListTypeAttributes, DRANodeAllocatableResources")));
}

TEST(FeatureGatesTest, VersionsAreChecked) {
  const auto emulated = [](const char* text) {
    const Settings versions = {text};
    const auto status = CheckEmulatedVersion(versions);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(emulated("1.36"), "");
  EXPECT_EQ(emulated("kube=1.36"), "");
  EXPECT_EQ(emulated("1.35"), "--emulated-version=1.35: Berth behaves like 1.36 only");
  EXPECT_EQ(emulated("1.36.1"), "patch version not allowed, got: kube=1.36.1");
  EXPECT_EQ(emulated("x=1.36"), "component not registered: x");
  EXPECT_EQ(emulated("soon"), "could not parse \"soon\" as version");
  const Settings old = {"1.32"};
  EXPECT_FALSE(CheckMinCompatibilityVersion(old).has_value());
  const Settings fine = {"1.35"};
  EXPECT_TRUE(CheckMinCompatibilityVersion(fine).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::features
