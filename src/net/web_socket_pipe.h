// A WebSocket pipe is a socket of this process whose bytes travel as messages of a WebSocket
// connection (RFC 6455) to a server: what is written to the socket is sent, what arrives can be
// read from it. Protocols that work on sockets so pass through servers that only speak HTTP.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/event_loop.h"
#include "net/http_client.h"
#include "net/tls.h"

namespace berth::net {

// A longer message ends the connection.
inline constexpr size_t kMaxWebSocketMessage = size_t{1} << 20;

struct WebSocketPipeOptions {
  // Its URL and headers are used. The timeout limits the time to connect, with the TLS handshake,
  // and again the time to upgrade the connection.
  ClientRequest request;
  std::string subprotocol;  // Must be chosen by the server.
  TlsOptions tls;

  // Begins each message that is sent; the bytes follow. Messages are not fragmented.
  std::string prefix;
  // Returns the bytes in a message: a part of it. Called on the loop's thread.
  std::function<std::string_view(std::string_view message)> unwrap;
  // Called at most once, on the loop's thread, if no WebSocket is opened: with the response of the
  // server, or the error.
  std::function<void(HttpResult<HttpResponse> why)> on_failure;
};

// Connects `far_end`, one of a pair of connected sockets, which it owns from now on. It is closed
// when the WebSocket ends or cannot be opened; the WebSocket ends when the other socket of the pair
// is closed. The error is about the options.
Status OpenWebSocketPipe(EventLoop& loop, int far_end, WebSocketPipeOptions options);

}  // namespace berth::net
