// Scheduler runs an engine on an API server over HTTP: informers on one thread, writes on another,
// the engine on a third.
//
// It follows the cluster from Start on, and decides from Lead on. Functions may be called on any
// thread but its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/thread_workers.h"
#include "base/time.h"
#include "client/api_writer.h"
#include "client/client_config.h"
#include "client/event_writer.h"
#include "client/informers.h"
#include "client/loop_timers.h"
#include "client/rest_client.h"
#include "client/rest_observer.h"
#include "client/rest_requests.h"
#include "driver/engine_driver.h"
#include "driver/mailbox.h"
#include "driver/shadow.h"
#include "net/event_loop.h"
#include "net/extender_calls.h"

namespace berth::daemon {

struct SchedulerOptions {
  client::ClientConfig api;
  bool protobuf = false;  // For pods and nodes.
  EngineOptions engine;
  int parallelism = 1;
  std::string host = "berth";                // Names this process in events.
  RecordWriter* recording = nullptr;         // May be null, must outlive the scheduler otherwise.
  DecisionObserver* observer = nullptr;      // Likewise; told of decisions on the engine's thread.
  client::RestObserver* requests = nullptr;  // Likewise; told of requests.
  // If given, nothing is decided: what another scheduler decides is judged, and told here, with the
  // time that it took, on the engine's thread.
  std::function<void(const driver::Judgement&, Duration took)> shadow = {};
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

class Scheduler {
 public:
  // The error is about the configuration.
  static Result<std::unique_ptr<Scheduler>> Make(SchedulerOptions options,
                                                 const Registry& registry);
  ~Scheduler();  // Stops.

  // Begins to follow the cluster. `on_synced` is called once, on another thread, when everything
  // has been listed.
  void Start(std::function<void()> on_synced);

  // Decides from now on, as soon as all that was written before this call is known here: another
  // scheduler may have led until now.
  void Lead();

  // Ends what has begun, within `patience`, and then everything else.
  void Stop(Duration patience);

  bool synced() const { return synced_; }
  driver::EngineDriver& driver() { return *driver_; }
  // For requests besides: not for watches.
  client::RestClient& requests() { return *writes_; }
  client::Timers& timers() { return *write_timers_; }

 private:
  Scheduler() = default;
  Result<void> Connect(const SchedulerOptions& options);
  Result<void> MakeDriver(SchedulerOptions options, const Registry& registry);
  // Waits until all events are written, within `patience`.
  void FlushEvents(Duration patience);

  SystemClock clock_;
  // In the order in which they need each other.
  std::unique_ptr<net::ExtenderCalls> extenders_;
  std::unique_ptr<ThreadWorkers> workers_;
  std::unique_ptr<net::EventLoop> watch_loop_, write_loop_;
  std::unique_ptr<client::LoopTimers> watch_timers_, write_timers_;
  std::unique_ptr<client::RestClient> watches_, writes_, event_writes_;
  std::unique_ptr<client::RestRequests> watch_requests_, write_requests_, event_requests_;
  std::unique_ptr<client::ApiWriter> api_writer_;
  std::unique_ptr<client::EventWriter> event_writer_;
  std::unique_ptr<driver::EngineDriver> driver_;
  std::unique_ptr<client::Informers> informers_;
  std::shared_ptr<driver::Mailbox> mailbox_;
  std::function<void()> on_synced_;
  std::atomic<bool> synced_ = false;
  bool judges_ = false;  // And decides nothing.
  bool started_ = false;
};

}  // namespace berth::daemon
