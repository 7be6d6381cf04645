// EngineDriver runs a scheduling engine on a Connection: it passes events to the engine, lets it
// schedule, and executes its commands.
//
// It runs either on a thread of its own (Start, Stop) or step by step on the caller's
// (RunUntilIdle), not both. Only functions that say so may be called on other threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/chrono.h"
#include "base/heartbeat.h"
#include "base/now.h"
#include "base/result.h"
#include "base/time.h"
#include "runtime/connection.h"
#include "runtime/driver_snapshot.h"
#include "scheduler/engine/engine.h"
#include "scheduler/recording/recording_engine.h"

namespace berth::runtime {

// WakeSignal lets a thread sleep until it is woken, a time has passed or it is stopped.
//
// Shared by the sleeping thread and the threads that wake it, so that it is alive when a late call
// arrives.
class WakeSignal {
 public:
  void Wake() {
    {
      const std::lock_guard lock(mutex_);
      if (woken_) return;
      woken_ = true;
    }
    changed_.notify_one();
  }
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_one();
  }
  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

  // Sleeps until Wake or Stop, which may have been called before, or for up to `limit` if given.
  void Wait(std::optional<Duration> limit) {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return stopped_ || woken_; };
    if (limit) {
      changed_.wait_for(lock, std::chrono::nanoseconds(limit->nanos), is_over);
    } else {
      changed_.wait(lock, is_over);
    }
    woken_ = false;
  }
  // Sleeps likewise, for a thread that has been stopped and waits for something to end.
  void WaitAfterStop(Duration limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, ToChrono(limit), [this] { return woken_; });
    woken_ = false;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  bool stopped_ = false;
};

// EventFilter stands between the connection and the engine: it may delay events.
//
// Used on the driver's thread.
class EventFilter {
 public:
  virtual ~EventFilter() = default;
  // Receives the events, in order.
  virtual void Take(const scheduler::engine::Event& event, const Now& now) = 0;
  // Passes on what need not wait any longer. Called after each batch of events, and at next_wake at
  // the latest.
  virtual void Advance(const Now& now) = 0;
  virtual std::optional<Instant> next_wake() const = 0;
  // Passes on all events: there will be no more.
  virtual void Finish(const Now& now) = 0;
};
using PassEvent = std::function<void(const scheduler::engine::Event&)>;

// EngineTap hears what an engine hears and decides, for a second model of the same cluster.
//
// Called on the driver's thread, after the engine has handled the event or decided; must be quick.
class EngineTap {
 public:
  virtual ~EngineTap() = default;
  virtual void OnEvent(const scheduler::engine::Event& event) = 0;
  virtual void OnDecision(const scheduler::engine::Decision& decision) = 0;
};

struct EngineDriverOptions {
  scheduler::engine::EngineOptions engine = {};
  // Gives the date. Null if it is the time of the driver's clock.
  const Clock* wall_clock = nullptr;
  // Measures durations. Null for the driver's clock.
  const Clock* stopwatch = nullptr;
  double speed = 1;  // Seconds of the clock per real second.
  // Records the engine's calls. May be null; must outlive the driver otherwise.
  scheduler::recording::Recorder* recording = nullptr;
  // If false, the engine gets all events but schedules and writes only after Lead.
  bool leads = true;
  // May be null; must outlive the driver otherwise.
  EngineTap* tap = nullptr;
  // Called on the driver's thread after each step in which there was something to do.
  std::function<void(Duration took)> on_step = {};
  // Called on the driver's thread, once, if the engine or what it calls has thrown: nothing is
  // scheduled any more, because its state is not known. Without it, that ends the process.
  std::function<void(const std::string& reason)> on_failure = {};
  // Creates the filter of events. May be null.
  std::function<std::unique_ptr<EventFilter>(scheduler::engine::Engine&, PassEvent)> make_filter =
      {};
};

class EngineDriver final : private scheduler::engine::DecisionObserver {
 public:
  // Creates the connection, which calls `wake` on any thread when there is something to read,
  // possibly even after the driver is destroyed.
  using Connect = std::function<std::unique_ptr<Connection>(std::function<void()> wake)>;

  // `clock` is steady, and must outlive the driver. Fails if a profile cannot be built.
  static Result<std::unique_ptr<EngineDriver>> Make(const Connect& connect, const Clock& clock,
                                                    EngineDriverOptions options,
                                                    const scheduler::framework::Registry& registry);
  ~EngineDriver() override;  // Stops.

  void Start();
  // Waits for the end of the current step. No further pod is tried and no further write is begun;
  // the results of those in flight are awaited for up to `grace_period`.
  void Stop(Duration grace_period = Duration::Seconds(5));
  // Starts or stops trying pods and executing commands. While it does not lead, the engine's
  // commands fail. May be called on any thread.
  void Lead(bool leads);

  // Drops, at the next step, what the engine can compute again. Any thread.
  void DropCaches();

  // Works until only the passing of time or another client's write can give it more to do.
  void RunUntilIdle();

  // Runs `work` on the driver's thread between two steps and waits for it. May be called on any
  // other thread. Returns false, without running it, if the driver does not run. Throws what `work`
  // throws. Work proportional to the number of pods delays scheduling: divide it into several
  // calls.
  bool RunBetweenSteps(const std::function<void(const scheduler::engine::Engine&)>& work);

  // May be called on any thread.
  std::shared_ptr<const DriverSnapshot> snapshot() const;
  // Beats with each event, attempt and write. Any thread.
  std::shared_ptr<const Heartbeat> heartbeat() const { return heartbeat_; }
  // Must be called on the driver's thread, or while it does not run.
  const scheduler::engine::Engine& engine() const { return *engine_; }

 private:
  struct Visit;

  EngineDriver(const Connect& connect, const Clock& clock, EngineDriverOptions options,
               std::unique_ptr<scheduler::engine::Engine> engine);

  void Loop();
  void Work();
  void Drain();
  void EndVisits();
  // Returns false if there was nothing to do.
  bool Step();
  Now ReadClocks();
  bool HandleEvents();
  void Handle(const scheduler::engine::Event& event, const Now& now);
  bool SchedulePods();
  bool ExecuteCommands();
  // Tells the engine that the commands have failed. Returns false if there are none.
  bool Fail(const std::vector<scheduler::engine::Command>& commands);
  void RunVisits();
  void Publish(bool idle);
  std::optional<Duration> TimeToWait() const;
  void OnDecision(const scheduler::engine::Decision& decision) override;

  const Clock& clock_;
  const EngineDriverOptions options_;
  const Clock& stopwatch_;
  Duration wall_ahead_;  // How far the wall clock is ahead of `clock_`.
  std::unique_ptr<scheduler::engine::Engine> engine_;
  scheduler::recording::RecordingEngine calls_;  // All changes of the engine go through this.
  std::unique_ptr<EventFilter> filter_;          // May be null.
  std::shared_ptr<WakeSignal> signal_;
  const std::shared_ptr<Heartbeat> heartbeat_ = std::make_shared<Heartbeat>();
  std::unique_ptr<Connection> connection_;
  std::atomic<bool> leads_;
  std::atomic<bool> drops_caches_ = false;
  std::vector<scheduler::engine::Event> events_;  // Of one step; a member to reuse its memory.
  size_t under_way_ = 0;                          // Writes without a result so far.
  DriverSnapshot counts_;
  mutable std::mutex mutex_;  // Guards the members below.
  std::shared_ptr<const DriverSnapshot> published_;
  std::vector<Visit*> visits_;
  bool runs_ = false;
  Duration grace_period_;
  std::thread thread_;
};

}  // namespace berth::runtime
