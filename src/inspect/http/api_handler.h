// ApiHandler serves /berth/v1 over HTTP: requests on a thread of its own, and event streams.
//
// It serves every request: authentication and authorization come before it. A request that throws
// is a 500 and a line in the log.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "base/heartbeat.h"
#include "inspect/event_hub.h"
#include "inspect/inspector.h"
#include "net/http_server.h"

namespace berth::inspect::http {

class ApiHandler {
 public:
  // Requests that may wait: some seconds of work. More get 429.
  static constexpr size_t kMaxWaiting = 64;

  explicit ApiHandler(std::unique_ptr<Inspector> inspector);
  ~ApiHandler();  // Ends the current request and drops those that wait.
  ApiHandler(const ApiHandler&) = delete;
  ApiHandler& operator=(const ApiHandler&) = delete;

  // Responds to a request of a path below kRoot. Any thread; does not block.
  void Handle(const std::shared_ptr<net::Exchange>& exchange);

  // Of the thread that computes responses. Any thread.
  std::shared_ptr<const Heartbeat> heartbeat() const { return heartbeat_; }

 private:
  void Run();
  void Stream(const std::shared_ptr<net::Exchange>& exchange, const Request& request);

  struct Waiting {
    std::shared_ptr<net::Exchange> exchange;
    Request request;
  };
  Response Compute(const Waiting& waiting);

  const std::unique_ptr<Inspector> inspector_;
  const std::shared_ptr<Heartbeat> heartbeat_ = std::make_shared<Heartbeat>();
  EventHub events_{*inspector_};
  std::mutex mutex_;  // Guards the members below.
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  bool stop_ = false;
  std::thread thread_;
};

// Returns the response of the API as one of HTTP.
net::ServerResponse ToHttp(Response response);

}  // namespace berth::inspect::http
