// Scheduler runs an engine on an API server over HTTP: informers on one thread, writes on another,
// the engine on a third.
//
// It watches the cluster from Start on, and schedules from Lead on. Functions may be called on any
// thread but its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "base/workers.h"
#include "client/client_config.h"
#include "client/informers.h"
#include "client/rest_client.h"
#include "net/event_loop.h"
#include "runtime/connection.h"
#include "runtime/engine_driver.h"
#include "runtime/event_writer.h"
#include "runtime/extender_calls.h"
#include "runtime/http_writer.h"
#include "runtime/shadow.h"

namespace berth::runtime {

struct SchedulerOptions {
  client::ClientConfig api;
  bool protobuf = false;  // For pods and nodes.
  scheduler::engine::EngineOptions engine;
  int parallelism = 1;
  std::string host = "berth";  // Names this process in events.
  scheduler::recording::RecordWriter* recording =
      nullptr;  // May be null, must outlive the scheduler otherwise.
  scheduler::engine::DecisionObserver* observer =
      nullptr;                               // Likewise; told of decisions on the engine's thread.
  client::RestObserver* requests = nullptr;  // Likewise; told of requests.
  // If given, nothing is decided: what another scheduler decides is judged, and told here, with the
  // time that it took, on the engine's thread.
  std::function<void(const Judgement&, Duration took)> shadow = {};
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

class Scheduler {
 public:
  // The error is about the configuration.
  static Result<std::unique_ptr<Scheduler>> Make(SchedulerOptions options,
                                                 const scheduler::framework::Registry& registry);
  ~Scheduler();  // Stops.

  // Begins to follow the cluster. `on_synced` is called once, on another thread, when everything
  // has been listed.
  void Start(std::function<void()> on_synced);

  // Decides from now on, as soon as all that was written before this call is known here: another
  // scheduler may have led until now.
  void Lead();

  // Ends what has begun, within `grace_period`, and then everything else.
  void Stop(Duration grace_period);

  bool synced() const { return synced_; }
  EngineDriver& driver() { return *driver_; }
  // For requests besides: not for watches.
  client::RestClient& requests() { return *writes_; }

 private:
  Scheduler() = default;
  Result<void> Connect(const SchedulerOptions& options);
  Result<void> MakeDriver(SchedulerOptions options, const scheduler::framework::Registry& registry);
  // Waits until all events are written, within `grace_period`.
  void FlushEvents(Duration grace_period);

  SystemClock clock_;
  // In the order in which they need each other.
  std::unique_ptr<ExtenderCalls> extenders_;
  std::unique_ptr<ThreadWorkers> workers_;
  std::unique_ptr<net::EventLoop> watch_loop_, write_loop_;
  std::unique_ptr<client::RestClient> watches_, writes_, event_writes_;
  std::unique_ptr<HttpWriter> api_writer_;
  std::unique_ptr<EventWriter> event_writer_;
  std::unique_ptr<EngineDriver> driver_;
  std::unique_ptr<client::Informers> informers_;
  std::shared_ptr<Mailbox> mailbox_;
  std::function<void()> on_synced_;
  std::atomic<bool> synced_ = false;
  bool judges_ = false;  // And decides nothing.
  bool started_ = false;
};

}  // namespace berth::runtime
