// Scheduler runs an engine on an API server over HTTP: informers on one thread, writes on another,
// the engine on a third.
//
// It watches the cluster after Start and schedules after Lead. Functions may be called on any
// thread but its own, in any order: after Stop, Start and Lead do nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "base/steady_clock.h"
#include "base/time.h"
#include "base/workers.h"
#include "client/client_config.h"
#include "client/rest_client.h"
#include "runtime/engine_driver.h"
#include "runtime/extender_calls.h"
#include "runtime/http_connection.h"
#include "runtime/shadow_judgement.h"
#include "runtime/write_fence.h"

namespace berth::runtime {

// The pointers may be null; they must outlive the scheduler otherwise.
struct SchedulerOptions {
  client::ClientConfig api;
  bool protobuf = false;   // For pods and nodes.
  bool watch_list = true;  // Lists by watches, where the server supports it.
  scheduler::engine::EngineOptions engine;
  int parallelism = 1;
  std::string host = "berth";  // Names this process in events.
  scheduler::recording::Recorder* recording = nullptr;
  EngineTap* tap = nullptr;  // Called on the engine's thread.
  client::RestObserver* requests = nullptr;
  // If set, nothing is scheduled: each decision of another scheduler is judged and reported to this
  // function, on the engine's thread.
  std::function<void(const Judgement&)> shadow = {};
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  const Clock* lease_clock = nullptr;  // Of SetLeaseEnd; null means the process's steady clock.
  // As in EngineDriverOptions.
  std::function<void(Duration took)> on_step = {};
  std::function<void(const std::string& reason)> on_failure = {};
  // Called on the watches' thread.
  client::CountUndecodable count_undecodable = [](std::string_view, size_t) {};
  client::CountSilentWatch count_silent_watch = [](std::string_view) {};
};

class Scheduler {
 public:
  // The error is about the configuration.
  static Result<std::unique_ptr<Scheduler>> Make(SchedulerOptions options,
                                                 const scheduler::framework::Registry& registry);
  // Uses `clients`, and ignores `options.api` and `options.requests`.
  static Result<std::unique_ptr<Scheduler>> MakeOn(ApiClients clients, SchedulerOptions options,
                                                   const scheduler::framework::Registry& registry);
  ~Scheduler();  // Stops.

  // Starts to watch the cluster. `on_synced` is called once, on another thread, when all
  // collections have been listed.
  void Start(std::function<void()> on_synced);

  // Starts scheduling as soon as everything that was written before this call has been read:
  // another scheduler may have been the leader until now.
  void Lead();
  // Stops scheduling until the next Lead, and cancels a Lead that has not taken effect. From now on
  // no write is sent; those that were not sent yet fail. Does not wait.
  void StopLeading();
  // No write is sent after `end` of the lease clock, until a later call moves it. Without a call
  // there is no end.
  void SetLeaseEnd(Instant end) { fence_->SetLeaseEnd(end); }

  // Stops leading, awaits the writes in flight for up to `grace_period`, cancels the rest and stops
  // everything: nothing is sent after it returns.
  void Stop(Duration grace_period);

  // The event loops of a scheduler, for a watchdog.
  enum class LoopName { kWatch, kWrite, kExtender };
  // Reports whether the loop runs; false for that of extenders if there are none. Any thread,
  // whatever the loops do.
  bool Runs(LoopName loop) const;
  // Runs `work` on the loop, if it runs.
  void PostTo(LoopName loop, std::function<void()> work);
  // As StopLeading, but waits for nothing, not even for a thread that is stuck: no write is sent
  // from now on.
  void CloseFence() { fence_->Close(); }

  bool synced() const { return synced_; }
  EngineDriver& driver() { return *driver_; }
  // For requests other than watches.
  client::RestClient& requests() { return connection_->requests(); }
  // What waits between the threads. Any thread.
  Mailbox::Backlog backlog() const { return connection_->backlog(); }
  const EventCounts& events() const { return connection_->event_counts(); }
  size_t writes_under_way() const { return connection_->writes_under_way(); }

 private:
  enum class State { kNew, kRunning, kStopped };

  Scheduler() = default;
  Result<void> MakeDriver(ApiClients clients, SchedulerOptions options,
                          const scheduler::framework::Registry& registry);

  SystemClock wall_clock_;
  SteadyClock steady_clock_;
  // Each depends on the ones above it.
  std::unique_ptr<WriteFence> fence_;
  std::unique_ptr<ExtenderCalls> extenders_;
  std::unique_ptr<ThreadWorkers> workers_;
  std::unique_ptr<EngineDriver> driver_;
  HttpConnection* connection_ = nullptr;  // Owned by the driver.
  std::atomic<bool> synced_ = false;
  std::atomic<bool> runs_ = false;  // Between Start and Stop.
  bool shadows_ = false;
  std::mutex mutex_;  // Guards the members below.
  State state_ = State::kNew;
  uint64_t term_ = 0;  // Counts the calls of Lead, StopLeading and Stop.
};

}  // namespace berth::runtime
