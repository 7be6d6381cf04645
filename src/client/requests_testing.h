// Fakes for tests: requests that record what was asked and answer when they are told to, and timers
// on a clock that stands still.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "client/rest_client.h"
#include "client/timers.h"

namespace berth::client {

// Single quotes for double ones, so that JSON is easy to read in tests.
inline std::string Doc(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

class FakeRequests final : public Requests {
 public:
  struct Asked {
    RequestId id = 0;
    RestRequest request;
    RestClient::Callback callback;
    RestClient::Stream stream;
    bool cancelled = false;
  };

  RequestId Send(RestRequest request, RestClient::Callback callback) override {
    asked.push_back({++last_id_, std::move(request), std::move(callback), {}});
    return last_id_;
  }
  RequestId Open(RestRequest request, RestClient::Stream stream) override {
    asked.push_back({++last_id_, std::move(request), {}, std::move(stream)});
    return last_id_;
  }
  void Cancel(RequestId id) override {
    const auto found = std::ranges::find(asked, id, &Asked::id);
    if (found != asked.end()) found->cancelled = true;
  }

  // "GET /path" of each request since the last call.
  std::vector<std::string> Lines() {
    std::vector<std::string> lines;
    for (; told_ < asked.size(); ++told_) {
      lines.push_back(asked[told_].request.method + " " + asked[told_].request.path);
    }
    return lines;
  }
  Asked& last() { return asked.back(); }

  // These are about the last request.
  void Answer(int status, const std::string& body = "{}") {
    const auto callback = last().callback;
    callback(RestResponse{status, "application/json", Doc(body)});
  }
  void Break(RestError::Kind kind, const std::string& message = "broken") {
    const auto callback = last().callback;
    if (callback) return callback(std::unexpected(RestError{kind, message}));
    const auto stream = last().stream;
    stream.on_end(std::unexpected(RestError{kind, message}));
  }
  void Head(int status, std::string_view type = "application/json") {
    const auto stream = last().stream;
    stream.on_head(status, type);
  }
  void Data(const std::string& bytes) {
    const auto stream = last().stream;
    stream.on_data(bytes);
  }
  void End() {
    const auto stream = last().stream;
    stream.on_end({});
  }
  // A whole answer to a request that was opened.
  void Stream(int status, const std::string& body) {
    const auto stream = last().stream;
    stream.on_head(status, "application/json");
    stream.on_data(Doc(body));
    stream.on_end({});
  }

  std::deque<Asked> asked;

 private:
  RequestId last_id_ = 0;
  size_t told_ = 0;
};

class FakeTimers final : public Timers {
 public:
  Instant Now() const override { return clock_.Now(); }
  const Clock& clock() const { return clock_; }
  TimerId After(Duration delay, Work what) override {
    waiting_.push_back({++last_id_, Now() + delay, std::move(what)});
    return last_id_;
  }
  void Cancel(TimerId id) override {
    std::erase_if(waiting_, [&](const Waiting& one) { return one.id == id; });
  }
  void Post(Work what) override { After({}, std::move(what)); }
  bool stopped() const override { return false; }

  // Runs what is due by then, in order.
  void Pass(Duration time) {
    const Instant end = Now() + time;
    while (true) {
      const auto next = std::ranges::min_element(waiting_, {}, &Waiting::at);
      if (next == waiting_.end() || next->at > end) break;
      Waiting due = std::move(*next);
      waiting_.erase(next);
      clock_.Advance(std::max(due.at - Now(), Duration()));
      due.what();
    }
    clock_.Advance(end - Now());
  }
  size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    TimerId id;
    Instant at;
    Work what;
  };
  SimClock clock_{Instant::FromUnixSeconds(1'767'225'600)};  // 2026-01-01T00:00:00Z
  std::vector<Waiting> waiting_;
  TimerId last_id_ = 0;
};

}  // namespace berth::client
