// The parts of RestClient: the rate limiter, the state of a pending request, and its HTTP form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "client/rest_client.h"
#include "net/executor.h"
#include "net/http_message.h"

namespace berth::client {

// TokenBucket is client-go's rate limiter: `burst` requests at once, then `qps` per second. It
// starts full.
class TokenBucket {
 public:
  // `qps` and `burst` must be positive.
  TokenBucket(double qps, int burst, Instant now);

  // Takes a token and returns 0 if one is available; otherwise returns the time until one is.
  Duration Take(Instant now);

 private:
  const double qps_;
  const double burst_;
  double tokens_;
  Instant last_;
};

// RestCall is one pending request of a RestClient.
struct RestCall {
  RestClient::RequestId id = 0;
  RestRequest request;
  // Exactly one of the two is set.
  RestClient::Callback callback;
  std::optional<net::ResponseStream> stream;

  Instant begun;
  Instant waits_since;  // Start of the wait for the rate limiter.
  int tries = 0;
  bool asked_again = false;  // The request was repeated with a second credential.
  Credential credential;     // Of the last attempt.
  net::HttpClient::RequestId sent = 0;
  net::Executor::TimerId timer = 0;
  bool streaming = false;  // The head of a 2xx stream has arrived.
  // A response that is not 2xx to a request with a stream: collected until its end.
  std::optional<net::HttpResponse> refusal;

  // Calls the caller back; called once, last.
  void Finish(net::HttpResult<net::HttpResponse> result);
};

// Returns the Retry-After of a 429 or 5xx, if it has one in seconds.
std::optional<Duration> RetryAfterOf(const net::HttpResponse& response);

// Returns the request with the server's URL, the credential and all headers.
net::ClientRequest ToClientRequest(const RestRequest& request, const ClientConfig& config,
                                   const Credential& credential);

}  // namespace berth::client
