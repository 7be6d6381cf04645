// HttpConnection connects an engine with an API server over HTTP. It owns everything between the
// driver's thread and the sockets: informers post changes to its mailbox on one event loop, and
// writes go out on another.
//
// A write takes one post, from the driver's thread to the write loop; the code after it
// (HttpWriter, RestClient, HttpClient) runs inline there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/client_config.h"
#include "client/informers.h"
#include "client/rest_client.h"
#include "net/event_loop.h"
#include "net/executor.h"
#include "runtime/connection.h"
#include "runtime/event_writer.h"
#include "runtime/extender_calls.h"
#include "runtime/http_writer.h"
#include "runtime/write_fence.h"
#include "scheduler/model/features.h"

namespace berth::runtime {

// ApiClients are the clients of one API server and the threads that they run on. Watches, writes
// and events have connections and rate limits of their own.
struct ApiClients {
  // Creates the clients with two loops, which HttpConnection starts. `observer` may be null and
  // must outlive the clients otherwise. The error is about the configuration.
  static Result<ApiClients> Make(const client::ClientConfig& config,
                                 client::RestObserver* observer);

  std::unique_ptr<net::EventLoop> watch_loop, write_loop;  // Null if the executors already run.
  net::Executor* watch_executor = nullptr;
  net::Executor* write_executor = nullptr;
  std::unique_ptr<client::RestClient> watches, writes, event_writes;
};

struct HttpConnectionOptions {
  bool protobuf = false;   // For pods and nodes.
  bool watch_list = true;  // As in client::ReflectorOptions.
  bool raw_json = false;   // Retains the raw JSON of pods and nodes, for extenders.
  scheduler::model::Features features = {};  // Which resources are watched depends on them.
  uint64_t seed = 1;
  std::string host = "berth";  // Names this process in events.
  client::Warn warn = [](const std::string&) {};
  client::CountUndecodable count_undecodable = [](std::string_view, size_t) {};
  client::CountSilentWatch count_silent_watch = [](std::string_view) {};
};

class HttpConnection final : public Connection {
 public:
  // `extenders`, `fence` and `wall_clock` must outlive the connection. `wake` is as in
  // EngineDriver::Connect.
  HttpConnection(ApiClients clients, const HttpConnectionOptions& options, ExtenderCalls& extenders,
                 const WriteFence& fence, const Clock& wall_clock, std::function<void()> wake);
  ~HttpConnection() override;  // Stops.

  // --- from any thread but the loops' ---

  // Starts the watches and the writes. `on_synced` is called once, on the watch loop, when all
  // collections have been listed. Call it at most once, and not after Stop.
  void Start(std::function<void()> on_synced);
  // Lists the collections that a scheduler writes again, and calls `done` on the watch loop when
  // the mailbox has everything that was written before this call; never, if stopped before.
  void Refresh(std::function<void()> done);
  // Ends the writes that wait for something other than the server, as failed; called when the fence
  // is closed, which would stop them one by one.
  void CancelWaitingWrites() { clients_.writes->CancelWaiting(); }
  // Ends the watches, writes the queued events within `grace_period`, and cancels other writes:
  // nothing is sent after it returns. The driver must have stopped.
  void Stop(Duration grace_period);

  // For requests other than watches.
  client::RestClient& requests() { return *clients_.writes; }
  // What becomes of events, and what waits for the driver. Any thread.
  const EventCounts& event_counts() const { return *event_counts_; }
  Mailbox::Backlog backlog() const { return mailbox_->backlog(); }
  // Writes that were sent and have no result yet. Any thread.
  size_t writes_under_way() const { return counts_->under_way; }
  net::Executor& watch_executor() { return watch_; }
  net::Executor& write_executor() { return write_; }

  // --- on the driver's thread ---

  bool Read(std::vector<scheduler::engine::Event>& events) override {
    return mailbox_->Take(events);
  }
  size_t capacity() const override;
  void Execute(scheduler::engine::Command command) override;
  bool DoIdleWork(bool) override { return false; }
  void Count(DriverSnapshot& snapshot) const override;

 private:
  // Shared with writes in flight, which may end after the connection is destroyed.
  struct Counts {
    std::atomic<size_t> under_way = 0;
    std::atomic<uint64_t> binds = 0, refused_binds = 0, evictions = 0;

    void Note(const scheduler::framework::ApiWrite& write,
              const scheduler::framework::WriteResult& result);
  };

  // Waits until all events are written, within `grace_period`.
  void FlushEvents(Duration grace_period);

  ApiClients clients_;
  net::Executor& watch_;
  net::Executor& write_;
  const WriteFence& fence_;
  const scheduler::model::Features features_;
  ExtenderCalls& extenders_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
  const std::shared_ptr<EventCounts> event_counts_ = std::make_shared<EventCounts>();
  bool started_ = false;
  std::function<void()> on_synced_;
  // On the write loop; null after Stop.
  std::unique_ptr<HttpWriter> writer_;
  std::unique_ptr<EventWriter> event_writer_;
  // On the watch loop; null after Stop.
  std::unique_ptr<client::Informers> informers_;
};

}  // namespace berth::runtime
