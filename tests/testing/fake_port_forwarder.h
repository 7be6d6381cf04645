// FakePortForwarder is an API server for tests of port-forwards, on a free loopback port: it
// forwards the ports of all pods to ports of this machine, as API server and kubelet do with the
// WebSocket protocol v4.channel.k8s.io. Like a kubelet, it refuses an Accept header without "*/*".
// It passes other requests on to another API server.
//
// It runs on threads of its own; its functions may be called on any other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testing/test_certificates.h"

namespace berth {

struct ForwarderOptions {
  // Returns the port of this machine for "/api/v1/namespaces/NS/pods/NAME/portforward?ports=N";
  // nullopt: 403.
  std::function<std::optional<uint16_t>(const std::string& target)> port_for;
  uint16_t upstream = 0;           // Port of the other API server, without TLS; 0: 404.
  std::optional<Certificate> own;  // Serves with TLS, if set.
};

class FakePortForwarder {
 public:
  explicit FakePortForwarder(ForwarderOptions options);
  ~FakePortForwarder();

  // "http://127.0.0.1:41234", without a trailing slash.
  std::string url() const;
  // The port-forwards so far: the target, and the Authorization header if there was one.
  std::vector<std::string> forwarded() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth
