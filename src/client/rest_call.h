// TokenBucket says when the next request may go: as many as `burst` at once, then `qps` a second,
// as client-go's flow control has it. Full at the start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "client/rest_client.h"
#include "client/rest_transport.h"
#include "client/timers.h"
#include "net/http_message.h"

namespace berth::client {

class TokenBucket {
 public:
  // `qps` and `burst` must be positive.
  TokenBucket(double qps, int burst, Instant now);

  // 0 if a request may go now; a token is taken for it. Otherwise the time until one may.
  Duration Take(Instant now);

 private:
  const double qps_;
  const double burst_;
  double tokens_;
  Instant last_;
};

// RestCall is one request of a RestClient on its way: what it wants, and what it has seen so far.
struct RestCall {
  RestClient::RequestId id = 0;
  RestRequest request;
  // One of the two.
  RestClient::Callback callback;
  std::optional<RestClient::Stream> stream;

  Instant begun;
  Instant waits_since;  // For its turn.
  int tries = 0;
  bool asked_again = false;  // With a second credential.
  Credential credential;     // Of the last try.
  RestTransport::RequestId sent = 0;
  Timers::TimerId timer = 0;
  bool streaming = false;  // The head of the stream has come.
  // The answer to a stream that is not one: collected, to be judged at its end.
  std::optional<net::HttpResponse> refusal;

  // Tells the caller; once, last.
  void Finish(RestResult<RestResponse> result);
};

// What the server asks for: nothing unless it is a 429 or 5xx with Retry-After in seconds.
std::optional<Duration> RetryAfterOf(const net::HttpResponse& response);

RestError ToRestError(net::HttpError error);
RestResponse ToRestAnswer(net::HttpResponse response);

// The request as it goes out: where to, as whom and in which language.
net::ClientRequest ToClientRequest(const RestRequest& request, const ClientConfig& config,
                                   const Credential& credential);

}  // namespace berth::client
