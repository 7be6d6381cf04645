#include "observability/scheduling/attempt_recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "scheduler/model/cluster.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"
#include "testing/scripted_engine.h"

namespace berth::observability::scheduling {
namespace BERTH_TEST_FILE {

using ledger::Outcome;

// Advances by a microsecond per call.
int64_t Tick() {
  static int64_t now = 0;
  return now += 1000;
}

class AttemptRecorderTest : public ::testing::Test {
 protected:
  scheduler::engine::EngineOptions Options(bool paranoid = true) {
    scheduler::engine::EngineOptions options;
    options.profiles = {DefaultProfile()};
    options.paranoid = paranoid;
    options.measurements = &measurements_;
    options.attempts = &recorder_;
    return options;
  }
  EngineHarness& engine() {
    if (engine_ == nullptr) engine_ = std::make_unique<EngineHarness>(Options());
    return *engine_;
  }
  // The attempts of all pods, oldest first.
  std::vector<ledger::Attempt> Attempts() { return recorder_.ledger().Follow({}, 1000).attempts; }
  ledger::Attempt Last() { return recorder_.ledger().Query({}, UINT64_MAX, 1).attempts.at(0); }
  ledger::NodePlace PlaceOf(const std::string& node) {
    const scheduler::model::NodeTable& nodes = engine().cluster().nodes();
    const scheduler::model::NodeRow row = nodes.Find(engine().cluster().symbols().Find(node));
    return {row.value, nodes.info(row).serial};
  }
  // "TaintToleration: node(s) had untolerated taint(s) x1", for each reason.
  std::vector<std::string> RejectedOn(const std::string& node) {
    std::vector<std::string> lines;
    for (const ledger::Rejection& rejection : recorder_.rejections().Of(PlaceOf(node)).rejections) {
      lines.push_back(
          fmt::format("{}: {} x{}", rejection.plugin, rejection.reason, rejection.attempts));
    }
    return lines;
  }
  ledger::Activity Activity() {
    return recorder_.activity().Read(engine().now(), ledger::ActivityLog::kStep);
  }

  scheduler::framework::Measurements measurements_{Tick};
  AttemptRecorder recorder_;
  std::unique_ptr<EngineHarness> engine_;
};

using Lines = std::vector<std::string>;

TEST_F(AttemptRecorderTest, ABoundPod) {
  engine().Put(MakeNode("n1").Cpu("4"));
  engine().Put(MakeNode("n2").Cpu("8"));
  engine().Put(MakePod("web").Request("cpu", "1"));
  engine().Pass(Duration::Seconds(2));
  engine().Schedule();
  ledger::Attempt attempt = Last();
  EXPECT_EQ(attempt.outcome, Outcome::kAssumed);
  EXPECT_EQ(attempt.namespace_, "default");
  EXPECT_EQ(attempt.name, "web");
  EXPECT_EQ(attempt.uid, "uid-of-web");
  EXPECT_EQ(attempt.scheduler_name, "default-scheduler");
  EXPECT_EQ(attempt.number, 1u);
  EXPECT_EQ(attempt.node, "n2");
  EXPECT_EQ(attempt.time, engine().now());
  EXPECT_EQ(attempt.evaluated, 2u);
  EXPECT_EQ(attempt.feasible, 2u);
  ASSERT_EQ(attempt.candidates.size(), 2u);
  EXPECT_EQ(attempt.candidates[0].node, "n2");
  EXPECT_EQ(attempt.candidates[1].node, "n1");
  EXPECT_GT(attempt.candidates[0].score, attempt.candidates[1].score);
  EXPECT_EQ(attempt.woken_by.event, "UnschedulablePodAdd");
  EXPECT_EQ(attempt.woken_by.time, engine().now() - Duration::Seconds(2));
  EXPECT_EQ(attempt.waited, Duration::Seconds(2));
  EXPECT_TRUE(attempt.waited_for.empty());
  EXPECT_GT(attempt.phases.filter, Duration{});
  EXPECT_GT(attempt.phases.score, Duration{});
  EXPECT_EQ(attempt.phases.bind, Duration{});

  engine().End(engine().TheCommand());
  attempt = Last();
  EXPECT_EQ(attempt.outcome, Outcome::kBound);
  EXPECT_GT(attempt.phases.bind, Duration{});
  const ledger::Activity activity = Activity();
  EXPECT_EQ(activity.binds, (std::vector<uint32_t>{1}));
  EXPECT_EQ(activity.api_calls[static_cast<size_t>(ledger::ApiLane::kBind)],
            (std::vector<uint32_t>{1}));
}

// Pods that differ: the results of one say nothing about another.
TEST_F(AttemptRecorderTest, UnderLoadASearchDecidesWithoutTheNextBest) {
  constexpr size_t kNodes = 200, kPods = 100;
  for (size_t i = 0; i < kNodes; ++i) engine().Put(MakeNode(fmt::format("n{}", i)).Cpu("4"));
  for (size_t i = 0; i < kPods; ++i)
    engine().Put(MakePod(fmt::format("p{}", i)).Request("cpu", fmt::format("{}m", i + 1)));
  engine().Schedule();
  const std::vector<ledger::Attempt> attempts = Attempts();
  ASSERT_EQ(attempts.size(), kPods);
  EXPECT_EQ(attempts.front().candidates.size(), 3u);
  EXPECT_EQ(attempts.front().evaluated, kNodes);
  EXPECT_NE(attempts.back().node, "");
  EXPECT_TRUE(attempts.back().candidates.empty());
  EXPECT_EQ(attempts.back().evaluated, 0u);
  engine().Pass(Duration::Seconds(1));
  engine().Put(MakePod("later").Request("cpu", "2"));
  engine().Schedule();
  EXPECT_EQ(Last().candidates.size(), 3u);
}

TEST_F(AttemptRecorderTest, ABindThatFails) {
  engine().Put(MakeNode("n1"));
  engine().Put(MakePod("web"));
  engine().Schedule();
  EXPECT_EQ(Activity().queues.back().in_flight, 1u);
  engine().Fail(engine().TheCommand(), "taken already");
  const ledger::Attempt attempt = Last();
  EXPECT_EQ(attempt.sequence, 1u);
  EXPECT_EQ(attempt.outcome, Outcome::kError);
  EXPECT_NE(attempt.message.find("taken already"), std::string::npos) << attempt.message;
  EXPECT_EQ(Activity().bind_failures, (std::vector<uint32_t>{1}));
}

TEST_F(AttemptRecorderTest, APodThatFitsNowhereAndIsWokenByANode) {
  engine().Put(MakeNode("n1").Cpu("1"));
  engine().Put(MakeNode("n2").Taint("gpu", "yes", "NoSchedule"));
  engine().Put(MakeNode("n3").Cpu("1"));
  engine().Put(MakePod("web").Request("cpu", "2"));
  engine().Schedule();
  engine().Commands();
  const ledger::Attempt failed = Last();
  EXPECT_EQ(failed.outcome, Outcome::kUnschedulable);
  EXPECT_EQ(failed.message, engine().all_decisions().back().message);
  EXPECT_EQ(failed.plugins, Lines({"NodeResourcesFit", "TaintToleration"}));
  EXPECT_EQ(failed.groups, (std::vector<ledger::NodeGroup>{
                               {"NodeResourcesFit", "Insufficient cpu", 2},
                               {"TaintToleration", "node(s) had untolerated taint(s)", 1}}));
  EXPECT_EQ(failed.evaluated, 3u);
  EXPECT_EQ(failed.feasible, 0u);
  EXPECT_EQ(RejectedOn("n1"), Lines({"NodeResourcesFit: Insufficient cpu x1"}));
  EXPECT_EQ(RejectedOn("n2"), Lines({"TaintToleration: node(s) had untolerated taint(s) x1"}));
  ASSERT_EQ(Activity().reasons.size(), 2u);
  EXPECT_EQ(Activity().reasons[0].text, "NodeResourcesFit: Insufficient cpu");
  EXPECT_EQ(Activity().queues.back().unschedulable, 1u);

  engine().Pass(Duration::Seconds(30));
  engine().Put(MakeNode("big").Cpu("64"));
  engine().Schedule();
  const ledger::Attempt placed = Last();
  EXPECT_EQ(placed.number, 2u);
  EXPECT_EQ(placed.node, "big");
  EXPECT_EQ(placed.woken_by.event, "NodeAdd");
  EXPECT_EQ(placed.woken_by.object, "Node/big");
  EXPECT_EQ(placed.waited_for, failed.plugins);
  EXPECT_TRUE(placed.groups.empty());
  EXPECT_TRUE(RejectedOn("big").empty());
}

TEST_F(AttemptRecorderTest, CopiesThatFailWithoutASearch) {
  engine_ = std::make_unique<EngineHarness>(Options(/*paranoid=*/false));
  engine().Put(MakeNode("n1").Cpu("1"));
  for (const char* name : {"a", "b", "c"})
    engine().Put(MakePod(name).Label("app", "web").Request("cpu", "2"));
  engine().Schedule();
  std::vector<ledger::Attempt> attempts = Attempts();
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(attempts[1].name, "b");
  EXPECT_EQ(attempts[2].uid, "uid-of-c");
  EXPECT_FALSE(attempts[0].message.empty());
  // They differ in nothing else but times.
  for (ledger::Attempt& attempt : attempts) {
    attempt.sequence = 0;
    attempt.name = attempt.uid = {};
    attempt.phases = {};
    attempt.waited = {};
    attempt.woken_by.time = {};
    EXPECT_EQ(attempt, attempts[0]);
  }
  EXPECT_EQ(RejectedOn("n1"), Lines({"NodeResourcesFit: Insufficient cpu x3"}));
  ASSERT_EQ(Activity().reasons.size(), 1u);
  EXPECT_EQ(Activity().reasons[0].attempts, (std::vector<uint32_t>{3}));
}

TEST_F(AttemptRecorderTest, CopiesInAnotherNamespaceAndByAnotherEvent) {
  engine_ = std::make_unique<EngineHarness>(Options(/*paranoid=*/false));
  engine().Put(MakeNode("n1").Cpu("1"));
  for (const char* name : {"a", "b"}) engine().Put(MakePod(name).Request("cpu", "2"));
  engine().Put(MakePod("c").Namespace("other").Request("cpu", "2"));
  engine().Schedule();
  engine().Pass(Duration::Seconds(400));  // Longer than pods stay unschedulable.
  engine().Put(MakePod("d").Namespace("other").Request("cpu", "2"));
  engine().Schedule();
  Lines lines;
  for (const ledger::Attempt& attempt : Attempts()) {
    lines.push_back(fmt::format("{}/{} {} {}", attempt.namespace_, attempt.name, attempt.number,
                                attempt.woken_by.event));
  }
  EXPECT_EQ(lines, Lines({"default/a 1 UnschedulablePodAdd", "default/b 1 UnschedulablePodAdd",
                          "other/c 1 UnschedulablePodAdd", "default/a 2 UnschedulableTimeout",
                          "default/b 2 UnschedulableTimeout", "other/c 2 UnschedulableTimeout",
                          "other/d 1 UnschedulablePodAdd"}));
}

TEST_F(AttemptRecorderTest, ANodeDoesNotInheritTheRejectionsOfItsRow) {
  engine().Put(MakeNode("n1").Cpu("1"));
  engine().Put(MakePod("web").Request("cpu", "2"));
  engine().Schedule();
  engine().Commands();
  EXPECT_FALSE(RejectedOn("n1").empty());
  const ledger::NodePlace before = PlaceOf("n1");
  engine().Remove(MakeNode("n1").ref());
  engine().Put(MakeNode("n2").Cpu("1"));
  EXPECT_EQ(PlaceOf("n2").row, before.row);
  EXPECT_TRUE(RejectedOn("n2").empty());
}

TEST_F(AttemptRecorderTest, Preemption) {
  engine().Put(MakeNode("n1").Cpu("1"));
  engine().Put(MakePod("victim").Request("cpu", "1").On("n1"));
  engine().Put(MakePod("urgent").Request("cpu", "1").Priority(100));
  engine().Schedule();
  const ledger::Attempt attempt = Last();
  EXPECT_EQ(attempt.outcome, Outcome::kNominated);
  EXPECT_EQ(attempt.node, "n1");
  EXPECT_EQ(attempt.victims, (std::vector<ledger::PodName>{{"default", "victim"}}));
  EXPECT_EQ(attempt.victim_count, 1u);
  EXPECT_GT(attempt.phases.post_filter, Duration{});
  EXPECT_EQ(Activity().preemptions, (std::vector<uint32_t>{1}));
  EXPECT_EQ(Activity().victims, (std::vector<uint32_t>{1}));
}

TEST_F(AttemptRecorderTest, NoNodes) {
  engine().Put(MakePod("web"));
  engine().Schedule();
  EXPECT_EQ(Last().outcome, Outcome::kUnschedulable);
  EXPECT_EQ(Last().message, "no nodes available to schedule pods");
  EXPECT_TRUE(Last().groups.empty());
}

TEST_F(AttemptRecorderTest, APodThatWaitsForAPermit) {
  ScriptedEngine scripted;
  scripted.attempts = &recorder_;
  scripted.AddPermit("Gang", [](scheduler::framework::Cycle&, scheduler::framework::WaitingPods&) {
    return Wait(60);
  });
  scripted.Start().Put(MakeNode("n1"));
  scripted->Put(MakePod("web"));
  scripted->Schedule();
  EXPECT_EQ(Last().outcome, Outcome::kWaiting);
  EXPECT_EQ(Last().node, "n1");
  const ledger::QueueLengths lengths =
      recorder_.activity().Read(scripted->now(), ledger::ActivityLog::kStep).queues.back();
  EXPECT_EQ(lengths.waiting, 1u);
  scripted.EndAnnouncement();
  scripted.Speak("uid-of-web", "Gang", false, "not now");
  EXPECT_EQ(Last().outcome, Outcome::kError);
  EXPECT_NE(Last().message.find("not now"), std::string::npos) << Last().message;
}

TEST_F(AttemptRecorderTest, APluginThatRejectsTheChosenNode) {
  ScriptedEngine scripted;
  scripted.attempts = &recorder_;
  scripted.AddReserve("Quota", scheduler::framework::Verdict(
                                   scheduler::framework::Code::kUnschedulable, "no quota"));
  scripted.Start().Put(MakeNode("n1"));
  scripted->Put(MakePod("web"));
  scripted->Schedule();
  EXPECT_EQ(Last().outcome, Outcome::kUnschedulable);
  EXPECT_EQ(Last().plugins, Lines({"Quota"}));
  EXPECT_EQ(Last().groups, (std::vector<ledger::NodeGroup>{{"Quota", "no quota", 1}}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::observability::scheduling
