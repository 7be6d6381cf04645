// Groups of pods: placed together or not at all.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "scheduler/framework/waiting_pods.h"
#include "scheduler/groups/group_cycle.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "testing/engine_harness.h"
#include "testing/fake_plugins.h"
#include "testing/object_builders.h"
#include "testing/scripted_engine.h"

namespace berth::scheduler::groups {
namespace BERTH_TEST_FILE {

using engine::Command;
using engine::Decision;
using engine::EngineOptions;
using engine::WhyNot;
using engine::WriteDone;

using Lines = std::vector<std::string>;

constexpr const char* kWaits =
    "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or "
    "more plugins asked to wait and no plugin rejected pod";

model::Features WithGangs() {
  model::Features features;
  features.generic_workload = features.gang_scheduling = true;
  return features;
}

EngineOptions OptionsWith(const model::Features& features) {
  EngineOptions options;
  options.profiles = {DefaultProfile("default-scheduler", features)};
  options.features = features;
  options.paranoid = true;
  return options;
}

// Each member requests one cpu.
class ScheduleGroupTest : public testing::Test {
 protected:
  void Start(const model::Features& features = WithGangs()) {
    harness_ = std::make_unique<EngineHarness>(OptionsWith(features));
  }
  static MakePod Member(const std::string& name, const std::string& group = "job") {
    return MakePod(name).InGroup(group).Request("cpu", "1");
  }
  void PutMembers(const std::vector<std::string>& names) {
    for (const std::string& name : names) harness_->Put(Member(name).ref());
  }

  // The conditions of groups that were written: "job is Scheduled: ".
  Lines Conditions() {
    Lines conditions;
    for (const std::string& line : harness_->Reports()) {
      constexpr std::string_view kPrefix = "group ";
      if (line.starts_with(kPrefix)) conditions.push_back(line.substr(kPrefix.size()));
    }
    return conditions;
  }

  // The transition times of the conditions of groups that were written.
  std::vector<Instant> TransitionTimes() {
    std::vector<Instant> times;
    const Instant now = harness_->now();
    for (const Command& command : harness_->engine().TakeCommands()) {
      if (const auto* patch = std::get_if<framework::PatchPodGroupStatus>(&command.write))
        times.push_back(patch->condition.last_transition_time.value_or(Instant{}));
      harness_->engine().Handle(WriteDone{command.id, {}}, now);
    }
    return times;
  }

  std::unique_ptr<EngineHarness> harness_;
};

TEST_F(ScheduleGroupTest, GangIsPlacedInOneCycle) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("2").ref());
  harness_->Put(MakeNode("n2").Cpu("2").ref());
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  PutMembers({"a", "b"});
  EXPECT_EQ(harness_->Queue(), "0/0/0/2") << "held until there are enough";
  EXPECT_EQ(harness_->Schedule(), 0u);
  PutMembers({"c"});
  EXPECT_EQ(harness_->Schedule(), 1u);
  EXPECT_EQ(harness_->Decisions().size(), 3u);
  EXPECT_EQ(harness_->Bind().size(), 3u) << "nobody waits: three commands at once";
  EXPECT_EQ(Conditions(), Lines({"job is Scheduled: "}));
  EXPECT_TRUE(harness_->engine().waiting_pods().all().empty());
}

TEST_F(ScheduleGroupTest, MembersThatFitNowhereAreTriedOnceForAllCopies) {
  int judged = 0;
  Rule rule;
  rule.filter = [&](const framework::Cycle&, model::NodeRow) {
    ++judged;
    return framework::Verdict(framework::Code::kUnschedulable, "closed");
  };
  framework::Registry registry = plugins::InTreeRegistry();
  Offer<FakeRule>(registry, "Closed", rule);
  EngineOptions options = OptionsWith(WithGangs());
  options.paranoid = false;
  options.profiles[0].multi_point.enabled.push_back({"Closed"});
  const auto judged_for = [&](int members) {
    EngineHarness harness(options, registry);
    harness.Put(MakeNode("n1").ref());
    harness.Put(MakePodGroup("job").Gang(members).ref());
    for (int i = 0; i < members; ++i) harness.Put(Member("p" + std::to_string(i)).ref());
    judged = 0;
    EXPECT_EQ(harness.Schedule(), 1u);
    EXPECT_EQ(harness.Decisions().size(), static_cast<size_t>(members));
    return judged;
  };
  EXPECT_EQ(judged_for(100), judged_for(2));
}

TEST_F(ScheduleGroupTest, GangWithoutRoomLeavesNoTrace) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("2").ref());
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  PutMembers({"a", "b", "c"});
  const std::string before = DescribeCounts(harness_->cluster());
  EXPECT_EQ(harness_->Schedule(), 1u);
  EXPECT_EQ(DescribeCounts(harness_->cluster()), before);
  const std::string does_not_fit =
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 "
      "nodes are available: 1 No preemption victims found for incoming pod.";
  // The one that completes the gang is ready first, then those that waited for it.
  EXPECT_EQ(harness_->Decisions(), Lines({std::string("c: ") + kWaits, std::string("a: ") + kWaits,
                                          "b: " + does_not_fit}));
  EXPECT_EQ(Conditions(), Lines({"job is Unschedulable: pod group is unschedulable"}));
}

TEST_F(ScheduleGroupTest, GangThatDoesNotFitBacksOffAndWaitsForEvents) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutMembers({"a", "b"});
  size_t cycles = 0;
  for (int i = 0; i < 300; ++i) {
    cycles += harness_->Schedule();
    harness_->Commands();
    harness_->Pass(Duration::Millis(100));
  }
  EXPECT_EQ(cycles, 5u) << "in thirty seconds: after 1, 2, 4, 8, 10 ... seconds";
  harness_->Put(MakeNode("n2").Cpu("1").ref());
  EXPECT_EQ(harness_->Schedule(), 1u) << "at once when there may be room";
  EXPECT_EQ(harness_->Bind().size(), 2u);
}

TEST_F(ScheduleGroupTest, GangOfWhichNoMemberFitsWaitsForEventsAlone) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("500m").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutMembers({"a", "b"});
  EXPECT_EQ(harness_->Schedule(), 1u);
  harness_->Commands();
  EXPECT_EQ(harness_->Queue(), "0/0/2/0");
  harness_->Pass(Duration::Seconds(60));
  EXPECT_EQ(harness_->Schedule(), 0u);
}

TEST_F(ScheduleGroupTest, MembersBeyondMinCountAreBoundIfTheyFit) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("3").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutMembers({"a", "b", "c", "d"});
  // The one that is left over has a cycle of its own.
  EXPECT_EQ(harness_->Schedule(), 2u);
  EXPECT_EQ(harness_->Bind().size(), 3u);
  EXPECT_EQ(Conditions(), Lines({"job is Scheduled: "}))
      << "not taken back, though the API has not shown it yet";
}

TEST_F(ScheduleGroupTest, BasicGroupTakesWhatThereIs) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("2").ref());
  harness_->Put(MakePodGroup("job").ref());
  PutMembers({"a", "b", "c"});
  harness_->Schedule();
  EXPECT_EQ(harness_->Bind().size(), 2u);
}

TEST_F(ScheduleGroupTest, OneMemberOfHighPriorityTakesAllAlong) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("2").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  harness_->Put(MakePod("other").Priority(5).Request("cpu", "1").ref());
  harness_->Put(Member("a").ref());
  harness_->Put(Member("b").Priority(9).ref());
  EXPECT_EQ(harness_->Schedule(1), 1u);
  EXPECT_EQ(harness_->Decisions(), Lines({"b -> n1", "a -> n1"}));
}

TEST_F(ScheduleGroupTest, PendingMemberOfAScheduledGangIsPlacedAlone) {
  Start();
  harness_->Put(MakeNode("n1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  harness_->Put(Member("a").On("n1").ref());
  harness_->Put(Member("b").On("n1").ref());
  harness_->Put(Member("c").ref());
  harness_->Schedule();
  EXPECT_EQ(harness_->Bind(), Lines({"c to n1"}));
}

TEST_F(ScheduleGroupTest, MembersAreGatedWhenTooFewAreLeft) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("500m").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutMembers({"a", "b"});
  harness_->Schedule();
  harness_->Commands();
  EXPECT_EQ(harness_->Queue(), "0/0/2/0");
  harness_->Remove(Member("b").ref());
  EXPECT_EQ(harness_->Queue(), "0/0/0/1");
  PutMembers({"c"});
  EXPECT_EQ(harness_->Schedule(), 1u);
  harness_->Commands();
  harness_->Remove(MakePodGroup("job").Gang(2).ref());
  EXPECT_EQ(harness_->Queue(), "0/0/0/2");
}

TEST_F(ScheduleGroupTest, NothingIsReservedForMembersOfWhichTooFewAreLeft) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutMembers({"a", "b"});
  EXPECT_EQ(harness_->Schedule(), 1u);
  harness_->Commands();
  harness_->Remove(Member("b").ref());
  // The API shows late that the member was nominated.
  harness_->Put(Member("a").Nominated("n1").ref());
  harness_->Put(MakePod("x").Request("cpu", "1").ref());
  harness_->Schedule();
  EXPECT_EQ(harness_->Bind(), Lines({"x to n1"}));
}

TEST_F(ScheduleGroupTest, NominatedMemberOfAGangThatIsJustCompleteHoldsItsNode) {
  Start();
  harness_->Put(MakeNode("n1").Cpu("1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  harness_->Put(MakePod("x").Request("cpu", "1").ref());
  PutMembers({"a"});
  harness_->Put(Member("b").Nominated("n1").ref());
  EXPECT_EQ(harness_->Schedule(1), 1u);
  EXPECT_EQ(harness_->all_decisions().front().key.name, "x");
  EXPECT_EQ(harness_->Where("x"), "pending");
}

TEST_F(ScheduleGroupTest, MembersOfOneGroupMustHaveOneScheduler) {
  EngineOptions options = OptionsWith(WithGangs());
  options.profiles.push_back(DefaultProfile("other", WithGangs()));
  harness_ = std::make_unique<EngineHarness>(options);
  harness_->Put(MakeNode("n1").ref());
  harness_->Put(MakePodGroup("job").ref());
  harness_->Put(Member("a").ref());
  harness_->Put(Member("b").Scheduler("other").ref());
  EXPECT_EQ(harness_->Schedule(), 1u);
  const std::string why =
      " failed: all pods in a single pod group should have the same .spec.schedulerName set, got: "
      "\"other\" and \"default-scheduler\"";
  EXPECT_EQ(harness_->Decisions(), Lines({"a" + why, "b" + why}));
}

TEST_F(ScheduleGroupTest, OtherMembersAreNotBoundIfTheGangIsBroken) {
  model::Features features = WithGangs();
  Start(features);
  harness_->Put(MakeNode("n1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutMembers({"a", "b"});
  harness_->Schedule();
  const std::vector<Command> commands = harness_->Commands();
  ASSERT_EQ(commands.size(), 2u);
  harness_->Fail(commands[0], "etcd is away");
  harness_->End(commands[1]);
  EXPECT_EQ(harness_->Where("a"), "assumed on n1") << "its binding had been sent";
  EXPECT_EQ(harness_->Where("b"), "pending");
  harness_->Pass(Duration::Seconds(2));
  EXPECT_EQ(harness_->Schedule(), 1u) << "the rest of the gang is completed";
  EXPECT_EQ(harness_->Bind(), Lines({"b to n1"}));
}

TEST_F(ScheduleGroupTest, OthersWaitOnIfEnoughMembersRemain) {
  const auto script = std::make_shared<PermitScript>();
  script->permit = [](framework::Cycle& cycle, framework::WaitingPods&) {
    return cycle.pod().object->metadata.name == "a" ? framework::PermitResult{} : Wait(60);
  };
  framework::Registry registry = plugins::InTreeRegistry();
  Offer<FakePermit>(registry, "HoldOthers", script);
  EngineOptions options = OptionsWith(WithGangs());
  options.profiles[0].multi_point.enabled.push_back({"HoldOthers"});
  harness_ = std::make_unique<EngineHarness>(options, registry);
  harness_->Put(MakeNode("n1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutMembers({"a", "b", "c"});
  harness_->Schedule();
  for (const Command& command : harness_->Commands()) {
    if (std::holds_alternative<framework::BindPod>(command.write)) {
      harness_->Fail(command, "etcd is away");
    } else {
      harness_->End(command);
    }
  }
  EXPECT_EQ(harness_->Where("a"), "pending");
  EXPECT_EQ(harness_->Where("b"), "assumed on n1");
  EXPECT_EQ(harness_->Where("c"), "assumed on n1");
}

TEST_F(ScheduleGroupTest, NobodyIsBoundIfAPermitPluginChangesItsMind) {
  const auto script = std::make_shared<PermitScript>();
  int asked = 0;
  script->permit = [&](framework::Cycle&, framework::WaitingPods&) -> framework::PermitResult {
    // Twice while nodes are found, twice when they are bound.
    if (++asked < 4) return {};
    return {{framework::Code::kUnschedulable, "not any more"}, {}};
  };
  framework::Registry registry = plugins::InTreeRegistry();
  Offer<FakePermit>(registry, "Fickle", script);
  EngineOptions options = OptionsWith(WithGangs());
  options.profiles[0].multi_point.enabled.push_back({"Fickle"});
  harness_ = std::make_unique<EngineHarness>(options, registry);
  harness_->Put(MakeNode("n1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutMembers({"a", "b"});
  const std::string before = DescribeCounts(harness_->cluster());
  EXPECT_EQ(harness_->Schedule(), 1u);
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(harness_->Bind(), Lines());
  EXPECT_EQ(DescribeCounts(harness_->cluster()), before);
}

TEST_F(ScheduleGroupTest, ConditionKeepsItsTransitionTimeUntilItsStatusChanges) {
  constexpr Instant kThen = Instant::FromUnixSeconds(500);
  Start();
  harness_->Put(MakeNode("n1").Cpu("1").ref());
  MakePodGroup group =
      MakePodGroup("job").Gang(2).Condition("False", "Unschedulable", "for another reason");
  group.object.conditions[0].last_transition_time = kThen;
  harness_->Put(group.ref());
  PutMembers({"a", "b"});
  harness_->Schedule();
  EXPECT_EQ(TransitionTimes(), std::vector{kThen}) << "as the API shows it";

  group.object.metadata.generation = 2;
  harness_->Put(group.ref());
  harness_->Pass(Duration::Seconds(30));
  harness_->Schedule();
  EXPECT_EQ(TransitionTimes(), std::vector{kThen}) << "as it was written";

  harness_->Put(MakeNode("n2").Cpu("1").ref());
  harness_->Schedule();
  EXPECT_EQ(TransitionTimes(), std::vector{harness_->now()});
}

TEST_F(ScheduleGroupTest, FieldIsIgnoredWithoutTheFeature) {
  Start(model::Features());
  harness_->Put(MakeNode("n1").Cpu("1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutMembers({"a", "b"});
  EXPECT_EQ(harness_->Schedule(), 2u);
  EXPECT_EQ(harness_->Bind(), Lines({"a to n1"}));
}

// --- placements ---

TEST_F(ScheduleGroupTest, GroupGoesToOneRack) {
  model::Features features = WithGangs();
  features.topology_aware_workload_scheduling = true;
  Start(features);
  harness_->Put(MakeNode("a1").Cpu("2").Label("rack", "a").ref());
  harness_->Put(MakeNode("b1").Cpu("2").Label("rack", "b").ref());
  harness_->Put(MakeNode("b2").Cpu("1").Label("rack", "b").ref());
  harness_->Put(MakePodGroup("job").Gang(3).Within("rack").ref());
  PutMembers({"p", "q", "r"});
  harness_->Schedule();
  const Lines bound = harness_->Bind();
  ASSERT_EQ(bound.size(), 3u);
  for (const std::string& line : bound) EXPECT_NE(line.find(" to b"), std::string::npos) << line;
}

TEST_F(ScheduleGroupTest, GroupThatFitsInNoRackIsToldSo) {
  model::Features features = WithGangs();
  features.topology_aware_workload_scheduling = true;
  Start(features);
  harness_->Put(MakeNode("a1").Cpu("2").Label("rack", "a").ref());
  harness_->Put(MakeNode("b1").Cpu("2").Label("rack", "b").ref());
  harness_->Put(MakePodGroup("job").Gang(3).Within("rack").ref());
  PutMembers({"p", "q", "r"});
  const std::string before = DescribeCounts(harness_->cluster());
  harness_->Schedule();
  EXPECT_EQ(DescribeCounts(harness_->cluster()), before);
  EXPECT_EQ(Conditions(),
            Lines({"job is Unschedulable: 0/2 placements are available, first placement status: "
                   "pod group is unschedulable"}));
  harness_->Put(MakeNode("b2").Cpu("1").Label("rack", "b").ref());
  harness_->Schedule();
  EXPECT_EQ(harness_->Bind().size(), 3u);
}

TEST_F(ScheduleGroupTest, PlacementOfEachMemberIsExplained) {
  model::Features features = WithGangs();
  features.topology_aware_workload_scheduling = true;
  EngineOptions options = OptionsWith(features);
  options.explain = true;
  harness_ = std::make_unique<EngineHarness>(options);
  harness_->Put(MakeNode("a1").Cpu("1").Label("rack", "a").ref());
  harness_->Put(MakeNode("b1").Cpu("2").Label("rack", "b").ref());
  harness_->Put(MakePodGroup("job").Gang(2).Within("rack").ref());
  PutMembers({"p", "q"});
  harness_->Schedule();
  ASSERT_EQ(harness_->all_decisions().size(), 2u);
  for (const Decision& decision : harness_->all_decisions()) {
    ASSERT_TRUE(decision.explanation.has_value());
    EXPECT_EQ(decision.node, "b1");
    EXPECT_EQ(decision.explanation->best_nodes, Lines({"b1"}));
    EXPECT_EQ(WhyNot(*decision.explanation, "a1"),
              "TopologyPlacementGenerator: node is not in the placement that was tried for the pod "
              "group");
  }
}

// --- preemption ---

TEST_F(ScheduleGroupTest, GroupPreemptsAsAWhole) {
  model::Features features = WithGangs();
  features.workload_aware_preemption = true;
  Start(features);
  harness_->Put(MakeNode("n1").Cpu("2").ref());
  harness_->Put(MakePod("low").Request("cpu", "1").On("n1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).Priority(10).ref());
  PutMembers({"a", "b"});
  harness_->Schedule();
  Lines evictions;
  for (const Command& command : harness_->Commands()) {
    const auto& patch = std::get<framework::PatchPodStatus>(command.write);
    if (patch.condition && patch.condition->type == "DisruptionTarget")
      evictions.push_back(patch.pod.name + ": " + patch.condition->message);
    harness_->End(command);
  }
  EXPECT_EQ(evictions, Lines({"low: default-scheduler: preempting to accommodate a higher "
                              "priority podgroup"}));
  const Command remove = harness_->TheCommand();
  EXPECT_EQ(std::get<framework::DeletePod>(remove.write).pod.name, "low");
  harness_->End(remove);
  harness_->Remove(MakePod("low").Request("cpu", "1").On("n1").ref());
  harness_->Pass(Duration::Seconds(2));
  harness_->Schedule();
  EXPECT_EQ(harness_->Bind().size(), 2u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::groups
