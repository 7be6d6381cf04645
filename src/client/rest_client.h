// RestClient sends requests to one Kubernetes API server: with credentials, within the rate limit,
// and again when the server responds with Retry-After.
//
// Functions may be called on any thread; callbacks run on the executor's and must not block.
// Watches use a separate RestClient, so that they share no connection with writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "client/client_config.h"
#include "net/event_loop.h"
#include "net/executor.h"
#include "net/http_client.h"

namespace berth::client {

// RestObserver is notified of the requests of a RestClient: the source of the rest_client_*
// metrics.
//
// Called on the executor's thread; must not block. `host` is the server's: "10.0.0.1:6443".
class RestObserver {
 public:
  virtual ~RestObserver() = default;

  // One attempt has ended: with a status, or 0 if there was no response (code "<error>").
  virtual void Tried(std::string_view method, std::string_view host, int code) = 0;
  // The request is sent again because of that status.
  virtual void Retried(std::string_view method, std::string_view host, int code) = 0;
  // A request has ended, including waits and all attempts. Not called for streams.
  virtual void Finished(std::string_view method, std::string_view host, Duration took) = 0;
  // The rate limiter delayed an attempt by `time`. Not called without a limit.
  virtual void Waited(std::string_view method, std::string_view host, Duration time) = 0;
  // The body sizes of an attempt; for streams, only of the request.
  virtual void Sent(std::string_view method, std::string_view host, size_t bytes) = 0;
  virtual void Received(std::string_view method, std::string_view host, size_t bytes) = 0;
};

// A longer response is an error, compressed or not. Lists at version 0 are not paged: this is one
// of 150,000 pods of 7 KB.
inline constexpr size_t kMaxResponseBytes = size_t{1} << 30;

struct RestCall;

struct RestRequest {
  std::string method = "GET";
  std::string path;  // With the query: "/api/v1/pods?limit=500".
  std::string body;
  std::string content_type;  // Of the body.
  std::string accept = "application/json";
  Duration timeout = Duration::Seconds(30);  // Of each attempt; 0 means none.
  Duration silence_limit = {};               // As in net::ClientRequest.
  // If set, called on the executor's thread before each attempt is sent (net::ClientRequest).
  std::function<bool()> may_send = {};
};

class RestClient {
 public:
  using RequestId = uint64_t;
  using Callback = net::HttpClient::Callback;

  // `loop` and `observer`, which may be null, must outlive the client. The error is about the
  // configuration.
  static Result<std::unique_ptr<RestClient>> Create(net::EventLoop& loop, ClientConfig config,
                                                    RestObserver* observer = nullptr);
  // Creates a client that sends through `http`, whose callbacks must run on `executor`, which must
  // outlive the client.
  static Result<std::unique_ptr<RestClient>> CreateOn(net::Executor& executor,
                                                      std::unique_ptr<net::HttpClient> http,
                                                      ClientConfig config,
                                                      RestObserver* observer = nullptr);
  ~RestClient();  // Cancels pending requests; callbacks are still called, on the executor.
  RestClient(const RestClient&) = delete;
  RestClient& operator=(const RestClient&) = delete;

  // Waits for the rate limiter (qps and burst), sends, and calls back once, never before Send
  // returns. 429 and 5xx with Retry-After are sent again after that time, up to ten times, unless
  // it is longer than a minute. A 401 is sent again once with a fresh credential, if there is
  // another. Requests that could not be sent are not repeated: the caller decides whether to.
  RequestId Send(RestRequest request, Callback callback);

  // Opens a watch; rate-limited, too. A response that is not 2xx is passed with its body at the
  // end.
  RequestId Open(RestRequest request, net::ResponseStream stream);

  // Ends the request with kCancelled, unless it has ended before.
  void Cancel(RequestId id);
  // Cancels the requests that wait: for the rate limiter, a credential or the next attempt.
  void CancelWaiting();
  void CancelAll();

  const ClientConfig& config() const;

 private:
  class Parts;
  explicit RestClient(std::shared_ptr<Parts> parts);
  RequestId Start(const std::shared_ptr<RestCall>& call);
  std::shared_ptr<Parts> parts_;
};

// Sends a request and blocks until it ends; not on the executor's thread.
net::HttpResult<net::HttpResponse> SendAndWait(RestClient& client, const RestRequest& request);
// Sends a GET request and blocks until it ends; not on the executor's thread. Returns the body of a
// 2xx response; the error is one sentence that names the request.
Result<std::string> GetAndWait(RestClient& client, const std::string& path);
// Likewise; returns nullopt if the server has no such object or resource (404).
Result<std::optional<std::string>> GetIfFound(RestClient& client, const std::string& path);

}  // namespace berth::client
