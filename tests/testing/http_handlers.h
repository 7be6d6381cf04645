// Request handlers and sources of streamed responses, for tests of the HTTP server.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "net/http_server.h"
#include "testing/await.h"
#include "testing/require.h"

namespace berth {

// Channel is the body of a streamed response that a test writes piece by piece, from any thread.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  // Returns its source; Write and End wake `exchange` from then on.
  std::unique_ptr<net::BodySource> Open(std::shared_ptr<net::Exchange> exchange) {
    const std::lock_guard lock(mutex_);
    exchange_ = std::move(exchange);
    return std::make_unique<Source>(shared_from_this());
  }

  void Write(std::string text) {
    Change([&] { texts_.push_back(std::move(text)); });
  }
  void End() {
    Change([&] { ended_ = true; });
  }

  // Waits until the source has been destroyed; fails the test if it is not.
  [[nodiscard]] bool WaitUntilGone() {
    std::unique_lock lock(mutex_);
    return Await(changed_, lock, [&] { return gone_; });
  }
  bool gone() const {
    const std::lock_guard lock(mutex_);
    return gone_;
  }
  // The number of times the source was read.
  size_t reads() const {
    const std::lock_guard lock(mutex_);
    return reads_;
  }

 private:
  class Source final : public net::BodySource {
   public:
    explicit Source(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
    ~Source() override {
      const std::lock_guard lock(channel_->mutex_);
      channel_->gone_ = true;
      channel_->exchange_.reset();
      channel_->changed_.notify_all();
    }
    State Read(size_t, std::vector<net::Piece>& out) override {
      const std::lock_guard lock(channel_->mutex_);
      ++channel_->reads_;
      while (!channel_->texts_.empty()) {
        const auto owner = std::make_shared<const std::string>(std::move(channel_->texts_.front()));
        channel_->texts_.pop_front();
        out.push_back({owner, *owner});
      }
      return channel_->ended_ ? State::kEnd : State::kWait;
    }

   private:
    const std::shared_ptr<Channel> channel_;
  };

  void Change(const auto& change) {
    std::shared_ptr<net::Exchange> exchange;
    {
      const std::lock_guard lock(mutex_);
      change();
      exchange = exchange_;
    }
    if (exchange) exchange->Wake();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<net::Exchange> exchange_;
  std::deque<std::string> texts_;
  bool ended_ = false;
  bool gone_ = false;
  size_t reads_ = 0;
};

// EndlessSource is an infinite body of the letter x. It counts the bytes that were read.
class EndlessSource final : public net::BodySource {
 public:
  explicit EndlessSource(std::shared_ptr<std::atomic<size_t>> taken) : taken_(std::move(taken)) {}
  State Read(size_t limit, std::vector<net::Piece>& out) override {
    const size_t size = std::min(limit, text_->size());
    out.push_back({text_, std::string_view(*text_).substr(0, size)});
    *taken_ += size;
    return State::kMore;
  }

 private:
  const std::shared_ptr<const std::string> text_ =
      std::make_shared<const std::string>(64 << 10, 'x');
  const std::shared_ptr<std::atomic<size_t>> taken_;
};

// Starts a server with `handler`.
inline std::unique_ptr<net::HttpServer> Serve(net::RequestHandler handler,
                                              net::ServerOptions options = {}) {
  return Require(net::HttpServer::Start(std::move(options), std::move(handler)));
}

// Responds with a summary of the request, such as "POST /x 3 abc": the body's size and first bytes.
inline void Echo(const std::shared_ptr<net::Exchange>& exchange) {
  const net::ServerRequest& request = exchange->request();
  exchange->Respond(net::ServerResponse::Text(200, "text/plain",
                                              request.method + " " + request.target + " " +
                                                  std::to_string(request.body.size()) + " " +
                                                  request.body.substr(0, 20)));
}

// Removes the Date headers, which differ each time.
inline std::string WithoutDate(std::string response) {
  for (size_t at = 0; (at = response.find("Date: ", at)) != std::string::npos;) {
    response.erase(at, response.find("\r\n", at) + 2 - at);
  }
  return response;
}

// The server's own error response, without the date.
inline std::string Refusal(const std::string& status, const std::string& text) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
         std::to_string(text.size() + 1) + "\r\nConnection: close\r\n\r\n" + text + "\n";
}

}  // namespace berth
