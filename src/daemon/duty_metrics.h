// DutyMetrics are the metrics that tell whoever is on call how this process does, beside
// kube-scheduler's: what waits in it, and what has stopped.
//
// They are read when /metrics is requested; nothing is counted for them meanwhile.
#pragma once

#include "observability/metric_registry.h"
#include "runtime/recording_thread.h"

namespace berth::daemon {

struct DutyValues {
  runtime::RecordingCounts recording = {};
};

class DutyMetrics {
 public:
  explicit DutyMetrics(observability::MetricRegistry& registry);

  void Set(const DutyValues& values);

 private:
  observability::Counter& recording_records_;
  observability::Counter& recording_bytes_;
  observability::Counter& recording_lost_;
  observability::Gauge& recording_waiting_;
  observability::Gauge& recording_failed_;
};

}  // namespace berth::daemon
