// TimedEngine is an engine whose calls are timed, on a clock that passes only while they run.
//
// Other work on the same thread, such as that of an API, is not counted. Reading the time of a
// thread is a system call, which would be a tenth of many decisions: calls are timed together, and
// single decisions in elapsed time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/time.h"
#include "runtime/driver_snapshot.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/events.h"

namespace berth::benchmark {

// The time of an engine by what it did.
struct EngineTime {
  Duration deciding = {};  // Scheduling cycles and results of writes.
  Duration events = {};    // Changes of objects while pods are scheduled.
  Duration loading = {};   // Objects that were created before that.

  friend EngineTime operator-(const EngineTime& a, const EngineTime& b) {
    return {a.deciding - b.deciding, a.events - b.events, a.loading - b.loading};
  }
};

class TimedEngine {
 public:
  // `clock` is the time that the engine is given; it must outlive this object. `nanos` is what the
  // calls are timed with.
  TimedEngine(std::unique_ptr<scheduler::engine::Engine> engine, SimClock& clock,
              int64_t (*nanos)())
      : engine_(std::move(engine)), clock_(clock), nanos_(nanos) {}

  // Handle objects that are created before pods are scheduled, and any later events. The clock
  // stands still within one call.
  void Load(std::span<const scheduler::engine::Event> events);
  void Handle(std::span<const scheduler::engine::Event> events);
  // Appends the commands that wait, tries up to `limit` pods and appends their commands. Stops at
  // the first of these that is not a bind or an event, whose effect may matter for the next pod.
  // Returns the number of pods tried.
  size_t Schedule(size_t limit, std::vector<scheduler::engine::Command>& commands);
  std::vector<scheduler::engine::Command> TakeCommands();

  const scheduler::engine::Engine& engine() const { return *engine_; }
  const EngineTime& time() const { return time_; }
  uint64_t attempts() const { return decision_time_.count(); }
  const runtime::LatencyHistogram& decision_time() const { return decision_time_; }

 private:
  // Adds the time since `start` to `part`, and passes it. Returns when it ended.
  int64_t Pass(int64_t start, Duration& part);

  std::unique_ptr<scheduler::engine::Engine> engine_;
  SimClock& clock_;
  int64_t (*const nanos_)();
  EngineTime time_;
  runtime::LatencyHistogram decision_time_;
};

}  // namespace berth::benchmark
