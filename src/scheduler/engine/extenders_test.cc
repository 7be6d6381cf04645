#include "scheduler/engine/extenders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/model/cluster.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"
#include "testing/scripted_engine.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::IsEmpty;
using Lines = std::vector<std::string>;

framework::ExtenderConfig Extender(const std::string& name) {
  framework::ExtenderConfig extender;
  extender.url_prefix = "http://" + name;
  extender.node_cache_capable = true;
  return extender;
}

framework::ExtenderConfig FilterExtender(const std::string& name = "gpu") {
  framework::ExtenderConfig extender = Extender(name);
  extender.filter_verb = "filter";
  return extender;
}

EngineOptions With(std::vector<framework::ExtenderConfig> extenders) {
  EngineOptions options;
  options.profiles = {DefaultProfile()};
  options.extenders = std::move(extenders);
  return options;
}

class ExtendersTest : public testing::Test {
 protected:
  void Start(std::vector<framework::ExtenderConfig> extenders) {
    harness_ = std::make_unique<EngineHarness>(With(std::move(extenders)));
    for (const char* name : {"a", "b"}) harness_->Put(MakeNode(name).Cpu("4"));
  }

  // Returns the only pending command, which must be a call for `step`.
  Command PendingCall(framework::ExtenderStep step) {
    const Command command = harness_->TheCommand();
    EXPECT_EQ(std::get<framework::CallExtender>(command.write).step, step);
    return command;
  }
  void Respond(const Command& call, const std::string& body) {
    harness_->End(call, {.kind = framework::WriteResult::Kind::kOk, .message = {}, .body = body});
  }
  void Try(MakePod pod) {
    harness_->Put(pod);
    harness_->Schedule();
  }

  std::unique_ptr<EngineHarness> harness_;
};

TEST_F(ExtendersTest, FilterRemovesNodes) {
  Start({FilterExtender()});
  Try(MakePod("web"));
  const Command call = PendingCall(framework::ExtenderStep::kFilter);
  EXPECT_THAT(std::get<framework::CallExtender>(call.write).body,
              HasSubstr(R"("NodeNames":["a","b"])"));
  EXPECT_TRUE(harness_->Decisions().empty());
  Respond(call, R"({"NodeNames":["b"],"FailedNodes":{"a":"no GPU"}})");
  EXPECT_EQ(harness_->Decisions(), Lines({"web -> b"}));
}

TEST_F(ExtendersTest, AnUnschedulablePodGetsTheReasonsOfExtenders) {
  Start({FilterExtender()});
  Try(MakePod("web"));
  Respond(PendingCall(framework::ExtenderStep::kFilter),
          R"({"NodeNames":[],"FailedNodes":{"a":"no GPU"},)"
          R"("FailedAndUnresolvableNodes":{"b":"wrong GPU"}})");
  const Lines decisions = harness_->Decisions();
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_THAT(decisions[0], HasSubstr("0/2 nodes are available: 1 no GPU, 1 wrong GPU."));
  EXPECT_EQ(harness_->Queue(), "0/0/1/0");
  // An extender has no queueing hints: any event may make the pod schedulable.
  harness_->Put(MakeNode("a").Cpu("4").Label("gpu", "yes"));
  EXPECT_EQ(harness_->Queue(), "0/1/0/0");
}

TEST_F(ExtendersTest, EventsWaitUntilThePendingCallEnds) {
  Start({FilterExtender()});
  Try(MakePod("web"));
  const Command call = PendingCall(framework::ExtenderStep::kFilter);
  harness_->Remove(MakeNode("b"));
  harness_->Put(MakePod("late"));
  EXPECT_EQ(harness_->cluster().nodes().present_count(), 2u);
  EXPECT_EQ(harness_->Where("late"), "unknown");
  EXPECT_EQ(harness_->Schedule(), 0u);
  Respond(call, R"({"NodeNames":["b"]})");
  EXPECT_EQ(harness_->Decisions(), Lines({"web -> b"}));
  EXPECT_EQ(harness_->cluster().nodes().present_count(), 1u);
  EXPECT_EQ(harness_->Where("late"), "pending");
}

struct ErrorCase {
  const char* name;
  bool ignorable;
  framework::WriteResult result;
  const char* want;
};

TEST_F(ExtendersTest, ErrorsEndTheCycleUnlessTheyAreIgnorable) {
  const ErrorCase cases[] = {
      {"Unreachable",
       false,
       {framework::WriteResult::Kind::kUnavailable, "connection refused"},
       "web failed: connection refused"},
      {"UnreachableButIgnorable",
       true,
       {framework::WriteResult::Kind::kUnavailable, "connection refused"},
       "web -> a"},
      {"SaysError",
       false,
       {.kind = framework::WriteResult::Kind::kOk,
        .message = {},
        .body = R"({"Error":"out of order"})"},
       "web failed: out of order"},
      {"Nonsense",
       true,
       {.kind = framework::WriteResult::Kind::kOk, .message = {}, .body = "["},
       "web -> a"},
  };
  for (const ErrorCase& c : cases) {
    SCOPED_TRACE(c.name);
    framework::ExtenderConfig extender = FilterExtender();
    extender.ignorable = c.ignorable;
    Start({extender});
    Try(MakePod("web"));
    harness_->End(PendingCall(framework::ExtenderStep::kFilter), c.result);
    EXPECT_EQ(harness_->Decisions(), Lines({c.want}));
  }
}

TEST_F(ExtendersTest, ErrorAboutTheNominatedNodeIsIgnoredOrTheOtherNodesAreTried) {
  const framework::WriteResult unreachable{framework::WriteResult::Kind::kUnavailable,
                                           "connection refused"};
  for (const bool ignorable : {false, true}) {
    SCOPED_TRACE(ignorable);
    framework::ExtenderConfig extender = FilterExtender();
    extender.ignorable = ignorable;
    Start({extender});
    Try(MakePod("web").Nominated("b"));
    const Command first = PendingCall(framework::ExtenderStep::kFilter);
    EXPECT_THAT(std::get<framework::CallExtender>(first.write).body,
                HasSubstr(R"("NodeNames":["b"])"));
    harness_->End(first, unreachable);
    if (!ignorable) {
      const Command second = PendingCall(framework::ExtenderStep::kFilter);
      Respond(second, R"({"NodeNames":["a"]})");
    }
    EXPECT_EQ(harness_->Decisions(), Lines({ignorable ? "web -> b" : "web -> a"}));
  }
}

TEST_F(ExtendersTest, EachFilterGetsTheNodesThatTheOneBeforeLeft) {
  framework::ExtenderConfig lenient = FilterExtender("lenient");
  lenient.ignorable = true;
  Start({lenient, FilterExtender("strict")});
  harness_->Put(MakeNode("c"));
  Try(MakePod("web"));
  const Command first = PendingCall(framework::ExtenderStep::kFilter);
  Respond(first, R"({"NodeNames":["a","c"]})");
  const Command second = PendingCall(framework::ExtenderStep::kFilter);
  EXPECT_THAT(std::get<framework::CallExtender>(second.write).body,
              HasSubstr(R"("NodeNames":["a","c"])"));
  Respond(second, R"({"NodeNames":["c"]})");
  EXPECT_EQ(harness_->Decisions(), Lines({"web -> c"}));
}

TEST_F(ExtendersTest, AreCalledOnlyForPodsWithTheirManagedResources) {
  framework::ExtenderConfig extender = FilterExtender();
  extender.managed_resources = {{"example.com/gpu"}};
  Start({extender});
  Try(MakePod("web"));
  EXPECT_EQ(harness_->Decisions(), Lines({"web -> a"}));
}

TEST_F(ExtendersTest, ScoresAddUp) {
  framework::ExtenderConfig likes_b = Extender("taste");
  likes_b.prioritize_verb = "sort";
  likes_b.weight = 5;
  Start({likes_b});
  Try(MakePod("web"));
  Respond(PendingCall(framework::ExtenderStep::kPrioritize),
          R"([{"Host":"a","Score":1},{"Host":"b","Score":10}])");
  EXPECT_EQ(harness_->Decisions(), Lines({"web -> b"}));
}

TEST_F(ExtendersTest, AFailedPrioritizeIsIgnored) {
  framework::ExtenderConfig taste = Extender("taste");
  taste.prioritize_verb = "sort";
  taste.weight = 5;
  Start({taste});
  Try(MakePod("web"));
  harness_->End(PendingCall(framework::ExtenderStep::kPrioritize),
                {framework::WriteResult::Kind::kTimeout, "too late"});
  EXPECT_EQ(harness_->Decisions(), Lines({"web -> a"}));
}

TEST_F(ExtendersTest, CanBindInsteadOfThePlugin) {
  framework::ExtenderConfig binder = Extender("binder");
  binder.bind_verb = "bind";
  Start({binder});
  Try(MakePod("web"));
  EXPECT_EQ(harness_->Decisions(), Lines({"web -> a"}));
  const Command call = PendingCall(framework::ExtenderStep::kBind);
  EXPECT_THAT(std::get<framework::CallExtender>(call.write).body, HasSubstr(R"("Node":"a")"));
  Respond(call, "{}");
  EXPECT_TRUE(harness_->Commands().empty());
  EXPECT_EQ(harness_->Where("web"), "assumed on a");

  Try(MakePod("other"));
  Respond(PendingCall(framework::ExtenderStep::kBind), R"({"Error":"no"})");
  EXPECT_EQ(harness_->Where("other"), "pending");
}

TEST_F(ExtendersTest, ChooseAmongTheCandidatesOfPreemption) {
  framework::ExtenderConfig picky = Extender("picky");
  picky.preempt_verb = "preempt";
  Start({picky});
  for (const char* node : {"a", "b"}) {
    harness_->Put(MakePod(std::string("low-") + node).Request("cpu", "4").On(node));
  }
  Try(MakePod("high").Priority(9).Request("cpu", "4"));
  const Command call = PendingCall(framework::ExtenderStep::kPreempt);
  EXPECT_THAT(std::get<framework::CallExtender>(call.write).body,
              HasSubstr("NodeNameToMetaVictims"));
  const std::string uid = harness_->cluster().pod(harness_->Find("low-b")).uid();
  Respond(call, R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":")" + uid + R"("}]}}})");
  ASSERT_EQ(harness_->all_decisions().size(), 1u);
  EXPECT_EQ(harness_->all_decisions()[0].nominated_node, "b");
}

TEST_F(ExtendersTest, APreemptVerbThatLeavesNoCandidateKeepsTheNomination) {
  framework::ExtenderConfig picky = Extender("picky");
  picky.preempt_verb = "preempt";
  Start({picky});
  for (const char* node : {"a", "b"}) {
    harness_->Put(MakePod(std::string("low-") + node).Request("cpu", "4").On(node));
  }
  Try(MakePod("high").Priority(9).Request("cpu", "4").Nominated("b"));
  Respond(PendingCall(framework::ExtenderStep::kPreempt), R"({"NodeNameToMetaVictims":{}})");
  EXPECT_EQ(harness_->Decisions(),
            Lines({"high: 0/2 nodes are available: 2 Insufficient cpu. no new claims to "
                   "deallocate, preemption: no candidate node for preemption"}));
  const Symbol b = harness_->cluster().symbols().Find("b");
  EXPECT_EQ(harness_->cluster().nominations().NodeOf(harness_->Find("high")), b);
}

// Stores a token in the state of each cycle: the token is shared as long as the cycle exists.
class CycleWitness final : public framework::PreFilterPlugin {
 public:
  CycleWitness(std::string name, std::shared_ptr<int> token)
      : name_(std::move(name)), token_(std::move(token)) {}
  std::string_view name() const override { return name_; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override {
    cycle.SetState(*this, std::make_unique<State>(token_));
    return {};
  }

 private:
  struct State final : framework::CycleState {
    explicit State(std::shared_ptr<int> shared) : token(std::move(shared)) {}
    std::unique_ptr<framework::CycleState> Clone() const override {
      return std::make_unique<State>(token);
    }
    const std::shared_ptr<int> token;
  };

  const std::string name_;
  const std::shared_ptr<int> token_;
};

TEST_F(ExtendersTest, DestroyingTheEngineEndsACycleThatWaits) {
  const auto token = std::make_shared<int>();
  const auto log = std::make_shared<std::vector<std::string>>();
  framework::Registry registry = plugins::InTreeRegistry();
  Offer<CycleWitness>(registry, "Witness", token);
  Offer<FakeReserve>(registry, "Reserve", log, framework::Verdict());
  EngineOptions options = With({FilterExtender()});
  options.profiles[0].multi_point.enabled.push_back({"Witness"});
  options.profiles[0].multi_point.enabled.push_back({"Reserve"});
  harness_ = std::make_unique<EngineHarness>(options, registry);
  harness_->Put(MakeNode("a"));
  const auto idle = token.use_count();
  Try(MakePod("web"));
  PendingCall(framework::ExtenderStep::kFilter);
  EXPECT_GT(token.use_count(), idle);
  EXPECT_EQ(harness_->Where("web"), "pending");
  EXPECT_THAT(harness_->Decisions(), IsEmpty());
  harness_.reset();
  // The cycle and its states are gone, and Reserve was never called. What is left is owned by the
  // registry and this test.
  EXPECT_EQ(token.use_count(), idle - 1);
  EXPECT_THAT(*log, IsEmpty());
}

class FindVictimsTest : public testing::Test {
 protected:
  FindVictimsTest() {
    for (const char* name : {"a", "b"}) cluster_.Put(MakeNode(name).ref());
    cluster_.Put(MakePod("v").Uid("u1").On("a").ref());
    cluster_.Put(MakePod("w").Uid("u2").On("a").ref());
    cluster_.Put(MakePod("lost").Uid("u3").On("gone").ref());
  }

  std::string ErrorOf(const MetaVictimsByNode& victims, bool ignorable = false) {
    framework::ExtenderConfig extender = Extender("x");
    extender.ignorable = ignorable;
    const auto found = FindVictims(extender, victims, cluster_);
    return found ? "" : found.error().message;
  }

  model::Cluster cluster_;
};

TEST_F(FindVictimsTest, FindsNodesAndPods) {
  const auto found = FindVictims(Extender("x"), {{"a", {{"u2", "u1"}, 4}}}, cluster_);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->size(), 1u);
  const auto& [row, victims] = found->front();
  EXPECT_EQ(cluster_.nodes().name(row), "a");
  ASSERT_EQ(victims.pods.size(), 2u);
  EXPECT_EQ(cluster_.pod(victims.pods[0]).uid(), "u2");
  EXPECT_EQ(cluster_.pod(victims.pods[1]).uid(), "u1");
  EXPECT_EQ(victims.budget_violations, 4);
}

TEST_F(FindVictimsTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(ErrorOf({{"nowhere", {{"u1"}}}}), R"(nodeinfo not found for node name "nowhere")");
  EXPECT_EQ(ErrorOf({{"gone", {{"u3"}}}}), R"(nodeinfo not found for node name "gone")");
  EXPECT_EQ(ErrorOf({{"b", {{"u1"}}}}),
            "extender: http://x claims to preempt pod (UID: &{u1}) on node: b, but the pod is not "
            "found on that node");
}

TEST_F(FindVictimsTest, NodesWithoutVictimsAreAnErrorOrDropped) {
  const MetaVictimsByNode victims = {{"a", {{"u1"}}}, {"b", {}}};
  EXPECT_EQ(ErrorOf(victims), R"(expected at least one victim pod on node "b")");
  framework::ExtenderConfig ignorable = Extender("x");
  ignorable.ignorable = true;
  const auto found = FindVictims(ignorable, victims, cluster_);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(cluster_.nodes().name(found->front().node), "a");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
