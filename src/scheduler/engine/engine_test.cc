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
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web").Uid("u-1").Request("cpu", "1"));
  EXPECT_EQ(world.Schedule(), 1u);
  EXPECT_EQ(world.Decisions(), Lines({"web -> n1"}));
  const Command command = world.TheCommand();
  EXPECT_EQ(AsBind(command), (framework::BindPod{{"default", "web"}, "u-1", "n1"}));
  EXPECT_EQ(world.Where("web"), "assumed on n1");
  EXPECT_EQ(world.CpuOn("n1"), 1000);

  world.End(command);
  EXPECT_EQ(world.Where("web"), "assumed on n1");
  world.Put(MakePod("web").Uid("u-1").Request("cpu", "1").On("n1"));
  EXPECT_EQ(world.Where("web"), "bound on n1");
  EXPECT_EQ(world.CpuOn("n1"), 1000);
  EXPECT_EQ(world.Schedule(), 0u);
  EXPECT_TRUE(world.Commands().empty());
}

TEST(Engine, BoundPodMayBeSeenBeforeTheWriteEnds) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web").Request("cpu", "1"));
  world.Schedule();
  world.Put(MakePod("web").Request("cpu", "1").On("n1"));
  world.End(world.TheCommand());
  EXPECT_EQ(world.Where("web"), "bound on n1");
  EXPECT_EQ(world.Queue(), "0/0/0/0");
}

TEST(Engine, UpdateWhileBindingDoesNotQueueThePodAgain) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web"));
  world.Schedule();
  world.Put(MakePod("web").Label("seen", "yes"));
  EXPECT_EQ(world.Schedule(), 0u);
  EXPECT_EQ(world.Where("web"), "assumed on n1");
}

TEST(Engine, PodThatCouldNotBeBoundWaitsAgainAndFreesItsNode) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web").Request("cpu", "1"));
  world.Schedule();
  world.Decisions();
  world.Fail(world.TheCommand(), "etcd is away");
  EXPECT_EQ(world.Where("web"), "pending");
  EXPECT_EQ(world.CpuOn("n1"), 0);
  EXPECT_EQ(world.Decisions(),
            Lines({"web failed: running Bind plugin \"DefaultBinder\": etcd is away"}));
  EXPECT_EQ(world.Queue(), "0/1/0/0");
  EXPECT_EQ(world.Told(), Lines({"web is SchedulerError: running Bind plugin \"DefaultBinder\": "
                                 "etcd is away",
                                 "web: FailedScheduling: running Bind plugin \"DefaultBinder\": "
                                 "etcd is away"}));

  // Errors are not forgotten early, whatever happens.
  world.Put(MakeNode("n2").Taint("busy", "", "NoSchedule"));
  EXPECT_EQ(world.Schedule(), 0u);
  world.Pass(Duration::Seconds(2));
  EXPECT_EQ(world.Schedule(), 1u);
  EXPECT_EQ(world.Decisions(), Lines({"web -> n1"}));
}

TEST(Engine, FailedWriteOfAPodThatIsBoundAfterAllChangesNothing) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web").Request("cpu", "1"));
  world.Schedule();
  const Command command = world.TheCommand();
  world.Put(MakePod("web").Request("cpu", "1").On("n1"));
  world.Fail(command, "timeout");
  EXPECT_EQ(world.Where("web"), "bound on n1");
  EXPECT_EQ(world.CpuOn("n1"), 1000);
  EXPECT_EQ(world.Queue(), "0/0/0/0");
}

TEST(Engine, WriteReportedTwiceOrNeverAskedForIsHarmless) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web"));
  world.Schedule();
  const Command command = world.TheCommand();
  world.End(command);
  world.Fail(command, "late");
  world.End({CommandId{77}, command.write});
  EXPECT_EQ(world.Where("web"), "assumed on n1");
  EXPECT_EQ(world.Queue(), "0/0/0/0");
}

// --- pods that go ---

TEST(Engine, PodDeletedWhileItIsBoundLeavesNothing) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web").Request("cpu", "1"));
  world.Schedule();
  const Command command = world.TheCommand();
  world.Remove(MakePod("web"));
  EXPECT_EQ(world.CpuOn("n1"), 0);
  world.End(command, {framework::WriteResult::Kind::kNotFound, "pods \"web\" not found"});
  EXPECT_EQ(world.Where("web"), "unknown");
  EXPECT_EQ(world.Queue(), "0/0/0/0");
}

TEST(Engine, LateEndOfAWriteDoesNotTouchANewPodOfTheSameName) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web").Uid("old").Request("cpu", "1"));
  world.Schedule();
  const Command command = world.TheCommand();
  world.Remove(MakePod("web").Uid("old"));
  world.Put(MakePod("web").Uid("new").Request("cpu", "2"));
  world.Schedule();
  const Command second = world.TheCommand();
  EXPECT_EQ(AsBind(second).uid, "new");
  world.Fail(command, "uid does not match");
  EXPECT_EQ(world.Where("web"), "assumed on n1");
  EXPECT_EQ(world.CpuOn("n1"), 2000);
  EXPECT_EQ(world.Queue(), "0/0/0/0");
}

TEST(Engine, PodDeletedWhileItWaitsIsNotTried) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web"));
  EXPECT_EQ(world.Queue(), "1/0/0/0");
  world.Remove(MakePod("web"));
  EXPECT_EQ(world.Queue(), "0/0/0/0");
  EXPECT_EQ(world.Schedule(), 0u);
}

TEST(Engine, PodThatEndsOrIsPlacedByOthersWhileItWaitsIsNotTried) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("done"));
  world.Put(MakePod("taken"));
  world.Put(MakePod("done").Phase("Failed"));
  world.Put(MakePod("taken").On("n1"));
  EXPECT_EQ(world.Schedule(), 0u);
}

TEST(Engine, UnschedulablePodThatIsDeletedIsForgotten) {
  EngineHarness world;
  world.Put(MakeNode("n1").Cpu("1"));
  world.Put(MakePod("big").Request("cpu", "2"));
  world.Schedule();
  world.Remove(MakePod("big"));
  world.Put(MakeNode("n2"));
  EXPECT_EQ(world.Schedule(), 0u);
}

// --- who comes first ---

TEST(Engine, GatedPodStaysOutUntilItsGatesGo) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("web").Gate("quota").Gate("review"));
  EXPECT_EQ(world.Queue(), "0/0/0/1");
  world.Put(MakePod("web").Gate("review"));
  world.Put(MakeNode("n2"));
  EXPECT_EQ(world.Schedule(), 0u);
  world.Put(MakePod("web"));
  EXPECT_EQ(world.Queue(), "1/0/0/0");
  EXPECT_EQ(world.Schedule(), 1u);
}

TEST(Engine, TriesPodsByPriorityThenInOrderOfArrival) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("first"));
  world.Put(MakePod("urgent").Priority(10));
  world.Put(MakePod("second"));
  world.Put(MakePod("also-urgent").Priority(10));
  world.Schedule();
  EXPECT_EQ(world.Decisions(),
            Lines({"urgent -> n1", "also-urgent -> n1", "first -> n1", "second -> n1"}));
}

TEST(Engine, UpdatedPodKeepsItsPlaceInTheQueue) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  world.Put(MakePod("first"));
  world.Put(MakePod("second"));
  world.Put(MakePod("first").Label("a", "b"));
  world.Schedule();
  EXPECT_EQ(world.Decisions(), Lines({"first -> n1", "second -> n1"}));
}

TEST(Engine, TriesNoMorePodsThanItIsAllowedTo) {
  EngineHarness world;
  world.Put(MakeNode("n1"));
  for (const char* name : {"a", "b", "c"}) world.Put(MakePod(name));
  EXPECT_EQ(world.Schedule(2), 2u);
  EXPECT_EQ(world.Queue(), "1/0/0/0");
  EXPECT_EQ(world.Schedule(2), 1u);
}

// --- pods that fit nowhere ---

TEST(Engine, PodThatFitsNowhereIsParkedUntilSomethingChanges) {
  EngineHarness world;
  world.Put(MakeNode("n1").Cpu("1"));
  world.Put(MakePod("big").Request("cpu", "2"));
  world.Schedule();
  const Lines decisions = world.Decisions();
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_TRUE(decisions[0].starts_with("big: 0/1 nodes are available: 1 Insufficient cpu."))
      << decisions[0];
  EXPECT_EQ(world.Queue(), "0/0/1/0");
  EXPECT_EQ(world.Schedule(), 0u);
  world.Put(MakeNode("n2").Cpu("4"));
  EXPECT_EQ(world.Schedule(), 1u);
  EXPECT_EQ(world.Decisions(), Lines({"big -> n2"}));
}

TEST(Engine, RoomThatAPodLeavesIsOfferedToThoseWhoWait) {
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
    EngineHarness world;
    world.Put(MakeNode("n1").Cpu("1"));
    world.Put(MakePod("old").Request("cpu", "1").On("n1"));
    world.Put(MakePod("new").Request("cpu", "1"));
    world.Schedule();
    world.Decisions();
    c.leave(world);
    world.Schedule();
    EXPECT_EQ(world.Decisions(), Lines({"new -> n1"}));
  }
}

TEST(Engine, RoomOfAPodThatCouldNotBeBoundIsOfferedToThoseWhoWait) {
  EngineHarness world;
  world.Put(MakeNode("n1").Cpu("1"));
  world.Put(MakePod("first").Request("cpu", "1"));
  world.Put(MakePod("second").Request("cpu", "1"));
  world.Schedule();
  world.Decisions();
  world.Fail(world.TheCommand(), "etcd is away");
  world.Decisions();
  world.Schedule();
  EXPECT_EQ(world.Decisions(), Lines({"second -> n1"}));
}

TEST(Engine, WithoutNodesPodsWait) {
  EngineHarness world;
  world.Put(MakePod("web"));
  world.Schedule();
  EXPECT_EQ(world.Decisions(), Lines({"web: no nodes available to schedule pods"}));
  world.Put(MakeNode("n1"));
  EXPECT_EQ(world.Schedule(), 0u) << "it backs off";
  world.Pass(Duration::Seconds(2));
  world.Schedule();
  EXPECT_EQ(world.Decisions(), Lines({"web -> n1"}));
}

TEST(Engine, ParkedPodsAreTriedAgainInOrderOfPriority) {
  EngineHarness world;
  world.Put(MakeNode("n0").Cpu("0"));
  world.Put(MakePod("low").Request("cpu", "1"));
  world.Put(MakePod("high").Request("cpu", "1").Priority(5));
  world.Schedule();
  world.Decisions();
  world.Put(MakeNode("n1"));
  world.Schedule();
  EXPECT_EQ(world.Decisions(), Lines({"high -> n1", "low -> n1"}));
}

TEST(Engine, NodePromisedToAPodIsTakenWithoutLookingFurther) {
  EngineHarness world;
  world.Put(MakeNode("better").Cpu("64"));
  world.Put(MakeNode("promised").Cpu("1"));
  world.Put(MakePod("web").Request("cpu", "1").Nominated("promised"));
  world.Schedule();
  EXPECT_EQ(world.Decisions(), Lines({"web -> promised"}));
}

TEST(Engine, PromisedNodeThatDoesNotFitIsPassedOver) {
  EngineHarness world;
  world.Put(MakeNode("other").Cpu("64"));
  world.Put(MakeNode("promised").Cpu("1"));
  world.Put(MakePod("web").Request("cpu", "2").Nominated("promised"));
  world.Put(MakePod("gone").Request("cpu", "2").Nominated("unheard-of"));
  world.Schedule();
  EXPECT_EQ(world.Decisions(), Lines({"web -> other", "gone -> other"}));
}

// --- profiles ---

TEST(Engine, ProfilesServeTheirSchedulerNames) {
  framework::ProfileConfig packing = DefaultProfile("packer");
  framework::ProfileConfig plain = DefaultProfile();
  for (framework::PluginChoice& choice : packing.multi_point.enabled) {
    if (choice.name == "ImageLocality") choice.weight = 1000;
  }
  EngineHarness world({plain, packing});
  world.Put(MakeNode("roomy").Cpu("64").Memory("64Gi"));
  world.Put(MakeNode("cached").Image("app:1", 300'000'000));
  world.Put(MakePod("a").Request("cpu", "2"));
  world.Put(MakePod("b").Request("cpu", "2").Scheduler("packer"));
  world.Put(MakePod("c").Scheduler("nobody"));
  EXPECT_EQ(world.Schedule(), 2u);
  EXPECT_EQ(world.Decisions(), Lines({"a -> roomy", "b -> cached"}));
  EXPECT_EQ(world.Where("c"), "pending");
}

TEST(Engine, PodsOfOtherSchedulersCountOnceTheyAreBound) {
  EngineHarness world;
  world.Put(MakeNode("n1").Cpu("1"));
  world.Put(MakePod("foreign").Scheduler("nobody").Request("cpu", "1").On("n1"));
  world.Put(MakePod("web").Request("cpu", "1"));
  world.Schedule();
  EXPECT_EQ(world.Queue(), "0/0/1/0");
}

struct MakeCase {
  const char* name;
  std::vector<framework::ProfileConfig> profiles;
  const char* want;
};

TEST(Engine, CannotBeMadeFromProfilesThatMakeNoSense) {
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

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
