// Regression tests for bugs that schedulers are known to have had, one scenario each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/queue/scheduling_queue.h"
#include "testing/cluster_dump.h"
#include "testing/require.h"
#include "testing/scripted_engine.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;
using Kind = framework::WriteResult::Kind;

// "web" waits at Permit on n1, with its node announced.
void StartHolding(ScriptedEngine& scripted) {
  scripted.AddPermit("Gang", [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
  scripted.Start().Put(MakeNode("n1").Cpu("1"));
  scripted->Put(MakePod("web").Request("cpu", "1"));
  scripted->Schedule();
  scripted.EndAnnouncement();
  scripted->Decisions();
}

// An event that came while the pod was being tried must not be lost on it.
TEST(Regression, EventWhileInFlight) {
  struct Case {
    const char* name;
    bool before, during;
    const char* queue;
  };
  for (const Case& c :
       {Case{"Never", false, false, "0/0/1/0"}, Case{"Before", true, false, "0/0/1/0"},
        Case{"During", false, true, "0/1/0/0"}}) {
    SCOPED_TRACE(c.name);
    ScriptedEngine scripted;
    StartHolding(scripted);
    if (c.before) {
      scripted.Speak("uid-of-web", "Gang", false, "start over");
      scripted->Put(MakeNode("before").Cordoned());
      scripted->Schedule();
      std::vector<Command> commands;
      scripted.Commands(&commands);
      for (const Command& command : commands) scripted->End(command);
    }
    if (c.during) scripted->Put(MakeNode("during").Cordoned());
    scripted.Speak("uid-of-web", "Gang", false, "no");
    EXPECT_EQ(scripted->Queue(), c.queue);
  }
}

TEST(Regression, PodDeletedAndRecreatedUnderTheSameNameInFlight) {
  ScriptedEngine scripted;
  scripted.AddPermit("Gang", [](framework::Cycle& cycle, framework::WaitingPods&) {
    return cycle.pod().uid() == "old" ? Wait(60) : framework::PermitResult{};
  });
  scripted.Start().Put(MakeNode("n1").Cpu("1"));
  scripted->Put(MakePod("web").Uid("old").Request("cpu", "1"));
  scripted->Schedule();
  const Command announcement = scripted->TheCommand();  // Under way.
  // The watch may well show the new pod without a word of the old one's end.
  scripted->Put(MakePod("web").Uid("new").Request("cpu", "1"));
  scripted->Schedule();
  EXPECT_EQ(scripted->Decisions(), Lines({"web -> n1", "web -> n1"}));
  std::vector<Command> commands;
  EXPECT_EQ(scripted.Commands(&commands), Lines({"bind web to n1"}));
  EXPECT_EQ(std::get<framework::BindPod>(commands[0].write).uid, "new");

  scripted->End(announcement, {Kind::kNotFound, "gone"});
  EXPECT_EQ(scripted.Commands(), Lines()) << "nothing is reported about the old pod";
  EXPECT_EQ(scripted->Where("web"), "assumed on n1");
  EXPECT_EQ(scripted->CpuOn("n1"), 1000);
  EXPECT_EQ(scripted->engine().queue().sizes().in_flight, 0u);
  scripted->End(commands[0]);
  EXPECT_EQ(scripted->engine().bindings_under_way(), 0u);
}

// The same pod may be reported gone and come back while its bind is under way.
TEST(Regression, PodGoneAndBackWithTheSameUidWhileItIsBound) {
  ScriptedEngine scripted;
  scripted.Start().Put(MakeNode("n1").Cpu("4"));
  scripted->Put(MakePod("web").Request("cpu", "1"));
  scripted->Schedule();
  const Command first = scripted->TheCommand();
  scripted->Remove(MakePod("web").Request("cpu", "1"));
  scripted->Put(MakePod("web").Request("cpu", "1"));
  scripted->Schedule();
  const Command second = scripted->TheCommand();
  scripted->Fail(first, "conflict");
  EXPECT_EQ(scripted->Where("web"), "assumed on n1") << "for the second bind";
  EXPECT_EQ(scripted->CpuOn("n1"), 1000);
  scripted->End(second);
  EXPECT_EQ(scripted->Where("web"), "assumed on n1");
  EXPECT_EQ(scripted->engine().bindings_under_way(), 0u);
}

TEST(Regression, DeletedPodWithFinalizerWhileItWaitsInTheQueue) {
  ScriptedEngine scripted;
  scripted.Start().Put(MakeNode("n1"));
  scripted->Put(MakePod("web"));
  scripted->Put(Terminating(MakePod("web")));
  scripted->Schedule();
  EXPECT_EQ(scripted->Decisions(), Lines());
  EXPECT_EQ(scripted->Reports(),
            Lines({"web: FailedScheduling: skip schedule deleting pod: default/web"}));
  EXPECT_EQ(scripted->Queue(), "0/0/0/0");
  EXPECT_EQ(scripted->engine().queue().sizes().in_flight, 0u);
}

TEST(Regression, DeletedPodWithFinalizerWhileItWaitsAtPermit) {
  ScriptedEngine scripted;
  StartHolding(scripted);
  scripted->Put(MakePod("next").Request("cpu", "1"));
  scripted->Schedule();
  scripted->Decisions();
  scripted->Put(Terminating(MakePod("web").Request("cpu", "1")));
  EXPECT_EQ(scripted->Where("web"), "pending");
  EXPECT_EQ(scripted->engine().queue().sizes().unschedulable, 1u) << "it waits, and no event helps";
  EXPECT_EQ(scripted->CpuOn("n1"), 0);
  EXPECT_EQ(scripted->engine().bindings_under_way(), 0u);
  scripted->Decisions();
  scripted->Schedule();
  EXPECT_EQ(scripted->Decisions(), Lines({"next -> n1"})) << "its capacity is free at once";
  scripted.Commands();
  for (int i = 0; i < 20; ++i) {
    scripted->Pass(Duration::Seconds(1));
    scripted->Schedule();
  }
  EXPECT_EQ(scripted->Decisions(), Lines()) << "a pod that goes is not tried again";
}

TEST(Regression, DeletedPodWithFinalizerWhileItIsAssumed) {
  for (const bool bound : {false, true}) {
    SCOPED_TRACE(bound);
    ScriptedEngine scripted;
    scripted.Start().Put(MakeNode("n1").Cpu("1"));
    scripted->Put(MakePod("web").Request("cpu", "1"));
    scripted->Put(MakePod("next").Request("cpu", "1"));
    scripted->Schedule();
    const Command bind = scripted->TheCommand();
    scripted->Decisions();
    scripted->Put(Terminating(MakePod("web").Request("cpu", "1")));
    EXPECT_EQ(scripted->CpuOn("n1"), 0) << "its capacity is free at once";
    if (bound) {
      scripted->End(bind);
      scripted->Put(Terminating(MakePod("web").Request("cpu", "1").On("n1")));
      EXPECT_EQ(scripted->Where("web"), "bound on n1");
      EXPECT_EQ(scripted->CpuOn("n1"), 1000);
    } else {
      scripted->Fail(bind, "it is being deleted");
      scripted->Decisions();
      scripted->Schedule();
      EXPECT_EQ(scripted->Decisions(), Lines({"next -> n1"}));
    }
    scripted.Commands();
    for (int i = 0; i < 20; ++i) {
      scripted->Pass(Duration::Seconds(1));
      scripted->Schedule();
      for (const std::string& line : scripted->Decisions()) EXPECT_FALSE(line.starts_with("web"));
    }
    scripted->Remove(Terminating(MakePod("web").Request("cpu", "1")));
    EXPECT_EQ(scripted->Where("web"), "unknown");
    EXPECT_EQ(scripted->CpuOn("n1"), bound ? 0 : 1000);
  }
}

// Wherever the pod was when the event came that makes it schedulable, it is placed soon after.
TEST(Regression, StuckInUnschedulable) {
  struct Case {
    const char* name;
    std::function<void(EngineHarness&)> before;
  };
  const Case cases[] = {
      {"BeforeThePod", [](EngineHarness&) {}},
      {"Ready", [](EngineHarness& w) { w.Put(MakePod("web").Request("cpu", "2")); }},
      {"Unschedulable",
       [](EngineHarness& w) {
         w.Put(MakePod("web").Request("cpu", "2"));
         w.Schedule();
       }},
      {"UnschedulableForLong",
       [](EngineHarness& w) {
         w.Put(MakePod("web").Request("cpu", "2"));
         w.Schedule();
         w.Pass(Duration::Seconds(100));
       }},
      {"BackingOff",
       [](EngineHarness& w) {
         w.Put(MakePod("web").Request("cpu", "2"));
         w.Schedule();
         w.Put(MakeNode("woke-it-in-vain").Taint("k", "v", "NoSchedule"));
       }},
      {"Gated",
       [](EngineHarness& w) {
         w.Put(MakePod("web").Request("cpu", "2").Gate("wait"));
         w.Put(MakePod("web").Request("cpu", "2"));
       }},
      {"AfterABindThatFailed",
       [](EngineHarness& w) {
         w.Put(MakeNode("brief"));
         w.Put(MakePod("web").Request("cpu", "2"));
         w.Schedule();
         const Command bind = w.TheCommand();
         w.Remove(MakeNode("brief"));
         w.Fail(bind, "no such node");
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EngineHarness harness;
    harness.Put(MakeNode("small").Cpu("1"));
    c.before(harness);
    harness.Put(MakeNode("big").Cpu("8"));
    if (harness.Where("web") == "unknown") harness.Put(MakePod("web").Request("cpu", "2"));
    for (int i = 0; i < 5 && harness.Where("web") == "pending"; ++i) {
      harness.Schedule();
      harness.Pass(Duration::Seconds(1));
    }
    EXPECT_EQ(harness.Where("web"), "assumed on big");
  }
}

TEST(Regression, ManyGatedPodsDoNotSlowEvents) {
  const auto gate = std::make_shared<GateScript>();
  gate->pre_enqueue = [](const model::PodRecord& pod) {
    return pod.object->metadata.labels.contains("gated")
               ? framework::Verdict(framework::Code::kUnschedulable, "closed")
               : framework::Verdict();
  };
  gate->interests = {{{framework::Resource::kPersistentVolumeClaim, framework::kAdd}}};
  ScriptedEngine scripted;
  scripted.Add<FakeGate>("Gate", gate);
  scripted.Start();
  for (int i = 0; i < 10'000; ++i)
    scripted->Put(MakePod(fmt::format("p{}", i)).Label("gated", "yes"));
  EXPECT_EQ(scripted->Queue(), "0/0/0/10000");
  EXPECT_EQ(gate->gate_questions, 10'000);
  for (int i = 0; i < 100; ++i) {
    scripted->Put(MakeNode(fmt::format("n{}", i)));
    scripted->Put(MakePod(fmt::format("r{}", i)).On(fmt::format("n{}", i)));
    scripted->Remove(MakePod(fmt::format("r{}", i)).On(fmt::format("n{}", i)));
  }
  EXPECT_EQ(gate->gate_questions, 10'000) << "events that cannot open the gate";
  EXPECT_EQ(gate->hint_questions, 0);
  gate->may_help = [](const model::PodRecord&, const framework::ClusterEvent&) -> Result<bool> {
    return false;
  };
  scripted->Put(MakeObject<api::PersistentVolumeClaim>("c", "default"));
  EXPECT_EQ(gate->hint_questions, 1) << "copies share one call";
  EXPECT_EQ(gate->gate_questions, 10'000);
}

// Each member of a gang may be the last one that is missing.
TEST(Regression, MembersOfAGangDoNotRequeueEachOther) {
  const auto gate = std::make_shared<GateScript>();
  bool open = false;
  gate->pre_enqueue = [&](const model::PodRecord&) {
    return open ? framework::Verdict() : framework::Verdict(framework::Code::kUnschedulable, "few");
  };
  gate->gates_groups = true;
  ScriptedEngine scripted;
  scripted.Add<FakeGate>("Gate", gate);
  scripted.Start();
  for (int i = 0; i < 1'000; ++i) scripted->Put(MakePod(fmt::format("p{}", i)));
  gate->gate_questions = 0;
  for (int i = 0; i < 100; ++i) scripted->Put(MakeNode(fmt::format("n{}", i)));
  EXPECT_EQ(gate->gate_questions, 100) << "copies share one call";
  EXPECT_EQ(scripted->Queue(), "0/0/0/1000");
  open = true;
  scripted->Put(MakeNode("last"));
  EXPECT_EQ(scripted->Queue(), "1000/0/0/0");
}

// --- failures after a node was chosen ---

// A scenario in which "web" is placed on n1 and then fails.
struct FailurePath {
  const char* name;
  std::function<void(ScriptedEngine&)> plugins;
  std::function<void(ScriptedEngine&)> fail;  // After the first Schedule.
};

std::vector<FailurePath> FailurePaths() {
  const auto nothing = [](ScriptedEngine&) {};
  const auto hold = [](ScriptedEngine& s) {
    s.AddPermit("Gang", [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
  };
  const auto permit = [](framework::Verdict verdict) {
    return [=](ScriptedEngine& s) {
      s.AddPermit("Gang", [=](framework::Cycle&, framework::WaitingPods&) {
        return framework::PermitResult{verdict, {}};
      });
    };
  };
  const auto pre_bind = [](PreBindScript script) {
    return [=](ScriptedEngine& s) { s.AddPreBind("Slow", script); };
  };
  const framework::Verdict no(framework::Code::kUnschedulable, "no");
  const framework::Verdict error = framework::Verdict::Error("on fire");
  const auto announced = [](ScriptedEngine& s) { s.EndAnnouncement(); };
  return {
      {"ReserveRejects", [=](ScriptedEngine& s) { s.AddReserve("Bad", no); }, nothing},
      {"ReserveFails", [=](ScriptedEngine& s) { s.AddReserve("Bad", error); }, nothing},
      {"PermitRejects", permit(no), nothing},
      {"PermitFails", permit(error), nothing},
      {"RejectedLater", hold,
       [](ScriptedEngine& s) {
         s.EndAnnouncement();
         s.Speak("uid-of-web", "Gang", false, "no");
       }},
      {"TimesOut", hold,
       [](ScriptedEngine& s) {
         s.EndAnnouncement();
         s->Pass(Duration::Seconds(60));
         s->Put(MakeNode("n1"));
       }},
      {"IsDeletedWhileItWaits", hold,
       [](ScriptedEngine& s) {
         s.EndAnnouncement();
         s->Remove(MakePod("web").Request("cpu", "1"));
         s->Put(MakePod("web").Request("cpu", "1"));
       }},
      {"PreFlightFails", pre_bind({.plan = error}), nothing},
      {"PreBindFails", pre_bind({.answer = error}), announced},
      {"PreBindRejects", pre_bind({.answer = no}), announced},
      {"BindFails", nothing, [](ScriptedEngine& s) { s->Fail(s->TheCommand(), "conflict"); }},
      {"BindTimesOut", nothing,
       [](ScriptedEngine& s) { s->End(s->TheCommand(), {Kind::kTimeout, "late"}); }},
      {"NodeGoesAndBindFails", nothing,
       [](ScriptedEngine& s) {
         s->Remove(MakeNode("n1"));
         s->Put(MakeNode("n1"));
         s->Fail(s->TheCommand(), "conflict");
       }},
  };
}

TEST(Regression, LeakedAssumedPod) {
  for (const FailurePath& path : FailurePaths()) {
    SCOPED_TRACE(path.name);
    ScriptedEngine scripted;
    path.plugins(scripted);
    scripted.Start().Put(MakeNode("n1"));
    scripted->Put(MakePod("web").Request("cpu", "1"));
    const std::string before = Dump(scripted->cluster());
    scripted->Schedule(1);
    path.fail(scripted);
    EXPECT_EQ(Dump(scripted->cluster()), before);
    EXPECT_EQ(scripted->Where("web"), "pending");
    EXPECT_EQ(scripted->engine().bindings_under_way(), 0u);
    EXPECT_EQ(scripted->engine().queue().sizes().in_flight, 0u);
    EXPECT_NE(scripted->Queue(), "0/0/0/0") << "it is tried again some time";
  }
}

TEST(Regression, ReserveWithoutUnreserve) {
  for (const FailurePath& path : FailurePaths()) {
    SCOPED_TRACE(path.name);
    ScriptedEngine scripted;
    scripted.AddReserve("A");
    path.plugins(scripted);
    scripted.AddReserve("Z");
    scripted.Start().Put(MakeNode("n1"));
    scripted->Put(MakePod("web").Request("cpu", "1"));
    scripted->Schedule(1);
    path.fail(scripted);
    Lines unreserved;
    for (const std::string& line : *scripted.log) {
      if (line.ends_with("-web")) unreserved.push_back(line);
    }
    const bool has_bad = std::string(path.name).starts_with("Reserve");
    EXPECT_EQ(unreserved,
              has_bad ? Lines({"Z-web", "Bad-web", "A-web"}) : Lines({"Z-web", "A-web"}));
  }
}

// --- nominations ---

// "high" is nominated to n1, where "low" is being evicted.
void StartPreempting(ScriptedEngine& scripted) {
  scripted.Start().Put(MakeNode("n1").Cpu("1"));
  scripted->Put(MakePod("low").On("n1").Request("cpu", "1"));
  scripted->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  scripted->Schedule();
  scripted->Decisions();
}

TEST(Regression, LeakedNomination) {
  struct Case {
    const char* name;
    std::function<void(ScriptedEngine&)> end;
  };
  const Case cases[] = {
      {"Deleted", [](ScriptedEngine& s) { s->Remove(MakePod("high").Priority(10)); }},
      {"FoundAnotherNode",
       [](ScriptedEngine& s) {
         s->Put(MakeNode("n2").Cpu("1"));
         s->Remove(MakePod("low").On("n1").Request("cpu", "1"));
         s->Pass(Duration::Seconds(2));
         s->Schedule();
       }},
      {"BoundByOthers",
       [](ScriptedEngine& s) {
         s->Put(MakePod("high").Priority(10).Request("cpu", "1").On("n9"));
       }},
      {"TakenBackInTheApi",
       [](ScriptedEngine& s) {
         s->Put(MakePod("high").Priority(10).Request("cpu", "1").Nominated("n1"));
         s->Put(MakePod("high").Priority(10).Request("cpu", "1"));
       }},
      {"Recreated",
       [](ScriptedEngine& s) {
         s->Put(MakePod("high").Uid("new").Priority(10).Request("cpu", "1"));
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ScriptedEngine scripted;
    StartPreempting(scripted);
    const Symbol n1 = scripted->cluster().symbols().Find("n1");
    ASSERT_EQ(scripted->cluster().nominations().PodsOn(n1).size(), 1u);
    c.end(scripted);
    EXPECT_TRUE(scripted->cluster().nominations().empty());
  }
}

// A nomination to a deleted node prevents neither the pod nor others from being placed.
TEST(Regression, DeadNominatedNode) {
  ScriptedEngine scripted;
  StartPreempting(scripted);
  scripted->Put(MakePod("high").Priority(10).Request("cpu", "1").Nominated("n1"));
  std::vector<Command> commands;
  scripted.Commands(&commands);
  scripted->Remove(MakeNode("n1"));
  for (const Command& command : commands) scripted->End(command, {Kind::kNotFound, "gone"});
  scripted->Put(MakeNode("n2").Cpu("2"));
  scripted->Put(MakePod("other").Request("cpu", "1"));
  for (int i = 0; i < 4; ++i) {
    scripted->Schedule();
    scripted->Pass(Duration::Seconds(1));
  }
  EXPECT_EQ(scripted->Where("high"), "assumed on n2");
  EXPECT_EQ(scripted->Where("other"), "assumed on n2");
  EXPECT_TRUE(scripted->cluster().nominations().empty());
}

// --- writes ---

TEST(Regression, StatusPatchesStarveBinds) {
  ScriptedEngine scripted;
  scripted.Start().Put(MakeNode("n1").Cpu("2"));
  for (int i = 0; i < 1000; ++i)
    scripted->Put(MakePod(fmt::format("big-{}", i)).Priority(5).Request("cpu", "64"));
  scripted->Put(MakePod("web"));
  scripted->Schedule();
  const auto first = scripted->engine().TakeCommands(1);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(ScriptedEngine::Describe(first[0].write), "bind web to n1");
  EXPECT_EQ(scripted->engine().TakeCommands(10).size(), 10u) << "the flood comes after it";
  scripted->Put(MakePod("next"));
  scripted->Schedule();
  const auto next = scripted->engine().TakeCommands(1);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(ScriptedEngine::Describe(next[0].write), "bind next to n1");
}

// After a restart the first view may be old: the pod is bound already, though it is shown unbound.
TEST(Regression, StaleViewAfterRestart) {
  for (const char* node : {"n1", "n2"}) {
    SCOPED_TRACE(node);
    ScriptedEngine scripted;
    scripted.Start().Put(MakeNode("n1").Cpu("4"));
    scripted->Put(MakeNode("n2").Cpu("1"));
    scripted->Put(MakePod("web").Request("cpu", "1"));
    scripted->Schedule();
    EXPECT_EQ(scripted->Decisions(), Lines({"web -> n1"}));
    scripted->Fail(scripted->TheCommand(), "pod web is already assigned to a node");
    scripted.Commands();
    scripted->Put(MakePod("web").Request("cpu", "1").On(node));
    EXPECT_EQ(scripted->Where("web"), std::string("bound on ") + node);
    for (int i = 0; i < 20; ++i) {
      scripted->Pass(Duration::Seconds(1));
      EXPECT_EQ(scripted->Schedule(), 0u);
    }
    EXPECT_EQ(scripted.Commands(), Lines());
    EXPECT_EQ(scripted->CpuOn("n1") + scripted->CpuOn("n2"), 1000);
    EXPECT_EQ(scripted->Queue(), "0/0/0/0");
    EXPECT_EQ(scripted->engine().queue().sizes().in_flight, 0u);
  }
}

// --- many copies ---

TEST(Regression, CopiesOfAFailedPodStarveOthers) {
  const auto script = std::make_shared<RejectScript>();
  script->pre_filter = [](const model::PodRecord& pod) {
    return pod.object->priority() > 0
               ? framework::Verdict(framework::Code::kUnschedulableAndUnresolvable, "never")
               : framework::Verdict();
  };
  ScriptedEngine scripted;
  scripted.Add<FakeReject>("Never", script);
  const auto engine = Require(Engine::Make({.profiles = {scripted.config()}}, scripted.registry()));
  const Instant now = Instant::FromUnixSeconds(1000);
  engine->Handle(ObjectPut{MakeNode("n1")}, now);
  constexpr int kCopies = 10'000;
  for (int i = 0; i < kCopies; ++i)
    engine->Handle(ObjectPut{MakePod(fmt::format("big-{}", i)).Priority(5)}, now);
  engine->Handle(ObjectPut{MakePod("web")}, now);
  EXPECT_EQ(engine->Schedule(now), kCopies + 1u);
  EXPECT_EQ(script->questions, 2) << "one copy, and the pod that fits";
  EXPECT_EQ(engine->queue().sizes().unschedulable, static_cast<size_t>(kCopies));

  engine->Handle(ObjectPut{MakeNode("n2")}, now + Duration::Seconds(20));
  EXPECT_EQ(engine->queue().sizes().active, static_cast<size_t>(kCopies));
  EXPECT_EQ(engine->Schedule(now + Duration::Seconds(20)), static_cast<size_t>(kCopies));
  EXPECT_EQ(script->questions, 3);
}

// Two pods whose requests exceed 64 bits together once gave their node an invalid score, and
// nothing was scheduled any more.
TEST(Regression, RequestsThatOverflowConcernTheirNodeOnly) {
  ScriptedEngine scripted;
  scripted.Start().Put(MakeNode("n1").Cpu("4").Memory("8Gi"));
  scripted->Put(MakeNode("n2").Cpu("4").Memory("8Gi"));
  for (const char* name : {"one", "two"})
    scripted->Put(MakePod(name).On("n1").Request("memory", "9E"));
  scripted->Put(MakePod("web").Request("cpu", "1"));  // Requests no memory: n1 is feasible, too.
  scripted->Schedule();
  EXPECT_EQ(scripted->Decisions(), Lines({"web -> n2"}));
}

// The rating of victims that the class had before a pod's anti-affinity excluded it from the zone
// was taken for valid, and preemption failed on the best node.
TEST(Regression, AntiAffinityOfAnotherNodesPodEndsPreemption) {
  EngineHarness harness({.profiles = {DefaultProfile()}, .paranoid = true});
  for (const char* node : {"n1", "n2"}) {
    harness.Put(MakeNode(node).Cpu("1").Zone("z"));
    harness.Put(MakePod(std::string("on-") + node).On(node).Request("cpu", "1"));
  }
  harness.Put(MakeNode("n3").Cpu("1").Zone("z").Cordoned());
  const auto preemptor = [](const char* name) {
    return MakePod(name).Priority(5).Label("app", "web").Request("cpu", "1");
  };
  harness.Put(preemptor("first"));
  harness.Schedule();
  harness.Put(
      MakePod("alone").On("n3").Priority(9).KeepApart("topology.kubernetes.io/zone", "app", "web"));
  harness.Put(preemptor("second"));
  harness.Schedule();
  const Lines decisions = harness.Decisions();
  // The first has its victim on one node, which it is nominated to.
  EXPECT_TRUE(decisions.back().ends_with(
      "preemption: 0/3 nodes are available: 1 Insufficient cpu, 1 Preemption is not helpful for "
      "scheduling, 1 node(s) didn't satisfy existing pods anti-affinity rules."))
      << decisions.back();
}

// API servers accept no such weight, but objects may come from elsewhere.
TEST(Regression, PreferenceWithoutWeightOfAnExistingPod) {
  EngineHarness harness({.profiles = {DefaultProfile()}, .paranoid = true});
  harness.Put(MakeNode("n1").Label("zone", "a"));
  harness.Put(MakeNode("n2").Label("zone", "b"));
  api::Pod existing = MakePod("existing").On("n1");
  api::WeightedPodAffinityTerm term;
  term.term.topology_key = "zone";
  term.term.label_selector.emplace().match_labels = {{"app", "web"}};
  existing.spec.affinity.emplace().pod_affinity.emplace().preferred = {term};
  harness.Put(std::make_shared<const api::Pod>(std::move(existing)));
  harness.Put(MakePod("web").Label("app", "web"));
  harness.Schedule();  // The reference implementation decides the same.
  EXPECT_EQ(harness.Decisions(), Lines({"web -> n2"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
