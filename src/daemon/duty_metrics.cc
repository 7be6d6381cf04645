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
    : steps_(registry
                 .AddHistogram({.name = "berth_step_duration_seconds",
                                .help = "Time from reading changes to handing out writes, in one "
                                        "step of the thread that schedules.",
                                .buckets = observability::ExponentialBuckets(0.0001, 4, 10)})
                 .With({})),
      loops_(registry.AddGauge({.name = "berth_thread_silent_seconds",
                                .help = "How long a thread has not ended what it does; 0 if it "
                                        "waits for work.",
                                .labels = {"thread"}})),
      silent_watches_(registry.AddCounter(
          {.name = "berth_silent_watches_total",
           .help = "Number of watches that were opened again because they delivered nothing.",
           .labels = {"resource"}})),
      backlog_(GaugeOf(registry, "berth_unread_changes",
                       "Number of changes of objects and results of writes that the thread that "
                       "schedules has not read.")),
      backlog_age_(
          GaugeOf(registry, "berth_oldest_unread_change_seconds", "Age of the oldest of them.")),
      writes_under_way_(GaugeOf(registry, "berth_writes_under_way",
                                "Number of writes to the API without a response so far.")),
      events_waiting_(
          GaugeOf(registry, "berth_events_waiting", "Number of events that are not written yet.")),
      events_(registry.AddCounter({.name = "berth_events_total",
                                   .help = "Number of events, by what became of them.",
                                   .labels = {"result"}})),
      memory_(registry.AddGauge({.name = "berth_memory_bytes",
                                 .help = "Memory of parts whose size can be limited.",
                                 .labels = {"consumer"}})),
      memory_limit_(GaugeOf(registry, "berth_memory_limit_bytes",
                            "The limit of memory, by --memory-limit or the cgroup; 0 if there is "
                            "none.")),
      dropped_caches_(CounterOf(registry, "berth_dropped_caches_total",
                                "Number of times that caches were dropped because memory was "
                                "short.")),
      recording_records_(CounterOf(registry, "berth_recording_records_total",
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

void DutyMetrics::NoteStep(Duration took) { steps_.ObserveAlone(took.seconds()); }

void DutyMetrics::NoteDroppedCaches() { dropped_caches_.Increment(); }

void DutyMetrics::NoteSilentWatch(std::string_view resource) {
  silent_watches_.With({resource}).Increment();
}

void DutyMetrics::Set(const DutyValues& values) {
  for (const auto& [name, silent] : values.loops) loops_.With({name}).Set(silent.seconds());
  backlog_.Set(static_cast<double>(values.backlog));
  backlog_age_.Set(values.backlog_age.seconds());
  writes_under_way_.Set(static_cast<double>(values.writes_under_way));
  events_waiting_.Set(static_cast<double>(values.events_waiting));
  events_.With({"written"}).Set(static_cast<double>(values.events_written));
  events_.With({"dropped"}).Set(static_cast<double>(values.events_dropped));
  events_.With({"refused"}).Set(static_cast<double>(values.events_refused));
  memory_limit_.Set(static_cast<double>(values.memory_limit));
  memory_.With({"ledger"}).Set(static_cast<double>(values.ledger_bytes));
  const runtime::RecordingCounts& recording = values.recording;
  recording_records_.Set(static_cast<double>(recording.records));
  recording_bytes_.Set(static_cast<double>(recording.bytes));
  recording_lost_.Set(static_cast<double>(recording.lost));
  recording_waiting_.Set(static_cast<double>(recording.waiting));
  recording_failed_.Set(recording.failed ? 1 : 0);
}

}  // namespace berth::daemon
