// FakeApiServer is an API server for tests: it records the requests of RestClients until the test
// responds to them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/rest_client.h"
#include "net/executor_testing.h"
#include "net/http_client.h"

namespace berth::client {

// Returns `text` with double quotes for single ones, for readable JSON in tests.
inline std::string Doc(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

struct FakeRequest {
  net::HttpClient::RequestId id = 0;
  Instant sent;
  std::string method;
  std::string url;
  std::string path;  // The URL without the server.
  std::vector<net::HttpHeader> headers;
  std::string body;
  Duration timeout;
  Duration silence_limit;
  net::HttpClient::Callback callback;
  net::ResponseStream stream;
  bool cancelled = false;
  bool ended = false;

  std::string header(std::string_view name) const {
    return std::string(net::FindHeader(headers, name));
  }
};

// Requests are sent, and callbacks called, at once on the test's thread; work that clients post
// runs in `executor.Run()`.
class FakeApiServer {
 public:
  using Headers = std::vector<net::HttpHeader>;
  static constexpr std::string_view kServer = "https://h";

  FakeApiServer() {
    ClientConfig config;
    config.qps = -1;
    client_ = MakeClient(std::move(config));
  }

  // Returns a client without credentials and rate limit.
  RestClient& client() { return *client_; }
  // Creates a client, which must not outlive the server.
  std::unique_ptr<RestClient> MakeClient(ClientConfig config, RestObserver* observer = nullptr) {
    if (config.server.empty()) config.server = kServer;
    auto client =
        RestClient::CreateOn(executor, std::make_unique<Http>(*this), std::move(config), observer);
    EXPECT_TRUE(client.has_value()) << client.error().message;
    return *std::move(client);
  }

  FakeRequest& last() { return requests.back(); }
  // Returns "GET /path" of each request since the last call.
  std::vector<std::string> Lines() {
    std::vector<std::string> lines;
    for (; listed_ < requests.size(); ++listed_) {
      lines.push_back(requests[listed_].method + " " + requests[listed_].path);
    }
    return lines;
  }
  size_t pending() const {
    return static_cast<size_t>(std::ranges::count_if(
        requests, [](const FakeRequest& one) { return !one.cancelled && !one.ended; }));
  }

  // --- responses to the last request ---

  void Respond(int status, std::string body = "{}", Headers headers = Json()) {
    RespondTo(last(), Response(status, std::move(body), std::move(headers)));
  }
  void Break(net::HttpError::Kind kind, std::string message = "broken") {
    RespondTo(last(), std::unexpected(net::HttpError{kind, std::move(message)}));
  }
  // Sends a stream piece by piece.
  void Head(int status, std::string type = "application/json") {
    const auto on_head = last().stream.on_head;
    on_head(status, {{"Content-Type", std::move(type)}});
  }
  void Data(const std::string& bytes) {
    const auto on_data = last().stream.on_data;
    on_data(bytes);
  }
  void End() {
    last().ended = true;
    const auto on_end = last().stream.on_end;
    on_end({});
  }

  // --- responses to others ---

  // Responds to the oldest pending request.
  void RespondToOldest(int status, std::string body = "", Headers headers = Json()) {
    RespondTo(oldest(), Response(status, std::move(body), std::move(headers)));
  }
  FakeRequest& oldest() {
    const auto found = std::ranges::find_if(
        requests, [](const FakeRequest& one) { return !one.cancelled && !one.ended; });
    EXPECT_NE(found, requests.end());
    return *found;
  }
  // Responds to `request`; streams get the whole body at once.
  static void RespondTo(FakeRequest& request, net::HttpResult<net::HttpResponse> response) {
    request.ended = true;
    // The callback may send further requests.
    const auto callback = request.callback;
    const auto stream = request.stream;
    if (callback) return callback(std::move(response));
    if (!response) return stream.on_end(std::unexpected(std::move(response).error()));
    stream.on_head(response->status, response->headers);
    if (!response->body.empty()) stream.on_data(response->body);
    stream.on_end({});
  }
  static net::HttpResponse Response(int status, std::string body, Headers headers = Json()) {
    return {.status = status, .headers = std::move(headers), .body = Doc(std::move(body))};
  }
  static Headers Json() { return {{"Content-Type", "application/json"}}; }

  // The executor of all clients. Declared before the clients, which use it.
  net::ManualExecutor executor;
  std::deque<FakeRequest> requests;  // All requests so far.
  // If set, responds to each Send, in executor.Run().
  std::function<net::HttpResult<net::HttpResponse>(const FakeRequest&)> responder;
  std::vector<net::TlsOptions> tls;  // The arguments of UseTls.
  std::string tls_error;             // The error of UseTls, unless empty.

 private:
  class Http final : public net::HttpClient {
   public:
    explicit Http(FakeApiServer& server) : server_(server) {}

    RequestId Send(net::ClientRequest request, Callback callback) override {
      if (request.may_send && !request.may_send()) {
        server_.executor.Post([callback = std::move(callback)] {
          callback(std::unexpected(net::HttpError{net::HttpError::Kind::kCancelled, "not sent"}));
        });
        return ++server_.last_id_;
      }
      FakeRequest& added = Add(std::move(request));
      added.callback = std::move(callback);
      if (server_.responder) {
        server_.executor.Post([&server = server_, &added] {
          if (!added.cancelled) RespondTo(added, server.responder(added));
        });
      }
      return added.id;
    }
    RequestId Open(net::ClientRequest request, net::ResponseStream stream) override {
      FakeRequest& added = Add(std::move(request));
      added.stream = std::move(stream);
      return added.id;
    }
    Result<void> UseTls(net::TlsOptions options) override {
      if (!server_.tls_error.empty()) return Fail(server_.tls_error);
      server_.tls.push_back(std::move(options));
      return {};
    }
    void Cancel(RequestId id) override {
      const auto found = std::ranges::find(server_.requests, id, &FakeRequest::id);
      if (found != server_.requests.end()) found->cancelled = true;
    }

   private:
    FakeRequest& Add(net::ClientRequest request) {
      FakeRequest added;
      added.id = ++server_.last_id_;
      added.sent = server_.executor.Now();
      added.method = std::move(request.method);
      added.path = request.url.substr(request.url.find('/', request.url.find("//") + 2));
      added.url = std::move(request.url);
      added.headers = std::move(request.headers);
      added.body = std::move(request.body);
      added.timeout = request.timeout;
      added.silence_limit = request.silence_limit;
      server_.requests.push_back(std::move(added));
      return server_.requests.back();
    }

    FakeApiServer& server_;
  };

  net::HttpClient::RequestId last_id_ = 0;
  size_t listed_ = 0;
  std::unique_ptr<RestClient> client_;
};

}  // namespace berth::client
