// Reserve, PreBind, Bind and PostBind, as plugins outside the tree live through them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/engine_world.h"
#include "support/objects.h"

namespace berth {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;
using Log = std::shared_ptr<Lines>;

// Writes down what it hears; refuses to reserve with `refusal`, if that is a refusal.
class LoggingReserve final : public ReservePlugin {
 public:
  LoggingReserve(std::string name, Log log, Verdict refusal)
      : name_(std::move(name)), log_(std::move(log)), refusal_(std::move(refusal)) {}
  std::string_view name() const override { return name_; }
  Verdict Reserve(Cycle& cycle, NodeRow node) const override {
    log_->push_back(fmt::format("{} reserves {}", name_, cycle.nodes().name(node)));
    return refusal_;
  }
  void Unreserve(Cycle& cycle, NodeRow node) const override {
    log_->push_back(fmt::format("{} unreserves {}", name_, cycle.nodes().name(node)));
  }

 private:
  const std::string name_;
  const Log log_;
  const Verdict refusal_;
};

// Writes something before the pod is bound, and is told when it is.
class LoggingBinding final : public PreBindPlugin, public PostBindPlugin {
 public:
  LoggingBinding(std::string name, Log log, Verdict plan)
      : name_(std::move(name)), log_(std::move(log)), plan_(std::move(plan)) {}
  std::string_view name() const override { return name_; }
  PreBindPlan PreBindPreFlight(const Cycle&, NodeRow) const override { return {plan_}; }
  Task<Verdict> PreBind(BindingContext& binding) const override {
    const PodRecord& pod = binding.cycle().pod();
    log_->push_back("writes");
    BindPod preparation{pod.key(), pod.uid(), "prepared by " + name_};
    const WriteResult result = co_await binding.Write(std::move(preparation));
    log_->push_back(result.ok() ? "written" : "not written");
    if (result.kind == WriteResult::Kind::kRejected) {
      co_return Verdict(Code::kUnschedulable, result.message);
    }
    co_return result.ok() ? Verdict() : Verdict::Error(result.message);
  }
  void PostBind(const BindingContext&) const override { log_->push_back("told"); }

 private:
  const std::string name_;
  const Log log_;
  const Verdict plan_;
};

// Leaves every pod to the next binder.
class IdleBinder final : public BindPlugin {
 public:
  static constexpr std::string_view kName = "IdleBinder";
  std::string_view name() const override { return kName; }
  Task<Verdict> Bind(BindingContext&) const override { co_return Verdict::Skip(); }
};

class BindingTest : public testing::Test {
 protected:
  // The default profile, with plugins added to the registry before.
  void Start() {
    world_ = std::make_unique<EngineWorld>(std::vector{config_}, registry_);
    world_->Put(MakeNode("n1"));
    world_->Put(MakePod("web").Request("cpu", "1"));
  }
  void Enable(const std::string& name) { config_.multi_point.enabled.push_back({name}); }

  void AddReserve(const std::string& name, Verdict refusal = {}) {
    Offer<LoggingReserve>(registry_, name, log_, refusal);
    Enable(name);
  }
  void AddBinding(const std::string& name, Verdict plan = {}) {
    Offer<LoggingBinding>(registry_, name, log_, plan);
    Enable(name);
  }
  // Ends the patch that tells where the pod will go: a binding that takes a while begins with it.
  void Announce() {
    const Command command = world_->TheCommand();
    EXPECT_EQ(std::get<PatchPodStatus>(command.write).nominated_node_name, "n1");
    world_->End(command);
  }
  const std::string& WrittenNode(const Command& command) {
    return std::get<BindPod>(command.write).node;
  }

  Log log_ = std::make_shared<Lines>();
  Registry registry_ = InTreeRegistry();
  ProfileConfig config_ = DefaultProfile();
  std::unique_ptr<EngineWorld> world_;
};

TEST_F(BindingTest, ReservePluginsHearOfThePodInOrder) {
  AddReserve("First");
  AddReserve("Second");
  Start();
  world_->Schedule();
  EXPECT_EQ(*log_, Lines({"First reserves n1", "Second reserves n1"}));
  EXPECT_EQ(world_->Decisions(), Lines({"web -> n1"}));
}

TEST_F(BindingTest, RefusalToReserveIsTakenBackInReverseAndThePodWaits) {
  AddReserve("First");
  AddReserve("Second", {Code::kUnschedulable, "no claim left"});
  AddReserve("Third");
  Start();
  world_->Schedule();
  EXPECT_EQ(*log_, Lines({"First reserves n1", "Second reserves n1", "Third unreserves n1",
                          "Second unreserves n1", "First unreserves n1"}));
  EXPECT_TRUE(world_->Commands().empty());
  EXPECT_EQ(world_->Where("web"), "pending");
  EXPECT_EQ(world_->CpuOn("n1"), 0);
  EXPECT_EQ(world_->Queue(), "0/0/1/0");
  EXPECT_EQ(world_->Decisions(), Lines({"web: 0/1 nodes are available: 1 no claim left."}));
}

TEST_F(BindingTest, ErrorInReserveNamesThePlugin) {
  AddReserve("Broken", Verdict::Error("disk on fire"));
  Start();
  world_->Schedule();
  EXPECT_EQ(world_->Where("web"), "pending");
  EXPECT_EQ(world_->Decisions(),
            Lines({"web failed: running Reserve plugin \"Broken\": disk on fire"}));
}

TEST_F(BindingTest, FailedBindIsUnreserved) {
  AddReserve("First");
  AddReserve("Second");
  Start();
  world_->Schedule();
  log_->clear();
  world_->Fail(world_->TheCommand(), "no");
  EXPECT_EQ(*log_, Lines({"Second unreserves n1", "First unreserves n1"}));
}

TEST_F(BindingTest, PreBindWritesBeforeThePodIsBoundAndPostBindComesAfter) {
  AddBinding("Volumes");
  Start();
  world_->Schedule();
  Announce();
  const Command prepare = world_->TheCommand();
  EXPECT_EQ(WrittenNode(prepare), "prepared by Volumes");
  EXPECT_EQ(*log_, Lines({"writes"}));
  world_->End(prepare);
  const Command bind = world_->TheCommand();
  EXPECT_EQ(WrittenNode(bind), "n1");
  EXPECT_NE(bind.id, prepare.id);
  EXPECT_EQ(*log_, Lines({"writes", "written"}));
  world_->End(bind);
  EXPECT_EQ(*log_, Lines({"writes", "written", "told"}));
}

TEST_F(BindingTest, PreBindThatHasNothingToDoIsPassedOver) {
  AddBinding("Volumes", Verdict::Skip());
  Start();
  world_->Schedule();
  EXPECT_EQ(WrittenNode(world_->TheCommand()), "n1");
  EXPECT_TRUE(log_->empty());
}

TEST_F(BindingTest, PreFlightThatFailsEndsTheBinding) {
  AddBinding("Volumes", Verdict::Error("disk on fire"));
  Start();
  world_->Schedule();
  EXPECT_TRUE(world_->Commands().empty());
  EXPECT_EQ(world_->Where("web"), "pending");
  EXPECT_TRUE(log_->empty());
}

struct FailureCase {
  const char* name;
  WriteResult result;
  const char* want;
};

TEST_F(BindingTest, FailedPreBindSaysWhoAndWhy) {
  const FailureCase cases[] = {
      {"Error",
       {WriteResult::Kind::kUnavailable, "etcd is away"},
       "web failed: running PreBind plugin \"Volumes\": etcd is away"},
      {"Rejection",
       {WriteResult::Kind::kRejected, "volume is taken"},
       "web failed: volume is taken"},
  };
  AddBinding("Volumes");
  for (const FailureCase& c : cases) {
    SCOPED_TRACE(c.name);
    Start();
    world_->Schedule();
    world_->Decisions();
    Announce();
    world_->End(world_->TheCommand(), c.result);
    EXPECT_EQ(world_->Decisions(), Lines({c.want}));
    EXPECT_EQ(world_->Where("web"), "pending");
    EXPECT_EQ(world_->CpuOn("n1"), 0);
    EXPECT_TRUE(world_->Commands().empty());
  }
}

TEST_F(BindingTest, BinderMayLeaveThePodToTheNext) {
  registry_.Add<IdleBinder>();
  config_.points[static_cast<size_t>(ExtensionPoint::kBind)] = {{{"IdleBinder"}, {"DefaultBinder"}},
                                                                {"*"}};
  Start();
  world_->Schedule();
  EXPECT_EQ(WrittenNode(world_->TheCommand()), "n1");
}

TEST_F(BindingTest, PodThatNoBinderWantsWaitsAgain) {
  registry_.Add<IdleBinder>();
  config_.points[static_cast<size_t>(ExtensionPoint::kBind)] = {{{"IdleBinder"}}, {"*"}};
  Start();
  world_->Schedule();
  EXPECT_TRUE(world_->Commands().empty());
  EXPECT_EQ(world_->Where("web"), "pending");
}

// The rows of a node and pods that are gone are given to others while the write is under way.
TEST_F(BindingTest, BindingOutlivesItsPodAndItsNode) {
  AddReserve("Reserve");
  AddBinding("Volumes");
  Start();
  world_->Schedule();
  Announce();
  const Command prepare = world_->TheCommand();
  world_->Remove(MakePod("web"));
  world_->Remove(MakeNode("n1"));
  world_->Put(MakeNode("n2"));
  world_->Put(MakePod("other").On("n3"));
  world_->End(prepare);
  const Command bind = world_->TheCommand();
  EXPECT_EQ(WrittenNode(bind), "n1");
  world_->End(bind, {WriteResult::Kind::kNotFound, "no such pod"});
  EXPECT_EQ(log_->back(), "Reserve unreserves n1");
  EXPECT_EQ(world_->Where("web"), "unknown");
  EXPECT_EQ(world_->Where("other"), "bound on n3");
}

TEST_F(BindingTest, EngineMayEndWhileBindingsWait) {
  AddBinding("Volumes");
  Start();
  world_->Schedule();
  Announce();
  world_.reset();
  EXPECT_EQ(*log_, Lines({"writes"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
