// ManualTimers are timers whose time moves when a test says so.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "client/rest_transport.h"
#include "client/timers.h"

namespace berth::client {

class ManualTimers final : public Timers {
 public:
  Instant Now() const override { return now_; }
  bool stopped() const override { return false; }
  void Post(Work work) override {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  TimerId After(Duration delay, Work work) override {
    const TimerId id = ++last_id_;
    waiting_[{now_ + delay, id}] = std::move(work);
    return id;
  }
  void Cancel(TimerId id) override {
    std::erase_if(waiting_, [&](const auto& entry) { return entry.first.second == id; });
  }

  // Runs what is posted, and what that posts.
  void Run() {
    while (true) {
      Work work;
      {
        const std::lock_guard lock(mutex_);
        if (posted_.empty()) return;
        work = std::move(posted_.front());
        posted_.pop_front();
      }
      work();
    }
  }

  // Moves on, stopping at each instant at which something is to be done.
  void Advance(Duration by) {
    const Instant end = now_ + by;
    Run();
    while (!waiting_.empty() && waiting_.begin()->first.first <= end) {
      auto entry = waiting_.extract(waiting_.begin());
      if (entry.key().first > now_) now_ = entry.key().first;
      entry.mapped()();
      Run();
    }
    now_ = end;
  }

 private:
  Instant now_ = Instant::FromUnixSeconds(1000);
  TimerId last_id_ = 0;
  std::map<std::pair<Instant, TimerId>, Work> waiting_;
  std::mutex mutex_;
  std::deque<Work> posted_;
};

// FakeTransport keeps the requests that a RestClient makes until a test answers them.
// The test's view, which outlives the client.
struct FakeServer {
  struct Pending {
    net::ClientRequest request;
    RestTransport::Callback callback;
    net::ResponseStream stream;
  };

  std::map<RestTransport::RequestId, Pending> pending;
  std::vector<net::ClientRequest> requests;  // All there were.
  std::vector<net::TlsOptions> tls;          // All that UseTls was given.
  std::string tls_error;                     // What UseTls says, unless empty.

  // Of the last request.
  std::string header(std::string_view name) const {
    return std::string(net::FindHeader(requests.back().headers, name));
  }

  // Answers the oldest request that waits.
  void Answer(int status, std::string body = "", std::vector<net::HttpHeader> headers = {}) {
    Pending oldest = Take();
    net::HttpResponse response{
        .status = status, .headers = std::move(headers), .body = std::move(body)};
    if (oldest.callback) return oldest.callback(std::move(response));
    oldest.stream.on_head(response.status, response.headers);
    if (!response.body.empty()) oldest.stream.on_data(response.body);
    oldest.stream.on_end({});
  }
  void Fail(net::HttpError::Kind kind, std::string message) {
    Pending oldest = Take();
    net::HttpError error{kind, std::move(message)};
    if (oldest.callback) return oldest.callback(std::unexpected(std::move(error)));
    oldest.stream.on_end(std::unexpected(std::move(error)));
  }
  Pending Take() {
    EXPECT_FALSE(pending.empty());
    if (pending.empty()) return {};
    return pending.extract(pending.begin()).mapped();
  }
};

class FakeTransport final : public RestTransport {
 public:
  explicit FakeTransport(FakeServer& server) : server_(server) {}

  RequestId Send(net::ClientRequest request, Callback callback) override {
    server_.requests.push_back(request);
    server_.pending[++last_id_] = {std::move(request), std::move(callback), {}};
    return last_id_;
  }
  RequestId Open(net::ClientRequest request, net::ResponseStream stream) override {
    server_.requests.push_back(request);
    server_.pending[++last_id_] = {std::move(request), {}, std::move(stream)};
    return last_id_;
  }
  Result<void> UseTls(net::TlsOptions tls) override {
    if (!server_.tls_error.empty()) return berth::Fail(server_.tls_error);
    server_.tls.push_back(std::move(tls));
    return {};
  }
  void Cancel(RequestId id) override { server_.pending.erase(id); }

 private:
  FakeServer& server_;
  RequestId last_id_ = 0;
};

}  // namespace berth::client
