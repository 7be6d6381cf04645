// The transport of real clients: an HttpClient with HTTP/2.
#pragma once

#include <memory>

#include "client/client_config.h"
#include "client/rest_transport.h"
#include "net/event_loop.h"

namespace berth::client {

// `loop` must outlive it. The error is about the TLS options.
Result<std::unique_ptr<RestTransport>> MakeHttpTransport(net::EventLoop& loop,
                                                         const ClientConfig& config);

}  // namespace berth::client
