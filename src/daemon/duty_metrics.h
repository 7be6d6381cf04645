// DutyMetrics are the metrics of this process for operators on call, beside kube-scheduler's: what
// waits in it, what it uses, and what has stopped.
//
// All but the steps and silent watches are read when /metrics is requested; nothing is counted for
// them meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "observability/metric_registry.h"
#include "runtime/recording_thread.h"

namespace berth::daemon {

struct DutyValues {
  // How long each thread has not ended what it does.
  std::vector<std::pair<std::string, Duration>> loops = {};
  size_t backlog = 0;  // Changes and results that the driver has not read.
  Duration backlog_age;
  size_t writes_under_way = 0;
  size_t events_waiting = 0;
  uint64_t events_written = 0, events_dropped = 0, events_refused = 0;
  size_t ledger_bytes = 0;
  size_t memory_limit = 0;  // 0: none.
  runtime::RecordingCounts recording = {};
};

class DutyMetrics {
 public:
  explicit DutyMetrics(observability::MetricRegistry& registry);

  void Set(const DutyValues& values);
  // A step of the driver has ended. On its thread.
  void NoteStep(Duration took);
  // A watch of the resource ("pods") delivered nothing and was opened again.
  void NoteSilentWatch(std::string_view resource);
  // The engine's caches were dropped, because memory was short.
  void NoteDroppedCaches();

 private:
  observability::Histogram& steps_;
  observability::GaugeFamily& loops_;             // loop
  observability::CounterFamily& silent_watches_;  // resource
  observability::Gauge& backlog_;
  observability::Gauge& backlog_age_;
  observability::Gauge& writes_under_way_;
  observability::Gauge& events_waiting_;
  observability::CounterFamily& events_;  // result
  observability::GaugeFamily& memory_;    // consumer
  observability::Gauge& memory_limit_;
  observability::Counter& dropped_caches_;
  observability::Counter& recording_records_;
  observability::Counter& recording_bytes_;
  observability::Counter& recording_lost_;
  observability::Gauge& recording_waiting_;
  observability::Gauge& recording_failed_;
};

}  // namespace berth::daemon
