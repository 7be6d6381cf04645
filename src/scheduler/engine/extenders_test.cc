#include "scheduler/engine/extenders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/model/cluster.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
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
    world_ = std::make_unique<EngineHarness>(With(std::move(extenders)));
    for (const char* name : {"a", "b"}) world_->Put(MakeNode(name).Cpu("4"));
  }

  // The call that was asked for; it must be for `step`.
  Command Asked(framework::ExtenderStep step) {
    const Command command = world_->TheCommand();
    EXPECT_EQ(std::get<framework::CallExtender>(command.write).step, step);
    return command;
  }
  void Answer(const Command& call, const std::string& body) {
    world_->End(call, {.kind = framework::WriteResult::Kind::kOk, .message = {}, .body = body});
  }
  void Try(MakePod pod) {
    world_->Put(pod);
    world_->Schedule();
  }

  std::unique_ptr<EngineHarness> world_;
};

TEST_F(ExtendersTest, FilterTakesNodesOut) {
  Start({FilterExtender()});
  Try(MakePod("web"));
  const Command call = Asked(framework::ExtenderStep::kFilter);
  EXPECT_THAT(std::get<framework::CallExtender>(call.write).body,
              HasSubstr(R"("NodeNames":["a","b"])"));
  EXPECT_TRUE(world_->Decisions().empty());
  Answer(call, R"({"NodeNames":["b"],"FailedNodes":{"a":"no GPU"}})");
  EXPECT_EQ(world_->Decisions(), Lines({"web -> b"}));
}

TEST_F(ExtendersTest, PodThatNoNodePassesIsToldWhatExtendersSaid) {
  Start({FilterExtender()});
  Try(MakePod("web"));
  Answer(Asked(framework::ExtenderStep::kFilter),
         R"({"NodeNames":[],"FailedNodes":{"a":"no GPU"},)"
         R"("FailedAndUnresolvableNodes":{"b":"wrong GPU"}})");
  const Lines decisions = world_->Decisions();
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_THAT(decisions[0], HasSubstr("0/2 nodes are available: 1 no GPU, 1 wrong GPU."));
  EXPECT_EQ(world_->Queue(), "0/0/1/0");
  // Nobody knows what extenders look at: anything may help.
  world_->Put(MakeNode("a").Cpu("4").Label("gpu", "yes"));
  EXPECT_EQ(world_->Queue(), "0/1/0/0");
}

TEST_F(ExtendersTest, EverythingElseIsHeldBackUntilTheAnswerComes) {
  Start({FilterExtender()});
  Try(MakePod("web"));
  const Command call = Asked(framework::ExtenderStep::kFilter);
  world_->Remove(MakeNode("b"));
  world_->Put(MakePod("late"));
  EXPECT_EQ(world_->cluster().nodes().present_count(), 2u);
  EXPECT_EQ(world_->Where("late"), "unknown");
  EXPECT_EQ(world_->Schedule(), 0u);
  Answer(call, R"({"NodeNames":["b"]})");
  EXPECT_EQ(world_->Decisions(), Lines({"web -> b"}));
  EXPECT_EQ(world_->cluster().nodes().present_count(), 1u);
  EXPECT_EQ(world_->Where("late"), "pending");
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
    world_->End(Asked(framework::ExtenderStep::kFilter), c.result);
    EXPECT_EQ(world_->Decisions(), Lines({c.want}));
  }
}

TEST_F(ExtendersTest, AreAskedOneAfterTheOtherAboutWhatIsLeft) {
  framework::ExtenderConfig lenient = FilterExtender("lenient");
  lenient.ignorable = true;
  Start({lenient, FilterExtender("strict")});
  world_->Put(MakeNode("c"));
  Try(MakePod("web"));
  const Command first = Asked(framework::ExtenderStep::kFilter);
  Answer(first, R"({"NodeNames":["a","c"]})");
  const Command second = Asked(framework::ExtenderStep::kFilter);
  EXPECT_THAT(std::get<framework::CallExtender>(second.write).body,
              HasSubstr(R"("NodeNames":["a","c"])"));
  Answer(second, R"({"NodeNames":["c"]})");
  EXPECT_EQ(world_->Decisions(), Lines({"web -> c"}));
}

TEST_F(ExtendersTest, OnlyPodsThatUseWhatTheyManageConcernThem) {
  framework::ExtenderConfig extender = FilterExtender();
  extender.managed_resources = {{"example.com/gpu"}};
  Start({extender});
  Try(MakePod("web"));
  EXPECT_EQ(world_->Decisions(), Lines({"web -> a"}));
}

TEST_F(ExtendersTest, ScoresAddUp) {
  framework::ExtenderConfig likes_b = Extender("taste");
  likes_b.prioritize_verb = "sort";
  likes_b.weight = 5;
  Start({likes_b});
  Try(MakePod("web"));
  Answer(Asked(framework::ExtenderStep::kPrioritize),
         R"([{"Host":"a","Score":1},{"Host":"b","Score":10}])");
  EXPECT_EQ(world_->Decisions(), Lines({"web -> b"}));
}

TEST_F(ExtendersTest, ScoresThatCannotBeHadAreDoneWithout) {
  framework::ExtenderConfig taste = Extender("taste");
  taste.prioritize_verb = "sort";
  taste.weight = 5;
  Start({taste});
  Try(MakePod("web"));
  world_->End(Asked(framework::ExtenderStep::kPrioritize),
              {framework::WriteResult::Kind::kTimeout, "too late"});
  EXPECT_EQ(world_->Decisions(), Lines({"web -> a"}));
}

TEST_F(ExtendersTest, MayBindInsteadOfThePlugin) {
  framework::ExtenderConfig binder = Extender("binder");
  binder.bind_verb = "bind";
  Start({binder});
  Try(MakePod("web"));
  EXPECT_EQ(world_->Decisions(), Lines({"web -> a"}));
  const Command call = Asked(framework::ExtenderStep::kBind);
  EXPECT_THAT(std::get<framework::CallExtender>(call.write).body, HasSubstr(R"("Node":"a")"));
  Answer(call, "{}");
  EXPECT_TRUE(world_->Commands().empty());
  EXPECT_EQ(world_->Where("web"), "assumed on a");

  Try(MakePod("other"));
  Answer(Asked(framework::ExtenderStep::kBind), R"({"Error":"no"})");
  EXPECT_EQ(world_->Where("other"), "pending");
}

TEST_F(ExtendersTest, HaveASayInPreemption) {
  framework::ExtenderConfig picky = Extender("picky");
  picky.preempt_verb = "preempt";
  Start({picky});
  for (const char* node : {"a", "b"}) {
    world_->Put(MakePod(std::string("low-") + node).Request("cpu", "4").On(node));
  }
  Try(MakePod("high").Priority(9).Request("cpu", "4"));
  const Command call = Asked(framework::ExtenderStep::kPreempt);
  EXPECT_THAT(std::get<framework::CallExtender>(call.write).body,
              HasSubstr("NodeNameToMetaVictims"));
  const std::string uid = world_->cluster().pod(world_->Find("low-b")).uid();
  Answer(call, R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":")" + uid + R"("}]}}})");
  ASSERT_EQ(world_->all_decisions().size(), 1u);
  EXPECT_EQ(world_->all_decisions()[0].nominated_node, "b");
}

TEST_F(ExtendersTest, EngineMayEndWhileACycleWaits) {
  Start({FilterExtender()});
  Try(MakePod("web"));
  world_.reset();
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
