// PortForward connects to a port of a pod through the API server, as `kubectl port-forward` does,
// but without a local port that others could use.
//
// It speaks the WebSocket protocol v4.channel.k8s.io, which every API server and kubelet from
// Kubernetes v1.30 on (and long before) serves by default; the newer protocols tunnel SPDY. The
// user needs to `get` and `create` pods/portforward.
//
// The API server authenticates the user, but the far end is whatever listens on the port inside the
// pod: what is sent there needs its own protection.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/meta.h"
#include "client/client_config.h"
#include "net/event_loop.h"

namespace berth::client {

class PortForward {
 public:
  // Requests nothing yet. `loop` must outlive the connections; `config` is that of the API server.
  PortForward(net::EventLoop& loop, ClientConfig config, const api::ObjectKey& pod, uint16_t port);

  // Opens a connection: for net::HttpClientOptions::dial, so it returns the socket at once, or -1.
  // If no connection is made, the socket is closed, and `problem` has the reason. May be called
  // after the PortForward is destroyed.
  std::function<int()> dialer() const;

  // Returns why the last connection failed, one sentence for users; empty if nobody knows. Any
  // thread.
  std::string problem() const;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

// PortForwardChannels reads the messages of v4.channel.k8s.io about one port. The first byte of a
// message is its channel: 0 for the bytes of the connection, 1 for an error. Each channel begins
// with the number of the port, in two bytes.
class PortForwardChannels {
 public:
  // A longer error is cut off.
  static constexpr size_t kMaxErrorBytes = 1024;

  // Returns the bytes of the connection in `message`: a part of it.
  std::string_view Receive(std::string_view message);
  // Returns what the kubelet said about a failure so far.
  const std::string& error() const { return error_; }

 private:
  std::array<size_t, 2> port_bytes_left_ = {2, 2};
  std::string error_;
};

}  // namespace berth::client
