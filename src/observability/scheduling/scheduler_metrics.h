// SchedulerMetrics are kube-scheduler's own metrics, with the names, labels and buckets that
// dashboards and alerts use.
//
// All of kube-scheduler's metrics are registered; those that Berth never updates have no member
// here.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "observability/metric_registry.h"
#include "scheduler/framework/measurements.h"

namespace berth::observability::scheduling {

struct SchedulerMetrics {
  // `registry` must outlive this.
  explicit SchedulerMetrics(MetricRegistry& registry);

  // --- attempts ---
  CounterFamily& schedule_attempts;   // result, profile
  HistogramFamily& attempt_duration;  // result, profile
  Histogram& algorithm_duration;
  CounterFamily& group_attempts;              // result, profile
  HistogramFamily& group_attempt_duration;    // result, profile
  HistogramFamily& group_algorithm_duration;  // Without labels: a series once there is a group.
  Histogram& pod_attempts;
  HistogramFamily& sli_duration;      // attempts
  HistogramFamily& point_duration;    // extension_point, status, profile
  HistogramFamily& plugin_duration;   // plugin, extension_point, status
  CounterFamily& plugin_evaluations;  // plugin, extension_point, profile
  HistogramFamily& permit_wait;       // result
  Counter& scheduled_after_flush;

  // --- the queue ---
  GaugeFamily& pending_pods;        // queue
  CounterFamily& queue_incoming;    // queue, event
  GaugeFamily& unschedulable_pods;  // plugin, profile
  HistogramFamily& event_handling;  // event
  HistogramFamily& hint_duration;   // plugin, event, hint
  GaugeFamily& inflight_events;     // event

  // --- preemption ---
  Counter& preemption_attempts;
  Histogram& preemption_victims;
  HistogramFamily& eviction_duration;  // result
  CounterFamily& evictions;            // result

  // --- the rest ---
  GaugeFamily& goroutines;                    // operation
  GaugeFamily& cache_size;                    // type
  CounterFamily& volume_stage_errors;         // operation
  CounterFamily& resource_claim_creates;      // status
  CounterFamily& device_binding_allocations;  // profile, driver, status
  HistogramFamily& device_binding_wait;       // profile, driver, status
};

// EngineMeasurements converts the engine's measurements to kube-scheduler's metrics.
//
// Owned by the engine's thread. Each series is looked up when it is first used and cached; from
// then on an observation costs a few instructions.
class EngineMeasurements final : public scheduler::framework::Measurements {
 public:
  // `metrics` must outlive this.
  EngineMeasurements(SchedulerMetrics& metrics, Stopwatch stopwatch);
  ~EngineMeasurements() override;

  void Serve(std::span<const scheduler::framework::Profile* const> profiles) override;

  void AttemptEnded(size_t profile, scheduler::framework::AttemptResult result,
                    Duration took) override;
  void AlgorithmEnded(Duration took) override;
  void GroupAttemptEnded(size_t profile, scheduler::framework::GroupAttemptResult result,
                         Duration took) override;
  void GroupAlgorithmEnded(Duration took) override;
  void PointEnded(size_t profile, scheduler::framework::MeasuredPoint point,
                  scheduler::framework::Code code, Duration took) override;
  void PluginEnded(size_t profile, const scheduler::framework::Plugin& plugin,
                   scheduler::framework::MeasuredPoint point, scheduler::framework::Code code,
                   Duration took) override;
  void PluginsTookPart(size_t profile, scheduler::framework::MeasuredPoint point,
                       scheduler::framework::PluginMask plugins) override;
  void PermitWaited(scheduler::framework::Code code, Duration waited) override;
  void PodBound(uint32_t attempts, Duration since_ready, bool after_flush) override;

  void PreemptionTried() override;
  void VictimsChosen(size_t victims) override;
  void EvictionEnded(bool all_went, Duration took) override;
  void VolumeStageFailed(scheduler::framework::VolumeStage stage) override;
  void ResourceClaimCreated(bool ok) override;
  void DeviceBindingWaited(std::string_view scheduler_name, std::string_view driver,
                           scheduler::framework::DeviceBindingResult result,
                           Duration waited) override;
  void DeviceBindingEnded(std::string_view scheduler_name, std::string_view driver,
                          scheduler::framework::DeviceBindingResult result) override;

  void PodsQueued(scheduler::framework::QueueName queue, scheduler::framework::EventLabel why,
                  size_t count) override;
  void RejectionsChanged(size_t profile, scheduler::framework::PluginMask plugins,
                         int delta) override;
  void InFlightChanged(scheduler::framework::EventLabel label, int delta) override;
  void HintGiven(size_t profile, const scheduler::framework::Plugin& plugin,
                 scheduler::framework::EventLabel event, scheduler::framework::HintOutcome outcome,
                 Duration took) override;

  void EventHandled(scheduler::framework::EventLabel event, Duration took) override;
  void SizesAre(const scheduler::framework::EngineSizes& sizes) override;

 private:
  static constexpr size_t kCodes = static_cast<size_t>(scheduler::framework::Code::kPending) + 1;
  static constexpr size_t kQueues = 3, kResults = 3, kHints = 3;
  static constexpr size_t kAttemptLabels = 15;  // "1" to "14", "15+".

  // The series of one plugin of one profile.
  struct OfPlugin {
    std::string name;
    std::array<std::array<Histogram*, kCodes>, scheduler::framework::kMeasuredPoints> duration = {};
    std::array<Counter*, scheduler::framework::kMeasuredPoints> evaluations = {};
    Gauge* unschedulable = nullptr;
    std::array<std::array<Histogram*, kHints>, scheduler::framework::EventLabel::kCount> hints = {};
  };
  struct OfProfile {
    std::string name;
    std::array<Counter*, kResults> attempts = {};
    std::array<Histogram*, kResults> attempt_duration = {};
    std::array<std::array<Histogram*, kCodes>, scheduler::framework::kMeasuredPoints> points = {};
    std::vector<std::unique_ptr<OfPlugin>> plugins;  // By slot.
    OfPlugin extender;
  };

  OfPlugin* PluginIn(OfProfile& profile, size_t slot);

  SchedulerMetrics& metrics_;
  std::vector<std::unique_ptr<OfProfile>> profiles_;
  std::array<Histogram*, kCodes> permit_wait_ = {};
  std::array<Histogram*, kAttemptLabels> sli_ = {};
  std::array<std::array<Counter*, scheduler::framework::EventLabel::kCount>, kQueues> incoming_ =
      {};
  std::array<Gauge*, scheduler::framework::EventLabel::kCount> in_flight_ = {};
  std::array<Histogram*, scheduler::framework::EventLabel::kCount> handling_ = {};

  Gauge &active_, &backoff_, &unschedulable_, &gated_;
  Gauge &bindings_, &evictions_;
  Gauge &nodes_, &pods_, &assumed_pods_;
};

}  // namespace berth::observability::scheduling
