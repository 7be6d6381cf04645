// What the engine reports to its Measurements, in scenarios.

#include "scheduler/framework/measurements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testing/engine_harness.h"
#include "testing/object_builders.h"
#include "testing/scripted_engine.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;
using ::testing::Contains;
using ::testing::Not;

// Each reading is a millisecond after the last.
int64_t Tick() {
  static int64_t now = 0;
  return now += 1'000'000;
}

// Records its calls.
class Notebook final : public framework::Measurements {
 public:
  Notebook() : framework::Measurements(Tick) {}

  Lines attempts, points, queued, bound, preemption, hints, events;
  std::map<std::string, int> rejections, in_flight, took_part, plugin_runs;
  framework::EngineSizes sizes;
  std::vector<const framework::Profile*> profiles;

  void Serve(std::span<const framework::Profile* const> served) override {
    profiles.assign(served.begin(), served.end());
  }
  void AttemptEnded(size_t profile, framework::AttemptResult result, Duration took) override {
    EXPECT_GT(took.nanos, 0);
    const char* const names[] = {"scheduled", "unschedulable", "error"};
    attempts.push_back(fmt::format("{} {}", profile, names[static_cast<size_t>(result)]));
  }
  void AlgorithmEnded(Duration took) override { EXPECT_GE(took.nanos, 0); }
  void PointEnded(size_t, framework::MeasuredPoint point, framework::Code code,
                  Duration took) override {
    EXPECT_GE(took.nanos, 0);
    points.push_back(fmt::format("{} {}", framework::ToString(point), framework::ToString(code)));
  }
  void PluginEnded(size_t, const framework::Plugin& plugin, framework::MeasuredPoint point,
                   framework::Code, Duration took) override {
    EXPECT_GT(took.nanos, 0);
    ++plugin_runs[fmt::format("{} {}", plugin.name(), framework::ToString(point))];
  }
  void PluginsTookPart(size_t profile, framework::MeasuredPoint point,
                       framework::PluginMask plugins) override {
    for (const auto& plugin : profiles[profile]->plugins()) {
      if ((plugins >> plugin->slot()) & 1)
        ++took_part[fmt::format("{} {}", plugin->name(), framework::ToString(point))];
    }
  }
  void PermitWaited(framework::Code code, Duration) override {
    points.push_back(fmt::format("permit wait {}", framework::ToString(code)));
  }
  void PodBound(uint32_t tries, Duration since_ready, bool after_flush) override {
    bound.push_back(fmt::format("{} tries, {} ms{}", tries, since_ready.nanos / 1'000'000,
                                after_flush ? ", flushed" : ""));
  }
  void PreemptionTried() override { preemption.emplace_back("tried"); }
  void VictimsChosen(size_t victims) override {
    preemption.push_back(fmt::format("{} victims", victims));
  }
  void EvictionEnded(bool all_went, Duration) override {
    preemption.emplace_back(all_went ? "evicted" : "not evicted");
  }
  void PodsQueued(framework::QueueName queue, framework::EventLabel why, size_t count) override {
    const char* const names[] = {"active", "backoff", "unschedulable"};
    queued.insert(queued.end(), count,
                  fmt::format("{} {}", names[static_cast<size_t>(queue)], why.Text()));
  }
  void RejectionsChanged(size_t profile, framework::PluginMask plugins, int delta) override {
    for (const auto& plugin : profiles[profile]->plugins()) {
      if ((plugins >> plugin->slot()) & 1) rejections[std::string(plugin->name())] += delta;
    }
  }
  void InFlightChanged(framework::EventLabel label, int delta) override {
    in_flight[label.Text()] += delta;
  }
  void HintGiven(size_t, const framework::Plugin& plugin, framework::EventLabel event,
                 framework::HintOutcome outcome, Duration) override {
    const char* const names[] = {"Queue", "QueueSkip", "Error"};
    hints.push_back(
        fmt::format("{} {} {}", plugin.name(), event.Text(), names[static_cast<size_t>(outcome)]));
  }
  void EventHandled(framework::EventLabel event, Duration) override {
    events.push_back(event.Text());
  }
  void SizesAre(const framework::EngineSizes& now) override { sizes = now; }
};

class MeasurementsTest : public ::testing::Test {
 protected:
  static EngineOptions OptionsWith(framework::Measurements& measurements) {
    EngineOptions options;
    options.profiles = {DefaultProfile()};
    options.paranoid = true;
    options.measurements = &measurements;
    return options;
  }

  Notebook notes_;
  EngineHarness harness_{OptionsWith(notes_)};
};

TEST_F(MeasurementsTest, BoundPodPassesEveryPointOnce) {
  harness_.Put(MakeNode("n1"));
  harness_.Put(MakeNode("n2"));
  harness_.Put(MakePod("web").Request("cpu", "1"));
  EXPECT_EQ(notes_.points, Lines({"PreEnqueue Success"}));
  EXPECT_EQ(notes_.queued, Lines({"active UnschedulablePodAdd"}));
  EXPECT_EQ(notes_.sizes.active, 1u);

  notes_.points.clear();
  harness_.Schedule();
  EXPECT_EQ(notes_.sizes.active, 0u);
  EXPECT_EQ(notes_.sizes.bindings, 1u);
  EXPECT_EQ(notes_.sizes.assumed_pods, 1u);
  EXPECT_TRUE(notes_.attempts.empty());
  EXPECT_EQ(notes_.in_flight["PodPopped"], 0);  // Events no longer concern it.
  harness_.End(harness_.TheCommand());
  EXPECT_EQ(notes_.points,
            Lines({"PreFilter Success", "Filter Success", "PreScore Success", "Score Success",
                   "Reserve Success", "Permit Success", "PreBindPreFlight Skip", "PreBind Success",
                   "Bind Success", "PostBind Success"}));
  EXPECT_EQ(notes_.attempts, Lines({"0 scheduled"}));
  EXPECT_EQ(notes_.bound, Lines({"1 tries, 1 ms"}));
  EXPECT_EQ(notes_.sizes.bindings, 0u);

  harness_.Put(MakePod("web").Request("cpu", "1").On("n1"));
  harness_.Remove(MakePod("web").Request("cpu", "1").On("n1"));
  EXPECT_EQ(notes_.events, Lines({"NodeAdd", "NodeAdd", "UnschedulablePodAdd", "AssignedPodAdd",
                                  "UnschedulablePodDelete", "AssignedPodDelete"}));
  EXPECT_EQ(notes_.sizes.nodes, 2u);
  EXPECT_EQ(notes_.sizes.pods, 0u);
  EXPECT_EQ(notes_.sizes.assumed_pods, 0u);
}

TEST_F(MeasurementsTest, SkippedPluginsAreNotMeasured) {
  harness_.Put(MakeNode("n1"));
  harness_.Put(MakeNode("n2"));
  for (const char* name : {"a", "b"}) harness_.Put(MakePod(name).Request("cpu", "1"));
  harness_.Schedule();
  EXPECT_EQ(notes_.took_part["NodeResourcesFit PreFilter"], 2);
  EXPECT_EQ(notes_.took_part["NodeResourcesFit Filter"], 2);
  EXPECT_EQ(notes_.took_part["NodeResourcesFit Score"], 2);
  EXPECT_EQ(notes_.took_part["NodeName Filter"], 2);
  EXPECT_EQ(notes_.took_part["NodePorts PreFilter"], 0);
  EXPECT_EQ(notes_.took_part["NodePorts Filter"], 0);
}

TEST_F(MeasurementsTest, OneAttemptInTenTimesItsPlugins) {
  for (const char* name : {"n1", "n2"}) harness_.Put(MakeNode(name));
  for (int i = 0; i < 19; ++i) {
    harness_.Put(MakePod(fmt::format("p{}", i)).Request("cpu", "10m"));
    harness_.Schedule();
    for (const Command& command : harness_.Commands()) harness_.End(command);
  }
  EXPECT_EQ(notes_.plugin_runs["NodeResourcesFit PreFilter"], 1);
  EXPECT_EQ(notes_.plugin_runs["NodeResourcesFit Filter"], 1);
  EXPECT_EQ(notes_.plugin_runs["DefaultBinder Bind"], 1);
  EXPECT_EQ(notes_.plugin_runs["SchedulingGates PreEnqueue"], 1);
}

TEST_F(MeasurementsTest, RejectedPodIsCountedByPluginUntilItIsTriedAgain) {
  harness_.Put(MakeNode("n1").Cpu("1"));
  harness_.Put(MakePod("big").Request("cpu", "8"));
  harness_.Schedule();
  EXPECT_EQ(notes_.attempts, Lines({"0 unschedulable"}));
  EXPECT_THAT(notes_.points, Contains("PostFilter Unschedulable"));
  EXPECT_EQ(notes_.preemption, Lines({"tried"}));
  EXPECT_EQ(notes_.rejections["NodeResourcesFit"], 1);
  EXPECT_EQ(notes_.sizes.unschedulable, 1u);
  EXPECT_THAT(notes_.queued, Contains("unschedulable ScheduleAttemptFailure"));

  harness_.Put(MakeNode("n2").Cpu("2"));
  EXPECT_EQ(notes_.hints, Lines({"NodeResourcesFit NodeAdd QueueSkip"}));
  harness_.Put(MakeNode("n3").Cpu("16"));
  EXPECT_EQ(notes_.hints.back(), "NodeResourcesFit NodeAdd Queue");
  EXPECT_THAT(notes_.queued, Contains("backoff NodeAdd"));
  EXPECT_EQ(notes_.rejections["NodeResourcesFit"], 1);
  harness_.Schedule();
  EXPECT_EQ(notes_.queued.back(), "active PopFromBackoffQ");
  EXPECT_EQ(notes_.rejections["NodeResourcesFit"], 0);
  harness_.Commands();
}

TEST_F(MeasurementsTest, GatedPodCountsForItsGateUntilItIsGone) {
  harness_.Put(MakePod("held").Gate("wait"));
  EXPECT_EQ(notes_.points, Lines({"PreEnqueue UnschedulableAndUnresolvable"}));
  EXPECT_EQ(notes_.queued, Lines({"unschedulable UnschedulablePodAdd"}));
  EXPECT_EQ(notes_.sizes.gated, 1u);
  EXPECT_EQ(notes_.rejections["SchedulingGates"], 1);
  harness_.Remove(MakePod("held").Gate("wait"));
  EXPECT_EQ(notes_.rejections["SchedulingGates"], 0);
  EXPECT_EQ(notes_.sizes.gated, 0u);
}

TEST_F(MeasurementsTest, FailedBindIsAnError) {
  harness_.Put(MakeNode("n1"));
  harness_.Put(MakePod("web"));
  harness_.Schedule();
  harness_.Fail(harness_.TheCommand(), "etcd is away");
  EXPECT_EQ(notes_.attempts, Lines({"0 error"}));
  EXPECT_THAT(notes_.points, Contains("Bind Error"));
  EXPECT_THAT(notes_.points, Contains("Unreserve Success"));
  EXPECT_EQ(notes_.queued.back(), "backoff ScheduleAttemptFailure");
  EXPECT_TRUE(notes_.bound.empty());
  harness_.Pass(Duration::Seconds(3));
  harness_.Schedule();
  EXPECT_EQ(notes_.queued.back(), "active BackoffComplete");
  harness_.End(harness_.TheCommand());
  EXPECT_EQ(notes_.attempts, Lines({"0 error", "0 scheduled"}));
  ASSERT_EQ(notes_.bound.size(), 1u);
  EXPECT_EQ(notes_.bound[0].substr(0, 8), "2 tries,");
}

TEST_F(MeasurementsTest, PreemptionReportsItsVictimsAndItsEnd) {
  harness_.Put(MakeNode("n1").Cpu("1"));
  harness_.Put(MakePod("low").Request("cpu", "1").Priority(1).On("n1"));
  harness_.Put(MakePod("high").Request("cpu", "1").Priority(10));
  harness_.Schedule();
  EXPECT_EQ(notes_.preemption, Lines({"tried", "1 victims"}));
  EXPECT_THAT(notes_.points, Contains("PostFilter Success"));
  EXPECT_EQ(notes_.sizes.evictions, 1u);
  for (auto commands = harness_.Commands(); !commands.empty(); commands = harness_.Commands()) {
    for (const Command& command : commands) harness_.End(command);
  }
  EXPECT_EQ(notes_.preemption, Lines({"tried", "1 victims", "evicted"}));
  EXPECT_EQ(notes_.sizes.evictions, 0u);
}

TEST_F(MeasurementsTest, VictimsThatAreAllTerminatingAreNotCounted) {
  harness_.Put(MakeNode("n1").Cpu("2"));
  harness_.Put(Terminating(MakePod("low").Request("cpu", "1").Priority(1).On("n1")));
  harness_.Put(MakePod("high").Request("cpu", "2").Priority(10));
  harness_.Schedule();
  EXPECT_EQ(notes_.preemption, Lines({"tried"}));
  harness_.Put(MakePod("low2").Request("cpu", "1").Priority(1).On("n1"));
  harness_.Put(MakePod("higher").Request("cpu", "2").Priority(20));
  harness_.Schedule();
  EXPECT_EQ(notes_.preemption, Lines({"tried", "tried", "2 victims"}));
}

TEST_F(MeasurementsTest, APodThatNeedNotBeTriedCountsAsAnAttemptAtPreemption) {
  Notebook notes;
  EngineOptions options = OptionsWith(notes);
  options.paranoid = false;  // It tries every pod.
  EngineHarness harness{options};
  harness.Put(MakeNode("n1").Cpu("1"));
  for (const char* name : {"a", "b", "c"}) harness.Put(MakePod(name).Request("cpu", "8"));
  harness.Schedule();
  EXPECT_EQ(notes.attempts, Lines({"0 unschedulable", "0 unschedulable", "0 unschedulable"}));
  EXPECT_EQ(notes.preemption, Lines({"tried", "tried", "tried"}));
}

TEST_F(MeasurementsTest, AnUpdateIsOneEventForEachKindOfChange) {
  harness_.Put(MakeNode("n1"));
  harness_.Put(MakeNode("n1").Cpu("9").Label("a", "b"));
  harness_.Put(MakeNode("n1").Cpu("9").Label("a", "b"));
  EXPECT_EQ(std::exchange(notes_.events, {}),
            Lines({"NodeAdd", "NodeUpdateNodeAllocatable", "NodeUpdateNodeLabel"}));

  harness_.Put(MakePod("on").On("n1"));
  harness_.Put(MakePod("on").On("n1").Label("a", "b"));
  harness_.Put(MakePod("on").On("n1").Label("a", "b"));
  EXPECT_EQ(std::exchange(notes_.events, {}),
            Lines({"AssignedPodAdd", "AssignedPodUpdatePodLabel", "AssignedPodUpdate",
                   "AssignedPodUpdate", "AssignedPodUpdate"}));

  harness_.Put(MakePod("off"));
  harness_.Put(MakePod("off").Label("a", "b"));
  harness_.Put(MakePod("off").Label("a", "b"));
  harness_.Put(MakePod("off").Label("a", "b").On("n1"));
  EXPECT_EQ(
      std::exchange(notes_.events, {}),
      Lines({"UnschedulablePodAdd", "UnschedulablePodUpdatePodLabel", "UnschedulablePodUpdate",
             "UnschedulablePodUpdate", "AssignedPodAdd", "UnschedulablePodDelete"}));
}

TEST_F(MeasurementsTest, EventsThatNoPluginRegisteredForAreNotCounted) {
  harness_.Put(MakePod("other").Scheduler("other"));
  harness_.Put(MakePod("other").Scheduler("other").Label("a", "b"));
  harness_.Remove(MakePod("other").Scheduler("other"));
  harness_.Put(MakeObject<api::CsiDriver>("csi"));
  EXPECT_EQ(notes_.events, Lines());
  harness_.Put(MakeObject<api::CsiDriver>("csi"));
  harness_.Remove(MakeObject<api::CsiDriver>("csi"));
  EXPECT_EQ(notes_.events, Lines({"storage.k8s.io/CSIDriverUpdate"}));
}

TEST_F(MeasurementsTest, PodBoundAfterTheFlushIsCountedAsSuch) {
  harness_.Put(MakeNode("n1").Cpu("1").Taint("a", "b", "NoSchedule"));
  harness_.Put(MakePod("web"));
  harness_.Schedule();
  harness_.Commands();
  harness_.Pass(Duration::Seconds(400));
  harness_.Schedule();
  harness_.Commands();
  EXPECT_THAT(notes_.queued, Contains("active UnschedulableTimeout"));
  harness_.Pass(Duration::Seconds(400));
  harness_.Put(MakeNode("n2"));
  harness_.Schedule();
  harness_.End(harness_.TheCommand());
  ASSERT_EQ(notes_.bound.size(), 1u);
  EXPECT_THAT(notes_.bound[0], ::testing::HasSubstr("flushed"));
}

TEST_F(MeasurementsTest, ExplainRecordsNothing) {
  harness_.Put(MakeNode("n1"));
  notes_.points.clear();
  const MakePod pod("web");
  EXPECT_TRUE(harness_.engine().Explain(pod.ref(), harness_.now()).has_value());
  EXPECT_TRUE(notes_.points.empty());
  EXPECT_TRUE(notes_.took_part.empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
