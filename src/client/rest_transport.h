// RestTransport carries single requests to the server: net::HttpClient does, and tests have
// another.
//
// As HttpClient: functions from any thread, callbacks on the loop's and never from within.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "client/client_config.h"
#include "net/event_loop.h"
#include "net/http_client.h"

namespace berth::client {

class RestTransport {
 public:
  using RequestId = uint64_t;
  using Callback = std::function<void(net::HttpResult<net::HttpResponse>)>;

  virtual ~RestTransport() = default;
  virtual RequestId Send(net::ClientRequest request, Callback callback) = 0;
  virtual RequestId Open(net::ClientRequest request, net::ResponseStream stream) = 0;
  virtual Result<void> UseTls(net::TlsOptions tls) = 0;
  virtual void Cancel(RequestId id) = 0;
};

// The transport of real clients: an HttpClient with HTTP/2.
// `loop` must outlive it. The error is about the TLS options.
Result<std::unique_ptr<RestTransport>> MakeHttpTransport(net::EventLoop& loop,
                                                         const ClientConfig& config);

}  // namespace berth::client
