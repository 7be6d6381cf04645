// EngineMeasurements turns what the engine tells into kube-scheduler's metrics.
//
// Belongs to the engine's thread. Each series is looked up when it is first needed; from then on an
// observation costs a few instructions.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "framework/measurements.h"
#include "serve/scheduler_metrics.h"

namespace berth::serve {

class EngineMeasurements final : public Measurements {
 public:
  // `metrics` must outlive this.
  EngineMeasurements(SchedulerMetrics& metrics, Stopwatch stopwatch);
  ~EngineMeasurements() override;

  void Serve(std::span<const Profile* const> profiles) override;

  void AttemptEnded(size_t profile, AttemptResult result, Duration took) override;
  void AlgorithmEnded(Duration took) override;
  void PointEnded(size_t profile, MeasuredPoint point, Code code, Duration took) override;
  void PluginEnded(size_t profile, const Plugin& plugin, MeasuredPoint point, Code code,
                   Duration took) override;
  void PluginsTookPart(size_t profile, MeasuredPoint point, PluginMask plugins) override;
  void PermitWaited(Code code, Duration waited) override;
  void PodBound(uint32_t attempts, Duration since_ready, bool after_flush) override;

  void PreemptionTried() override;
  void VictimsChosen(size_t victims) override;
  void EvictionEnded(bool all_went, Duration took) override;

  void PodQueued(QueueName queue, EventLabel why) override;
  void RejectionsChanged(size_t profile, PluginMask plugins, int delta) override;
  void InFlightChanged(EventLabel label, int delta) override;
  void HintGiven(size_t profile, const Plugin& plugin, EventLabel event, HintOutcome outcome,
                 Duration took) override;

  void EventHandled(EventLabel event, Duration took) override;
  void SizesAre(const EngineSizes& sizes) override;

 private:
  static constexpr size_t kCodes = static_cast<size_t>(Code::kPending) + 1;
  static constexpr size_t kQueues = 3, kResults = 3, kHints = 3;
  static constexpr size_t kAttemptLabels = 15;  // "1" to "14", "15+".

  // The series of one plugin of one profile.
  struct OfPlugin {
    std::string name;
    std::array<std::array<net::Histogram*, kCodes>, kMeasuredPoints> duration = {};
    std::array<net::Counter*, kMeasuredPoints> evaluations = {};
    net::Gauge* unschedulable = nullptr;
    std::array<std::array<net::Histogram*, kHints>, EventLabel::kCount> hints = {};
  };
  struct OfProfile {
    std::string name;
    std::array<net::Counter*, kResults> attempts = {};
    std::array<net::Histogram*, kResults> attempt_duration = {};
    std::array<std::array<net::Histogram*, kCodes>, kMeasuredPoints> points = {};
    std::vector<std::unique_ptr<OfPlugin>> plugins;  // By slot.
    OfPlugin extender;
  };

  OfPlugin* PluginIn(OfProfile& profile, size_t slot);

  SchedulerMetrics& metrics_;
  std::vector<std::unique_ptr<OfProfile>> profiles_;
  std::array<net::Histogram*, kCodes> permit_wait_ = {};
  std::array<net::Histogram*, kAttemptLabels> sli_ = {};
  std::array<std::array<net::Counter*, EventLabel::kCount>, kQueues> incoming_ = {};
  std::array<net::Gauge*, EventLabel::kCount> in_flight_ = {};
  std::array<net::Histogram*, EventLabel::kCount> handling_ = {};

  net::Gauge &active_, &backoff_, &unschedulable_, &gated_;
  net::Gauge &bindings_, &evictions_;
  net::Gauge &nodes_, &pods_, &assumed_pods_;
};

}  // namespace berth::serve
