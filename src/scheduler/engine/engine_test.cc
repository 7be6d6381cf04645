#include "scheduler/engine/engine.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

const framework::BindPod& AsBind(const Command& command) {
  return std::get<framework::BindPod>(command.write);
}

// --- from pending to bound ---

TEST(Engine, PlacedPodIsBoundByItsUid) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web").Uid("u-1").Request("cpu", "1"));
  EXPECT_EQ(harness.Schedule(), 1u);
  EXPECT_EQ(harness.Decisions(), Lines({"web -> n1"}));
  const Command command = harness.TheCommand();
  EXPECT_EQ(AsBind(command), (framework::BindPod{{"default", "web"}, "u-1", "n1"}));
  EXPECT_EQ(harness.Where("web"), "assumed on n1");
  EXPECT_EQ(harness.CpuOn("n1"), 1000);

  harness.End(command);
  EXPECT_EQ(harness.Where("web"), "assumed on n1");
  harness.Put(MakePod("web").Uid("u-1").Request("cpu", "1").On("n1"));
  EXPECT_EQ(harness.Where("web"), "bound on n1");
  EXPECT_EQ(harness.CpuOn("n1"), 1000);
  EXPECT_EQ(harness.Schedule(), 0u);
  EXPECT_TRUE(harness.Commands().empty());
}

TEST(Engine, PodWithResourceClaimsIsToldWhyItWaits) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  api::Pod pod = MakePod("web");
  pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "my-gpu"}};
  harness.Put(std::make_shared<const api::Pod>(pod));
  EXPECT_EQ(harness.Queue(), "0/0/0/1") << "gated, as in kube-scheduler, until the claim is there";
  auto claim = std::make_shared<api::ResourceClaim>();
  claim->metadata.name = "my-gpu";
  claim->metadata.namespace_ = "default";
  api::DeviceRequest& request = claim->spec.requests.emplace_back();
  request.name = "r";
  request.exactly.emplace().device_class_name = "gpu";
  harness.Put(std::shared_ptr<const api::ResourceClaim>(std::move(claim)));
  harness.Schedule();
  const std::string why =
      "0/1 nodes are available: request r: device class gpu does not exist. no new claims to "
      "deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for "
      "scheduling.";
  EXPECT_EQ(harness.Reports(),
            Lines({"web is Unschedulable: " + why, "web: FailedScheduling: " + why}));
}

TEST(Engine, BoundPodMayBeSeenBeforeTheWriteEnds) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web").Request("cpu", "1"));
  harness.Schedule();
  harness.Put(MakePod("web").Request("cpu", "1").On("n1"));
  harness.End(harness.TheCommand());
  EXPECT_EQ(harness.Where("web"), "bound on n1");
  EXPECT_EQ(harness.Queue(), "0/0/0/0");
}

TEST(Engine, UpdateWhileBindingDoesNotQueueThePodAgain) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web"));
  harness.Schedule();
  harness.Put(MakePod("web").Label("seen", "yes"));
  EXPECT_EQ(harness.Schedule(), 0u);
  EXPECT_EQ(harness.Where("web"), "assumed on n1");
}

TEST(Engine, PodThatCouldNotBeBoundIsRequeuedAndFreesItsNode) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web").Request("cpu", "1"));
  harness.Schedule();
  harness.Decisions();
  harness.Fail(harness.TheCommand(), "etcd is away");
  EXPECT_EQ(harness.Where("web"), "pending");
  EXPECT_EQ(harness.CpuOn("n1"), 0);
  EXPECT_EQ(harness.Decisions(),
            Lines({"web failed: running Bind plugin \"DefaultBinder\": etcd is away"}));
  EXPECT_EQ(harness.Queue(), "0/1/0/0");
  EXPECT_EQ(harness.Reports(),
            Lines({"web is SchedulerError: running Bind plugin \"DefaultBinder\": "
                   "etcd is away",
                   "web: FailedScheduling: running Bind plugin \"DefaultBinder\": "
                   "etcd is away"}));

  // Errors are not forgotten early, whatever happens.
  harness.Put(MakeNode("n2").Taint("busy", "", "NoSchedule"));
  EXPECT_EQ(harness.Schedule(), 0u);
  harness.Pass(Duration::Seconds(2));
  EXPECT_EQ(harness.Schedule(), 1u);
  EXPECT_EQ(harness.Decisions(), Lines({"web -> n1"}));
}

TEST(Engine, FailedWriteOfAPodThatIsBoundAfterAllChangesNothing) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web").Request("cpu", "1"));
  harness.Schedule();
  const Command command = harness.TheCommand();
  harness.Put(MakePod("web").Request("cpu", "1").On("n1"));
  harness.Fail(command, "timeout");
  EXPECT_EQ(harness.Where("web"), "bound on n1");
  EXPECT_EQ(harness.CpuOn("n1"), 1000);
  EXPECT_EQ(harness.Queue(), "0/0/0/0");
}

TEST(Engine, WriteReportedTwiceOrNeverIssuedIsHarmless) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web"));
  harness.Schedule();
  const Command command = harness.TheCommand();
  harness.End(command);
  harness.Fail(command, "late");
  harness.End({CommandId{77}, command.write});
  EXPECT_EQ(harness.Where("web"), "assumed on n1");
  EXPECT_EQ(harness.Queue(), "0/0/0/0");
}

// --- deleted pods ---

TEST(Engine, PodDeletedWhileItIsBoundLeavesNothing) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web").Request("cpu", "1"));
  harness.Schedule();
  const Command command = harness.TheCommand();
  harness.Remove(MakePod("web"));
  EXPECT_EQ(harness.CpuOn("n1"), 0);
  harness.End(command, {framework::WriteResult::Kind::kNotFound, "pods \"web\" not found"});
  EXPECT_EQ(harness.Where("web"), "unknown");
  EXPECT_EQ(harness.Queue(), "0/0/0/0");
}

TEST(Engine, LateEndOfAWriteDoesNotTouchANewPodOfTheSameName) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web").Uid("old").Request("cpu", "1"));
  harness.Schedule();
  const Command command = harness.TheCommand();
  harness.Remove(MakePod("web").Uid("old"));
  harness.Put(MakePod("web").Uid("new").Request("cpu", "2"));
  harness.Schedule();
  const Command second = harness.TheCommand();
  EXPECT_EQ(AsBind(second).uid, "new");
  harness.Fail(command, "uid does not match");
  EXPECT_EQ(harness.Where("web"), "assumed on n1");
  EXPECT_EQ(harness.CpuOn("n1"), 2000);
  EXPECT_EQ(harness.Queue(), "0/0/0/0");
}

TEST(Engine, PodDeletedWhileItWaitsIsNotTried) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web"));
  EXPECT_EQ(harness.Queue(), "1/0/0/0");
  harness.Remove(MakePod("web"));
  EXPECT_EQ(harness.Queue(), "0/0/0/0");
  EXPECT_EQ(harness.Schedule(), 0u);
}

TEST(Engine, PodThatEndsOrIsPlacedByOthersWhileItWaitsIsNotTried) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("done"));
  harness.Put(MakePod("taken"));
  harness.Put(MakePod("done").Phase("Failed"));
  harness.Put(MakePod("taken").On("n1"));
  EXPECT_EQ(harness.Schedule(), 0u);
}

TEST(Engine, DeletedUnschedulablePodIsRemoved) {
  EngineHarness harness;
  harness.Put(MakeNode("n1").Cpu("1"));
  harness.Put(MakePod("big").Request("cpu", "2"));
  harness.Schedule();
  harness.Remove(MakePod("big"));
  harness.Put(MakeNode("n2"));
  EXPECT_EQ(harness.Schedule(), 0u);
}

// --- order ---

TEST(Engine, GatedPodStaysOutUntilItsGatesGo) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("web").Gate("quota").Gate("review"));
  EXPECT_EQ(harness.Queue(), "0/0/0/1");
  harness.Put(MakePod("web").Gate("review"));
  harness.Put(MakeNode("n2"));
  EXPECT_EQ(harness.Schedule(), 0u);
  harness.Put(MakePod("web"));
  EXPECT_EQ(harness.Queue(), "1/0/0/0");
  EXPECT_EQ(harness.Schedule(), 1u);
}

TEST(Engine, TriesPodsByPriorityThenInOrderOfArrival) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("first"));
  harness.Put(MakePod("urgent").Priority(10));
  harness.Put(MakePod("second"));
  harness.Put(MakePod("also-urgent").Priority(10));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(),
            Lines({"urgent -> n1", "also-urgent -> n1", "first -> n1", "second -> n1"}));
}

TEST(Engine, UpdatedPodKeepsItsPlaceInTheQueue) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  harness.Put(MakePod("first"));
  harness.Put(MakePod("second"));
  harness.Put(MakePod("first").Label("a", "b"));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), Lines({"first -> n1", "second -> n1"}));
}

TEST(Engine, TriesNoMorePodsThanItIsAllowedTo) {
  EngineHarness harness;
  harness.Put(MakeNode("n1"));
  for (const char* name : {"a", "b", "c"}) harness.Put(MakePod(name));
  EXPECT_EQ(harness.Schedule(2), 2u);
  EXPECT_EQ(harness.Queue(), "1/0/0/0");
  EXPECT_EQ(harness.Schedule(2), 1u);
}

// --- pods that fit nowhere ---

TEST(Engine, PodThatFitsNowhereIsUnschedulableUntilAnEvent) {
  EngineHarness harness;
  harness.Put(MakeNode("n1").Cpu("1"));
  harness.Put(MakePod("big").Request("cpu", "2"));
  harness.Schedule();
  const Lines decisions = harness.Decisions();
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_TRUE(decisions[0].starts_with("big: 0/1 nodes are available: 1 Insufficient cpu."))
      << decisions[0];
  EXPECT_EQ(harness.Queue(), "0/0/1/0");
  EXPECT_EQ(harness.Schedule(), 0u);
  harness.Put(MakeNode("n2").Cpu("4"));
  EXPECT_EQ(harness.Schedule(), 1u);
  EXPECT_EQ(harness.Decisions(), Lines({"big -> n2"}));
}

TEST(Engine, CapacityOfADeletedPodIsOfferedToWaitingPods) {
  struct Case {
    const char* name;
    std::function<void(EngineHarness&)> leave;
  };
  const Case cases[] = {
      {"Deleted", [](EngineHarness& w) { w.Remove(MakePod("old").Request("cpu", "1").On("n1")); }},
      {"Finished",
       [](EngineHarness& w) {
         w.Put(MakePod("old").Request("cpu", "1").On("n1").Phase("Succeeded"));
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EngineHarness harness;
    harness.Put(MakeNode("n1").Cpu("1"));
    harness.Put(MakePod("old").Request("cpu", "1").On("n1"));
    harness.Put(MakePod("new").Request("cpu", "1"));
    harness.Schedule();
    harness.Decisions();
    c.leave(harness);
    harness.Schedule();
    EXPECT_EQ(harness.Decisions(), Lines({"new -> n1"}));
  }
}

TEST(Engine, CapacityOfAPodThatCouldNotBeBoundIsOfferedToWaitingPods) {
  EngineHarness harness;
  harness.Put(MakeNode("n1").Cpu("1"));
  harness.Put(MakePod("first").Request("cpu", "1"));
  harness.Put(MakePod("second").Request("cpu", "1"));
  harness.Schedule();
  harness.Decisions();
  harness.Fail(harness.TheCommand(), "etcd is away");
  harness.Decisions();
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), Lines({"second -> n1"}));
}

TEST(Engine, WithoutNodesPodsWait) {
  EngineHarness harness;
  harness.Put(MakePod("web"));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), Lines({"web: no nodes available to schedule pods"}));
  harness.Put(MakeNode("n1"));
  EXPECT_EQ(harness.Schedule(), 0u) << "it backs off";
  harness.Pass(Duration::Seconds(2));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), Lines({"web -> n1"}));
}

TEST(Engine, UnschedulablePodsAreRetriedInOrderOfPriority) {
  EngineHarness harness;
  harness.Put(MakeNode("n0").Cpu("0"));
  harness.Put(MakePod("low").Request("cpu", "1"));
  harness.Put(MakePod("high").Request("cpu", "1").Priority(5));
  harness.Schedule();
  harness.Decisions();
  harness.Put(MakeNode("n1"));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), Lines({"high -> n1", "low -> n1"}));
}

TEST(Engine, NominatedNodeIsEvaluatedFirst) {
  EngineHarness harness;
  harness.Put(MakeNode("better").Cpu("64"));
  harness.Put(MakeNode("promised").Cpu("1"));
  harness.Put(MakePod("web").Request("cpu", "1").Nominated("promised"));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), Lines({"web -> promised"}));
}

TEST(Engine, NominatedNodeThatDoesNotFitIsSkipped) {
  EngineHarness harness;
  harness.Put(MakeNode("other").Cpu("64"));
  harness.Put(MakeNode("promised").Cpu("1"));
  harness.Put(MakePod("web").Request("cpu", "2").Nominated("promised"));
  harness.Put(MakePod("gone").Request("cpu", "2").Nominated("unheard-of"));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), Lines({"web -> other", "gone -> other"}));
}

// --- profiles ---

TEST(Engine, ProfilesServeTheirSchedulerNames) {
  framework::ProfileConfig packing = DefaultProfile("packer");
  framework::ProfileConfig plain = DefaultProfile();
  for (framework::PluginChoice& choice : packing.multi_point.enabled) {
    if (choice.name == "ImageLocality") choice.weight = 1000;
  }
  EngineHarness harness({plain, packing});
  harness.Put(MakeNode("roomy").Cpu("64").Memory("64Gi"));
  harness.Put(MakeNode("cached").Image("app:1", 300'000'000));
  harness.Put(MakePod("a").Request("cpu", "2"));
  harness.Put(MakePod("b").Request("cpu", "2").Scheduler("packer"));
  harness.Put(MakePod("c").Scheduler("nobody"));
  EXPECT_EQ(harness.Schedule(), 2u);
  EXPECT_EQ(harness.Decisions(), Lines({"a -> roomy", "b -> cached"}));
  EXPECT_EQ(harness.Where("c"), "pending");
}

TEST(Engine, PodsOfOtherSchedulersCountOnceTheyAreBound) {
  EngineHarness harness;
  harness.Put(MakeNode("n1").Cpu("1"));
  harness.Put(MakePod("foreign").Scheduler("nobody").Request("cpu", "1").On("n1"));
  harness.Put(MakePod("web").Request("cpu", "1"));
  harness.Schedule();
  EXPECT_EQ(harness.Queue(), "0/0/1/0");
}

struct MakeCase {
  const char* name;
  std::vector<framework::ProfileConfig> profiles;
  const char* want;
};

TEST(Engine, InvalidProfilesAreErrors) {
  framework::ProfileConfig unknown = DefaultProfile();
  unknown.multi_point.enabled.push_back({"Nobody"});
  const MakeCase cases[] = {
      {"None", {}, "at least one profile is required"},
      {"SameNameTwice",
       {DefaultProfile("x"), DefaultProfile("x")},
       "duplicate profile with scheduler name \"x\""},
      {"UnknownPlugin",
       {unknown},
       "creating profile for scheduler name default-scheduler: PreFilterPlugin \"Nobody\" does not "
       "exist"},
  };
  for (const MakeCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto engine = Engine::Make({.profiles = c.profiles}, plugins::InTreeRegistry());
    ASSERT_FALSE(engine.has_value());
    EXPECT_EQ(engine.error().message, c.want);
  }
}

// The wall clock gives the times that others read, and nothing else.
TEST(EngineClocks, ConditionsHaveTheDateAndBackoffsTheSteadyClock) {
  EngineHarness harness;
  Engine& engine = harness.engine();
  const Instant start = Instant::FromUnixSeconds(1'767'225'600);
  const Instant date = start - Duration::Seconds(3600);
  engine.Handle(ObjectPut{MakeNode("n1").Cpu("1")}, start);
  engine.Handle(ObjectPut{MakePod("web")}, start);
  EXPECT_EQ(engine.Schedule(start), 1);
  const framework::WriteResult conflict{framework::WriteResult::Kind::kConflict, "taken"};
  engine.Handle(WriteDone{harness.TheCommand().id, conflict}, {start, date});
  std::optional<Instant> written;
  for (const Command& command : engine.TakeCommands()) {
    const auto* patch = std::get_if<framework::PatchPodStatus>(&command.write);
    if (patch != nullptr) written = patch->condition->last_transition_time;
  }
  EXPECT_EQ(written, date);
  EXPECT_EQ(engine.Schedule({start, date + Duration::Seconds(7200)}), 0) << "it backs off";
  EXPECT_EQ(engine.Schedule({start + Duration::Seconds(3), date}), 1);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
