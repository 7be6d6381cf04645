// RestObserver hears what a RestClient does: the source of the rest_client_* metrics.
//
// Called on the loop's thread; must not block. `host` is the server's: "10.0.0.1:6443".
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "client/client_config.h"
#include "net/event_loop.h"
#include "net/http_client.h"

namespace berth::client {

class RestObserver {
 public:
  virtual ~RestObserver() = default;

  // One try is over: its status, or 0 if there was no answer (code "<error>").
  virtual void Tried(std::string_view method, std::string_view host, int code) = 0;
  // It is tried again because of that status.
  virtual void Retried(std::string_view method, std::string_view host, int code) = 0;
  // A request is over, waiting and all tries included. Streams are not told.
  virtual void Finished(std::string_view method, std::string_view host, Duration took) = 0;
  // How long a try had to wait for its turn. Not called where there is no limit.
  virtual void Waited(std::string_view method, std::string_view host, Duration time) = 0;
  // The bodies of a try; streams tell what they send only.
  virtual void Sent(std::string_view method, std::string_view host, size_t bytes) = 0;
  virtual void Received(std::string_view method, std::string_view host, size_t bytes) = 0;
};

// RestClient makes requests to one Kubernetes API server: as somebody, no faster than allowed, and
// again when the server asks for patience.
//
// Functions may be called on any thread; callbacks come on the loop's and must not block. Watches
// have a RestClient of their own, so that they share no connection with writes.
class RestObserver;
class RestTransport;
class Timers;

struct RestRequest {
  std::string method = "GET";
  std::string path;  // With the query: "/api/v1/pods?limit=500".
  std::string body;
  std::string content_type;  // Of the body.
  std::string accept = "application/json";
  Duration timeout = Duration::Seconds(30);  // Of each try; 0 for none.
};

struct RestResponse {
  int status = 0;
  std::string content_type;
  std::string body;

  bool ok() const { return status >= 200 && status < 300; }
};

// Why there is no answer. What the server answered, whatever its status, is an answer.
struct RestError {
  enum class Kind {
    kUnreachable,  // No connection, or it broke before the request was sent.
    kBroken,       // The connection broke after that: the server may have done it.
    kTimeout,      // Likewise.
    kTls,          // The server's certificate, or ours, was refused.
    kCredentials,  // There is no credential to send.
    kCancelled,
  };
  Kind kind = Kind::kUnreachable;
  std::string message;
};

template <typename T>
using RestResult = std::expected<T, RestError>;

class RestClient {
 public:
  using RequestId = uint64_t;
  using Callback = std::function<void(RestResult<RestResponse>)>;

  struct Stream {
    // The status and content type. A status that is not 2xx comes with its body and the end.
    std::function<void(int status, std::string_view content_type)> on_head;
    std::function<void(std::string_view bytes)> on_data;
    std::function<void(RestResult<void>)> on_end;  // Once, last.
  };

  // `loop` and `observer`, which may be null, must outlive the client. The error is about the
  // configuration.
  static Result<std::unique_ptr<RestClient>> Create(net::EventLoop& loop, ClientConfig config,
                                                    RestObserver* observer = nullptr);
  // On other means than a loop and its network: callbacks come where `timers` run work.
  static Result<std::unique_ptr<RestClient>> CreateOn(std::shared_ptr<Timers> timers,
                                                      std::unique_ptr<RestTransport> transport,
                                                      ClientConfig config,
                                                      RestObserver* observer = nullptr);
  ~RestClient();  // Cancels what is under way; callbacks are still called, on the loop.
  RestClient(const RestClient&) = delete;
  RestClient& operator=(const RestClient&) = delete;

  // Waits for its turn (qps and burst), sends, and calls back once, never from within. 429 and 5xx
  // with Retry-After are tried again after the time that the server asks for, up to ten times; if
  // it asks for more than a minute, they are the answer. A 401 is tried again once, with a fresh
  // credential, if there is another. Requests that could not be sent are not repeated: callers
  // know whether that makes sense.
  RequestId Send(RestRequest request, Callback callback);

  // For watches: takes its turn, too, and has no time-out of its own beyond the request's.
  RequestId Open(RestRequest request, Stream stream);

  void Cancel(RequestId id);

  const ClientConfig& config() const;

 private:
  class Parts;
  explicit RestClient(std::shared_ptr<Parts> parts);
  std::shared_ptr<Parts> parts_;
};

// Requests is what informers and writers need of a RestClient, so that tests can stand in for the
// server.
class Requests {
 public:
  using RequestId = RestClient::RequestId;

  virtual ~Requests() = default;
  // As of RestClient. Callbacks come on the thread that the caller's other callbacks come on.
  virtual RequestId Send(RestRequest request, RestClient::Callback callback) = 0;
  virtual RequestId Open(RestRequest request, RestClient::Stream stream) = 0;
  virtual void Cancel(RequestId id) = 0;
};

// RestRequests are the Requests of a RestClient.
class RestRequests final : public Requests {
 public:
  // `client` must outlive it.
  explicit RestRequests(RestClient& client) : client_(client) {}

  RequestId Send(RestRequest request, RestClient::Callback callback) override;
  RequestId Open(RestRequest request, RestClient::Stream stream) override;
  void Cancel(RequestId id) override;

 private:
  RestClient& client_;
};

}  // namespace berth::client
