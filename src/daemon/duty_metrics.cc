#include "daemon/duty_metrics.h"

#include <string>
#include <utility>

namespace berth::daemon {
namespace {

observability::Counter& CounterOf(observability::MetricRegistry& registry, std::string name,
                                  std::string help) {
  return registry.AddCounter({.name = std::move(name), .help = std::move(help)}).With({});
}

observability::Gauge& GaugeOf(observability::MetricRegistry& registry, std::string name,
                              std::string help) {
  return registry.AddGauge({.name = std::move(name), .help = std::move(help)}).With({});
}

}  // namespace

DutyMetrics::DutyMetrics(observability::MetricRegistry& registry)
    : recording_records_(CounterOf(registry, "berth_recording_records_total",
                                   "Number of records written to the file of --record.")),
      recording_bytes_(CounterOf(registry, "berth_recording_bytes_total",
                                 "Number of bytes written to the file of --record.")),
      recording_lost_(CounterOf(registry, "berth_recording_lost_records_total",
                                "Number of records that were not written, because the recording "
                                "has failed.")),
      recording_waiting_(GaugeOf(registry, "berth_recording_waiting_records",
                                 "Number of records that wait to be written.")),
      recording_failed_(GaugeOf(registry, "berth_recording_failed",
                                "1 if the recording has ended with an error.")) {}

void DutyMetrics::Set(const DutyValues& values) {
  const runtime::RecordingCounts& recording = values.recording;
  recording_records_.Set(static_cast<double>(recording.records));
  recording_bytes_.Set(static_cast<double>(recording.bytes));
  recording_lost_.Set(static_cast<double>(recording.lost));
  recording_waiting_.Set(static_cast<double>(recording.waiting));
  recording_failed_.Set(recording.failed ? 1 : 0);
}

}  // namespace berth::daemon
