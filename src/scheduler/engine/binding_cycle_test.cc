// Reserve, PreBind, Bind and PostBind, as plugins outside the tree live through them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "scheduler/engine/engine.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "testing/engine_harness.h"
#include "testing/fake_plugins.h"
#include "testing/object_builders.h"
#include "testing/require.h"
#include "testing/scripted_engine.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;
using Log = std::shared_ptr<Lines>;

// Records its calls; refuses to reserve with `refusal`, if that is a rejection.
class LoggingReserve final : public framework::ReservePlugin {
 public:
  LoggingReserve(std::string name, Log log, framework::Verdict refusal)
      : name_(std::move(name)), log_(std::move(log)), refusal_(std::move(refusal)) {}
  std::string_view name() const override { return name_; }
  framework::Verdict Reserve(framework::Cycle& cycle, model::NodeRow node) const override {
    log_->push_back(fmt::format("{} reserves {}", name_, cycle.nodes().name(node)));
    return refusal_;
  }
  void Unreserve(framework::Cycle& cycle, model::NodeRow node) const override {
    log_->push_back(fmt::format("{} unreserves {}", name_, cycle.nodes().name(node)));
  }

 private:
  const std::string name_;
  const Log log_;
  const framework::Verdict refusal_;
};

// Writes something before the pod is bound, and is notified when it is.
class LoggingBinding final : public framework::PreBindPlugin, public framework::PostBindPlugin {
 public:
  LoggingBinding(std::string name, Log log, framework::Verdict plan)
      : name_(std::move(name)), log_(std::move(log)), plan_(std::move(plan)) {}
  std::string_view name() const override { return name_; }
  framework::PreBindPlan PreBindPreFlight(const framework::Cycle&, model::NodeRow) const override {
    return {plan_};
  }
  Task<framework::Verdict> PreBind(framework::BindingContext& binding) const override {
    const model::PodRecord& pod = binding.cycle().pod();
    log_->push_back("writes");
    framework::BindPod preparation{pod.key(), pod.uid(), "prepared by " + name_};
    const framework::WriteResult result = co_await binding.Write(std::move(preparation));
    log_->push_back(result.ok() ? "written" : "not written");
    if (result.kind == framework::WriteResult::Kind::kRejected) {
      co_return framework::Verdict(framework::Code::kUnschedulable, result.message);
    }
    co_return result.ok() ? framework::Verdict() : framework::Verdict::Error(result.message);
  }
  void PostBind(const framework::BindingContext&) const override { log_->push_back("post-bind"); }

 private:
  const std::string name_;
  const Log log_;
  const framework::Verdict plan_;
};

// Leaves every pod to the next binder.
class IdleBinder final : public framework::BindPlugin {
 public:
  static constexpr std::string_view kName = "IdleBinder";
  std::string_view name() const override { return kName; }
  Task<framework::Verdict> Bind(framework::BindingContext&) const override {
    co_return framework::Verdict::Skip();
  }
};

class BindingTest : public testing::Test {
 protected:
  // The default profile, with plugins added to the registry before.
  void Start() {
    harness_ = std::make_unique<EngineHarness>(std::vector{config_}, registry_);
    harness_->Put(MakeNode("n1"));
    harness_->Put(MakePod("web").Request("cpu", "1"));
  }
  void Enable(const std::string& name) { config_.multi_point.enabled.push_back({name}); }

  void AddReserve(const std::string& name, framework::Verdict refusal = {}) {
    Offer<LoggingReserve>(registry_, name, log_, refusal);
    Enable(name);
  }
  void AddBinding(const std::string& name, framework::Verdict plan = {}) {
    Offer<LoggingBinding>(registry_, name, log_, plan);
    Enable(name);
  }
  // Ends the patch of the nominated node: a binding that takes a while begins with it.
  void Announce() {
    const Command command = harness_->TheCommand();
    EXPECT_EQ(std::get<framework::PatchPodStatus>(command.write).nominated_node_name, "n1");
    harness_->End(command);
  }
  const std::string& WrittenNode(const Command& command) {
    return std::get<framework::BindPod>(command.write).node;
  }

  Log log_ = std::make_shared<Lines>();
  framework::Registry registry_ = plugins::InTreeRegistry();
  framework::ProfileConfig config_ = DefaultProfile();
  std::unique_ptr<EngineHarness> harness_;
};

TEST_F(BindingTest, ReservePluginsAreCalledInOrder) {
  AddReserve("First");
  AddReserve("Second");
  Start();
  harness_->Schedule();
  EXPECT_EQ(*log_, Lines({"First reserves n1", "Second reserves n1"}));
  EXPECT_EQ(harness_->Decisions(), Lines({"web -> n1"}));
}

TEST_F(BindingTest, RejectedReserveIsUnreservedInReverseOrder) {
  AddReserve("First");
  AddReserve("Second", {framework::Code::kUnschedulable, "no claim left"});
  AddReserve("Third");
  Start();
  harness_->Schedule();
  EXPECT_EQ(*log_, Lines({"First reserves n1", "Second reserves n1", "Third unreserves n1",
                          "Second unreserves n1", "First unreserves n1"}));
  EXPECT_TRUE(harness_->Commands().empty());
  EXPECT_EQ(harness_->Where("web"), "pending");
  EXPECT_EQ(harness_->CpuOn("n1"), 0);
  EXPECT_EQ(harness_->Queue(), "0/0/1/0");
  EXPECT_EQ(harness_->Decisions(), Lines({"web: 0/1 nodes are available: 1 no claim left."}));
}

TEST_F(BindingTest, ErrorInReserveNamesThePlugin) {
  AddReserve("Broken", framework::Verdict::Error("disk on fire"));
  Start();
  harness_->Schedule();
  EXPECT_EQ(harness_->Where("web"), "pending");
  EXPECT_EQ(harness_->Decisions(),
            Lines({"web failed: running Reserve plugin \"Broken\": disk on fire"}));
}

TEST_F(BindingTest, FailedBindIsUnreserved) {
  AddReserve("First");
  AddReserve("Second");
  Start();
  harness_->Schedule();
  log_->clear();
  harness_->Fail(harness_->TheCommand(), "no");
  EXPECT_EQ(*log_, Lines({"Second unreserves n1", "First unreserves n1"}));
}

// A late "could not be scheduled" must not reach a bound pod.
TEST_F(BindingTest, PodIsBoundOnceItsStatusIsSettled) {
  for (const bool is_sent : {false, true}) {
    SCOPED_TRACE(is_sent);
    harness_ = std::make_unique<EngineHarness>(std::vector{config_}, registry_);
    Engine& engine = harness_->engine();
    harness_->Put(MakeNode("n1").Cordoned());
    harness_->Put(MakePod("web"));
    harness_->Schedule();
    std::vector<Command> sent;
    if (is_sent) sent = engine.TakeCommands();
    harness_->Put(MakeNode("n1"));
    harness_->Pass(Duration::Seconds(2));
    harness_->Schedule();
    EXPECT_EQ(harness_->Where("web"), "assumed on n1");
    if (is_sent) {
      ASSERT_EQ(ScriptedEngine::Describe(sent.at(0).write), "web condition PodScheduled");
      EXPECT_TRUE(engine.TakeCommands().empty());
      harness_->End(sent[0]);
    }
    Lines lines;
    for (const Command& command : engine.TakeCommands())
      lines.push_back(ScriptedEngine::Describe(command.write));
    const Lines want =
        is_sent ? Lines{"bind web to n1"} : Lines{"bind web to n1", "event web FailedScheduling"};
    EXPECT_EQ(lines, want);
  }
}

TEST_F(BindingTest, PreBindWritesBeforeThePodIsBoundAndPostBindComesAfter) {
  AddBinding("Volumes");
  Start();
  harness_->Schedule();
  Announce();
  const Command prepare = harness_->TheCommand();
  EXPECT_EQ(WrittenNode(prepare), "prepared by Volumes");
  EXPECT_EQ(*log_, Lines({"writes"}));
  harness_->End(prepare);
  const Command bind = harness_->TheCommand();
  EXPECT_EQ(WrittenNode(bind), "n1");
  EXPECT_NE(bind.id, prepare.id);
  EXPECT_EQ(*log_, Lines({"writes", "written"}));
  harness_->End(bind);
  EXPECT_EQ(*log_, Lines({"writes", "written", "post-bind"}));
}

TEST_F(BindingTest, PreBindWithNothingToDoIsSkipped) {
  AddBinding("Volumes", framework::Verdict::Skip());
  Start();
  harness_->Schedule();
  EXPECT_EQ(WrittenNode(harness_->TheCommand()), "n1");
  EXPECT_TRUE(log_->empty());
}

TEST_F(BindingTest, PreFlightThatFailsEndsTheBinding) {
  AddBinding("Volumes", framework::Verdict::Error("disk on fire"));
  Start();
  harness_->Schedule();
  EXPECT_TRUE(harness_->Commands().empty());
  EXPECT_EQ(harness_->Where("web"), "pending");
  EXPECT_TRUE(log_->empty());
}

struct FailureCase {
  const char* name;
  framework::WriteResult result;
  const char* want;
};

TEST_F(BindingTest, ErrorInPreBindNamesThePluginAndTheReason) {
  const FailureCase cases[] = {
      {"Error",
       {framework::WriteResult::Kind::kUnavailable, "etcd is away"},
       "web failed: running PreBind plugin \"Volumes\": etcd is away"},
      {"Rejection",
       {framework::WriteResult::Kind::kRejected, "volume is taken"},
       "web failed: volume is taken"},
  };
  AddBinding("Volumes");
  for (const FailureCase& c : cases) {
    SCOPED_TRACE(c.name);
    Start();
    harness_->Schedule();
    harness_->Decisions();
    Announce();
    harness_->End(harness_->TheCommand(), c.result);
    EXPECT_EQ(harness_->Decisions(), Lines({c.want}));
    EXPECT_EQ(harness_->Where("web"), "pending");
    EXPECT_EQ(harness_->CpuOn("n1"), 0);
    EXPECT_TRUE(harness_->Commands().empty());
  }
}

TEST_F(BindingTest, BindPluginMaySkipThePod) {
  registry_.Add<IdleBinder>();
  config_.points[static_cast<size_t>(framework::ExtensionPoint::kBind)] = {
      {{"IdleBinder"}, {"DefaultBinder"}}, {"*"}};
  Start();
  harness_->Schedule();
  EXPECT_EQ(WrittenNode(harness_->TheCommand()), "n1");
}

TEST_F(BindingTest, PodThatEveryBindPluginSkipsIsRequeued) {
  registry_.Add<IdleBinder>();
  config_.points[static_cast<size_t>(framework::ExtensionPoint::kBind)] = {{{"IdleBinder"}}, {"*"}};
  Start();
  harness_->Schedule();
  EXPECT_TRUE(harness_->Commands().empty());
  EXPECT_EQ(harness_->Where("web"), "pending");
}

// The rows of a node and pods that are gone are given to others while the write is under way.
TEST_F(BindingTest, BindingOutlivesItsPodAndItsNode) {
  AddReserve("Reserve");
  AddBinding("Volumes");
  Start();
  harness_->Schedule();
  Announce();
  const Command prepare = harness_->TheCommand();
  harness_->Remove(MakePod("web"));
  harness_->Remove(MakeNode("n1"));
  harness_->Put(MakeNode("n2"));
  harness_->Put(MakePod("other").On("n3"));
  harness_->End(prepare);
  const Command bind = harness_->TheCommand();
  EXPECT_EQ(WrittenNode(bind), "n1");
  harness_->End(bind, {framework::WriteResult::Kind::kNotFound, "no such pod"});
  EXPECT_EQ(log_->back(), "Reserve unreserves n1");
  EXPECT_EQ(harness_->Where("web"), "unknown");
  EXPECT_EQ(harness_->Where("other"), "bound on n3");
}

TEST_F(BindingTest, EngineMayEndWhileBindingsWait) {
  AddBinding("Volumes");
  Start();
  harness_->Schedule();
  Announce();
  harness_.reset();
  EXPECT_EQ(*log_, Lines({"writes"}));
}

}  // namespace BERTH_TEST_FILE

// PreBind plugins that take their time: side by side, one after the other, and cut short.
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

class PreBindTest : public testing::Test {
 protected:
  void Start() {
    scripted_.Start().Put(MakeNode("n1").Cpu("1"));
    scripted_->Put(MakePod("low").Request("cpu", "1"));
    scripted_->Schedule();
    scripted_.EndAnnouncement();
    scripted_->Decisions();
  }
  void PassSeconds(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      scripted_->Pass(Duration::Seconds(1));
      scripted_->Schedule();
    }
  }

  ScriptedEngine scripted_;
};

TEST_F(PreBindTest, ParallelPluginsRunTogether) {
  scripted_.AddPreBind("A", {.seconds = 3});
  scripted_.AddPreBind("B", {.seconds = 2});
  Start();
  EXPECT_EQ(*scripted_.log, Lines({"A begins", "B begins"}));
  PassSeconds(3);
  EXPECT_EQ(*scripted_.log, Lines({"A begins", "B begins", "B ends", "A ends"}));
  EXPECT_EQ(scripted_.Commands(), Lines({"bind low to n1"}));
}

TEST_F(PreBindTest, OtherPluginsRunAloneAndInOrder) {
  scripted_.AddPreBind("A", {.seconds = 1});
  scripted_.AddPreBind("B", {.seconds = 1, .in_parallel = false});
  scripted_.AddPreBind("C", {.seconds = 2});
  scripted_.AddPreBind("D", {.seconds = 1});
  Start();
  PassSeconds(4);
  EXPECT_EQ(*scripted_.log, Lines({"A begins", "A ends", "B begins", "B ends", "C begins",
                                   "D begins", "D ends", "C ends"}));
}

TEST_F(PreBindTest, PluginsWithNothingToDoAreSkipped) {
  scripted_.AddPreBind("A", {.seconds = 1});
  scripted_.AddPreBind("Idle", {.in_parallel = false, .plan = framework::Verdict::Skip()});
  scripted_.AddPreBind("B", {.seconds = 1});
  Start();
  EXPECT_EQ(*scripted_.log, Lines({"A begins", "B begins"}));
}

// The first failure is the result, and the others need not continue.
TEST_F(PreBindTest, FailureOfOnePluginStopsTheOthers) {
  scripted_.AddPreBind("Slow", {.seconds = 600});
  scripted_.AddPreBind("Broken",
                       {.seconds = 2, .answer = framework::Verdict::Error("disk on fire")});
  scripted_.AddPreBind("Later", {.seconds = 1, .in_parallel = false});
  Start();
  PassSeconds(3);
  EXPECT_EQ(*scripted_.log,
            Lines({"Slow begins", "Broken begins", "Broken ends", "Slow gives up"}));
  EXPECT_EQ(scripted_->Decisions(),
            Lines({"low failed: running PreBind plugin \"Broken\": disk on fire"}));
  EXPECT_EQ(scripted_->Where("low"), "pending");
  EXPECT_EQ(scripted_->engine().bindings_under_way(), 0u);
}

TEST_F(PreBindTest, PreemptionCancelsIt) {
  scripted_.AddPreBind("Slow", {.seconds = 600});
  scripted_.AddPreBind("Later", {.seconds = 1, .in_parallel = false});
  Start();
  scripted_->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  scripted_->Schedule(1);
  // It does not sleep on until its next look.
  EXPECT_EQ(*scripted_.log, Lines({"Slow begins", "Slow gives up"}));
  EXPECT_EQ(scripted_->Decisions().back(),
            "low failed: running PreBind plugin \"Slow\": preempted by DefaultPreemption");
  EXPECT_EQ(scripted_->Where("low"), "pending");
  scripted_->Schedule();
  EXPECT_EQ(scripted_->Decisions(), Lines({"high -> n1"}));
  EXPECT_EQ(scripted_->Queue(), "0/1/0/0");
}

TEST_F(PreBindTest, PreemptionIsTheReasonAlsoIfNoPluginNotices) {
  scripted_.AddPreBind("Deaf", {.seconds = 1, .heeds_cancelling = false});
  Start();
  scripted_->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  scripted_->Schedule(1);
  EXPECT_EQ(*scripted_.log, Lines({"Deaf begins", "Deaf ends"}));
  EXPECT_EQ(scripted_->Decisions().back(), "low failed: preempted by DefaultPreemption");
}

// The victim is cancelled already: nothing is to be deleted for the second pod either.
TEST_F(PreBindTest, SecondPreemptionFindsItCancelled) {
  scripted_.AddPreBind("Slow", {.seconds = 600});
  Start();
  scripted_->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  scripted_->Schedule();
  scripted_->Put(MakePod("higher").Priority(20).Request("cpu", "1"));
  scripted_->Schedule();
  for (const std::string& line : scripted_.Commands()) EXPECT_NE(line, "delete low");
}

}  // namespace BERTH_TEST_FILE

// Binding cycles that wait for time to pass.
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

// Sleeps twice before a pod is bound (its node is known already, and so not announced): as many
// seconds as the pod's priority, then one.
class Sleeper final : public framework::PreBindPlugin {
 public:
  Sleeper(std::string name, std::shared_ptr<Lines> log)
      : name_(std::move(name)), log_(std::move(log)) {}
  std::string_view name() const override { return name_; }
  framework::PreBindPlan PreBindPreFlight(const framework::Cycle&, model::NodeRow) const override {
    return {};
  }
  Task<framework::Verdict> PreBind(framework::BindingContext& binding) const override {
    const api::Pod& pod = *binding.cycle().pod().object;
    const Instant start = binding.now();
    co_await binding.Sleep(Duration::Seconds(pod.priority()));
    co_await binding.Sleep(Duration::Seconds(1));
    log_->push_back(pod.metadata.name + " slept " +
                    std::to_string((binding.now() - start).nanos / 1'000'000'000));
    co_return framework::Verdict();
  }

 private:
  const std::string name_;
  const std::shared_ptr<Lines> log_;
};

class SleepTest : public testing::Test {
 protected:
  SleepTest() {
    framework::Registry registry = plugins::InTreeRegistry();
    Offer<Sleeper>(registry, "Sleeper", log_);
    EngineOptions options;
    options.profiles = {ProfileOf({{"PrioritySort"}, {"DefaultBinder"}, {"Sleeper"}})};
    options.profiles[0].scheduler_name = "default-scheduler";
    engine_ = Require(Engine::Make(options, registry));
    engine_->Handle(ObjectPut{MakeNode("n").ref()}, At(0));
  }
  static Instant At(int64_t seconds) { return Instant::FromUnixSeconds(1000 + seconds); }

  const std::shared_ptr<Lines> log_ = std::make_shared<Lines>();
  std::unique_ptr<Engine> engine_;
};

TEST_F(SleepTest, DoesNotWakeEarly) {
  engine_->Handle(ObjectPut{MakePod("p").Nominated("n").Priority(5).ref()}, At(0));
  EXPECT_EQ(engine_->next_wake(), std::nullopt);
  engine_->Schedule(At(0));
  EXPECT_EQ(engine_->next_wake(), At(5));
  engine_->Schedule(At(4));
  EXPECT_EQ(engine_->next_wake(), At(5));
  engine_->Schedule(At(5));
  EXPECT_EQ(engine_->next_wake(), At(6));
  EXPECT_TRUE(engine_->TakeCommands().empty());
  engine_->Schedule(At(6));
  EXPECT_EQ(*log_, (Lines{"p slept 6"}));
  EXPECT_EQ(engine_->TakeCommands().size(), 1u);
  EXPECT_EQ(engine_->next_wake(), std::nullopt);
}

TEST_F(SleepTest, AnyEventLetsTimePass) {
  engine_->Handle(ObjectPut{MakePod("p").Nominated("n").Priority(1).ref()}, At(0));
  engine_->Schedule(At(0));
  engine_->Handle(ObjectPut{MakeNode("m").ref()}, At(1));
  engine_->Handle(ObjectPut{MakeNode("m").ref()}, At(2));
  EXPECT_EQ(*log_, (Lines{"p slept 2"}));
}

TEST_F(SleepTest, SleepersWakeInOrder) {
  for (const auto& [name, seconds] :
       std::vector<std::pair<const char*, int>>{{"a", 3}, {"b", 2}, {"c", 3}}) {
    engine_->Handle(ObjectPut{MakePod(name).Nominated("n").Priority(seconds).ref()}, At(0));
  }
  engine_->Schedule(At(0));
  for (int second = 1; second <= 4; ++second) engine_->Schedule(At(second));
  EXPECT_EQ(*log_, (Lines{"b slept 3", "a slept 4", "c slept 4"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
