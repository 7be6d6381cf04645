// HTTP requests for tests, and ways to wait for their results.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "net/http_client.h"
#include "testing/await.h"

namespace berth {

inline std::string KindOf(const net::HttpError& error) {
  using Kind = net::HttpError::Kind;
  switch (error.kind) {
    case Kind::kUnreachable:
      return "unreachable";
    case Kind::kTls:
      return "tls";
    case Kind::kTimeout:
      return "timeout";
    case Kind::kBroken:
      return "broken";
    case Kind::kCredentials:
      return "credentials";
    case Kind::kCancelled:
      return "cancelled";
  }
  return "?";
}

// "200 body", or the kind of the error and what follows the request's name:
// "broken: the stream was reset".
inline std::string Summary(const net::HttpResult<net::HttpResponse>& result) {
  if (result) return std::to_string(result->status) + " " + result->body;
  const std::string& message = result.error().message;
  const size_t url = message.find("://");
  const size_t end = url == message.npos ? message.npos : message.find(": ", url);
  return KindOf(result.error()) + (end == message.npos ? ": " + message : message.substr(end));
}

// HttpFuture is the result of a request. get() reports a failure after 30 seconds instead of
// waiting for ever; any thread may call it.
class HttpFuture {
 public:
  using Result = net::HttpResult<net::HttpResponse>;

  explicit HttpFuture(std::future<Result> future) : future_(std::move(future)) {}

  Result get() {
    if (future_.wait_for(kAwaitLimit) == std::future_status::ready) return future_.get();
    ADD_FAILURE() << "no result within 30 seconds";
    return std::unexpected(
        net::HttpError{net::HttpError::Kind::kTimeout, "no result within 30 seconds"});
  }

 private:
  std::future<Result> future_;
};

// Starts a request.
inline HttpFuture SendRequest(net::HttpClient& client, net::ClientRequest request,
                              net::HttpClient::RequestId* id = nullptr) {
  auto promise = std::make_shared<std::promise<HttpFuture::Result>>();
  HttpFuture future(promise->get_future());
  const auto given = client.Send(std::move(request),
                                 [promise](auto result) { promise->set_value(std::move(result)); });
  if (id != nullptr) *id = given;
  return future;
}

inline HttpFuture Get(net::HttpClient& client, const std::string& url) {
  net::ClientRequest request;
  request.url = url;
  return SendRequest(client, std::move(request));
}

// What was received of a streamed response so far. Any thread may use it.
class StreamLog : public std::enable_shared_from_this<StreamLog> {
 public:
  net::ResponseStream Callbacks() {
    const auto self = shared_from_this();
    return {
        .on_head = [self](int status, const auto&) { self->Note(std::to_string(status) + " "); },
        .on_data = [self](std::string_view bytes) { self->Note(std::string(bytes)); },
        .on_end =
            [self](const net::HttpResult<void>& result) {
              self->Note(result ? "|end" : "|" + KindOf(result.error()));
            }};
  }

  // Waits until the text is that: the status, the data and, behind a bar, the end.
  void Await(const std::string& text) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kAwaitLimit, [&] { return text_ == text; });
    EXPECT_EQ(text_, text);
  }

 private:
  void Note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    text_ += text;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

inline std::shared_ptr<StreamLog> OpenStream(net::HttpClient& client, const std::string& url,
                                             net::HttpClient::RequestId* id = nullptr) {
  auto log = std::make_shared<StreamLog>();
  net::ClientRequest request;
  request.url = url;
  const auto given = client.Open(std::move(request), log->Callbacks());
  if (id != nullptr) *id = given;
  return log;
}

}  // namespace berth
