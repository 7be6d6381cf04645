#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observability/metric_registry.h"
#include "observability/metrics_testing.h"
#include "observability/scheduling/scheduler_metrics.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::observability::scheduling {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::HasSubstr;

// Advances by ten milliseconds per call.
int64_t Tick() {
  static int64_t now = 0;
  return now += 10'000'000;
}

class EngineMeasurementsTest : public ::testing::Test {
 protected:
  scheduler::engine::EngineOptions Options() {
    scheduler::engine::EngineOptions options;
    options.profiles = {DefaultProfile(), DefaultProfile("second")};
    options.paranoid = true;
    options.measurements = &measurements_;
    return options;
  }
  // Returns the nonzero samples of one metric, by labels.
  std::map<std::string, double> Of(const std::string& metric) {
    auto scraped = Scrape(MetricsText(registry_));
    std::map<std::string, double> samples;
    for (const auto& [name, value] : scraped["scheduler_" + metric].samples) {
      if (name.find("_bucket") != name.npos || name.find("_sum") != name.npos) continue;
      if (value != 0) samples[name.substr(10 + metric.size())] = value;
    }
    return samples;
  }
  using Samples = std::map<std::string, double>;

  MetricRegistry registry_;
  SchedulerMetrics metrics_{registry_};
  EngineMeasurements measurements_{metrics_, Tick};
  EngineHarness engine_{Options()};
};

TEST_F(EngineMeasurementsTest, BoundPodsAreCountedByProfile) {
  engine_.Put(MakeNode("n1"));
  engine_.Put(MakeNode("n2"));
  engine_.Put(MakePod("a"));
  engine_.Put(MakePod("b").Scheduler("second"));
  engine_.Schedule();
  for (const scheduler::engine::Command& command : engine_.Commands()) engine_.End(command);
  const Samples scheduled = {{"{profile=\"default-scheduler\",result=\"scheduled\"}", 1},
                             {"{profile=\"second\",result=\"scheduled\"}", 1}};
  EXPECT_EQ(Of("schedule_attempts_total"), scheduled);
  EXPECT_EQ(metrics_.attempt_duration.With({"scheduled", "second"}).bounds().size(), 15u);
  const Samples twice = {{"_count", 2}};
  EXPECT_EQ(Of("pod_scheduling_attempts"), twice);
  EXPECT_EQ(Of("scheduling_algorithm_duration_seconds"), twice);
  const Samples first = {{"_count{attempts=\"1\"}", 2}};
  EXPECT_EQ(Of("pod_scheduling_sli_duration_seconds"), first);
  const Samples incoming = {{"{event=\"UnschedulablePodAdd\",queue=\"active\"}", 2}};
  EXPECT_EQ(Of("queue_incoming_pods_total"), incoming);
  const Samples cache = {
      {"{type=\"assumed_pods\"}", 2}, {"{type=\"nodes\"}", 2}, {"{type=\"pods\"}", 2}};
  EXPECT_EQ(Of("cache_size"), cache);
  EXPECT_EQ(metrics_.plugin_evaluations.With({"NodeName", "Filter", "second"}).value(), 1);
}

TEST_F(EngineMeasurementsTest, WaitingPodsAreCountedByPluginAndQueue) {
  engine_.Put(MakeNode("n1").Taint("gpu", "yes", "NoSchedule"));
  engine_.Put(MakePod("a"));
  engine_.Put(MakePod("b").Gate("later"));
  engine_.Schedule();
  engine_.Commands();
  const Samples waiting = {{"{plugin=\"SchedulingGates\",profile=\"default-scheduler\"}", 1},
                           {"{plugin=\"TaintToleration\",profile=\"default-scheduler\"}", 1}};
  EXPECT_EQ(Of("unschedulable_pods"), waiting);
  const Samples pending = {{"{queue=\"gated\"}", 1}, {"{queue=\"unschedulable\"}", 1}};
  EXPECT_EQ(Of("pending_pods"), pending);
  engine_.Put(MakeNode("n2"));
  const Samples hints = {
      {"_count{event=\"NodeAdd\",hint=\"Queue\",plugin=\"TaintToleration\"}", 1}};
  EXPECT_EQ(Of("queueing_hint_execution_duration_seconds"), hints);
  const Samples events = {{"_count{event=\"NodeAdd\"}", 2},
                          {"_count{event=\"UnschedulablePodAdd\"}", 2}};
  EXPECT_EQ(Of("event_handling_duration_seconds"), events);
}

TEST_F(EngineMeasurementsTest, ErrorsOfVolumesAreCountedByStage) {
  measurements_.VolumeStageFailed(scheduler::framework::VolumeStage::kBind);
  measurements_.VolumeStageFailed(scheduler::framework::VolumeStage::kPredicate);
  measurements_.VolumeStageFailed(scheduler::framework::VolumeStage::kBind);
  const Samples errors = {{"{operation=\"bind\"}", 2}, {"{operation=\"predicate\"}", 1}};
  EXPECT_EQ(Of("volume_scheduling_stage_error_total"), errors);
}

TEST_F(EngineMeasurementsTest, ClaimsAndBindingConditionsAreCounted) {
  using enum scheduler::framework::DeviceBindingResult;
  measurements_.ResourceClaimCreated(true);
  measurements_.ResourceClaimCreated(false);
  measurements_.ResourceClaimCreated(true);
  const Samples creates = {{"{status=\"failure\"}", 1}, {"{status=\"success\"}", 2}};
  EXPECT_EQ(Of("resourceclaim_creates_total"), creates);

  measurements_.DeviceBindingEnded("default-scheduler", "gpu.example.com", kTimeout);
  measurements_.DeviceBindingWaited("default-scheduler", "gpu.example.com", kTimeout,
                                    Duration::Seconds(600));
  measurements_.DeviceBindingWaited("default-scheduler", "nic.example.com", kSuccess,
                                    Duration::Seconds(5));
  const Samples ended = {
      {"{driver=\"gpu.example.com\",profile=\"default-scheduler\",status=\"timeout\"}", 1}};
  EXPECT_EQ(Of("dra_bindingconditions_allocations_total"), ended);
  const Samples waited = {
      {"_count{driver=\"gpu.example.com\",profile=\"default-scheduler\",status=\"timeout\"}", 1},
      {"_count{driver=\"nic.example.com\",profile=\"default-scheduler\",status=\"success\"}", 1}};
  EXPECT_EQ(Of("dra_bindingconditions_wait_duration_seconds"), waited);
}

TEST_F(EngineMeasurementsTest, MeasuringChangesNoDecision) {
  scheduler::engine::EngineOptions unmeasured = Options();
  unmeasured.measurements = nullptr;
  EngineHarness other(unmeasured);
  std::vector<std::vector<std::string>> decisions;
  for (EngineHarness* engine : {&engine_, &other}) {
    for (int i = 0; i < 5; ++i) {
      engine->Put(MakeNode(fmt::format("n{}", i)).Cpu("2").Zone(fmt::format("z{}", i % 2)));
    }
    for (int i = 0; i < 40; ++i) {
      engine->Put(MakePod(fmt::format("p{}", i))
                      .Request("cpu", i % 3 == 0 ? "700m" : "250m")
                      .Priority(i % 4)
                      .Label("app", fmt::format("a{}", i % 2)));
      engine->Schedule(2);
      for (const scheduler::engine::Command& command : engine->Commands()) engine->End(command);
      engine->Pass(Duration::Millis(300));
    }
    decisions.push_back(engine->Decisions());
  }
  EXPECT_THAT(decisions[0], Contains(HasSubstr(" -> n4")));
  EXPECT_THAT(decisions[0], Contains(HasSubstr(": 0/5 nodes are available")));
  EXPECT_EQ(decisions[0], decisions[1]);
}

TEST_F(EngineMeasurementsTest, AttemptsBeyondFourteenShareALabel) {
  for (const uint32_t attempts : {1u, 14u, 15u, 200u})
    measurements_.PodBound(attempts, Duration::Seconds(1), attempts == 200);
  const Samples counts = {{"_count{attempts=\"1\"}", 1},
                          {"_count{attempts=\"14\"}", 1},
                          {"_count{attempts=\"15+\"}", 2}};
  EXPECT_EQ(Of("pod_scheduling_sli_duration_seconds"), counts);
  EXPECT_EQ(metrics_.scheduled_after_flush.value(), 1);
}

TEST_F(EngineMeasurementsTest, ExtendersCountAsOnePlugin) {
  measurements_.RejectionsChanged(
      1, scheduler::queue::Rejectors::kExtender | scheduler::queue::Rejectors::kNoPlugin, +1);
  const Samples waiting = {{"{plugin=\"Extender\",profile=\"second\"}", 1}};
  EXPECT_EQ(Of("unschedulable_pods"), waiting);
}

TEST_F(EngineMeasurementsTest, PreemptionsAreCountedByResult) {
  measurements_.PreemptionTried();
  measurements_.PreemptionTried();
  measurements_.VictimsChosen(3);
  measurements_.EvictionEnded(true, Duration::Millis(20));
  measurements_.EvictionEnded(false, Duration::Millis(20));
  EXPECT_EQ(metrics_.preemption_attempts.value(), 2);
  EXPECT_EQ(metrics_.preemption_victims.sum(), 3);
  const Samples ends = {{"{result=\"error\"}", 1}, {"{result=\"success\"}", 1}};
  EXPECT_EQ(Of("preemption_goroutines_execution_total"), ends);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::observability::scheduling
