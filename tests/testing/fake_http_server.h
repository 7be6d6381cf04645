// FakeHttpServer is an HTTP/1.1 server for tests, on a free loopback port. It can send invalid
// responses, or none.
//
// It runs on a thread of its own; its functions may be called on any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testing/test_certificates.h"

namespace berth {

struct ReceivedRequest {
  std::string method;
  std::string target;
  std::string host;
  std::string content_type;
  std::string body;
};

struct FakeResponse {
  int status = 200;
  std::string body;
  bool none = false;                    // No response; the connection stays open.
  std::optional<std::string> raw = {};  // These bytes instead of a response.
};

struct ServerTls {
  Certificate own;
  std::string client_authority;  // If not empty, clients need a certificate signed by it.
};

class FakeHttpServer {
 public:
  // `handler` is called on the server's thread.
  using Handler = std::function<FakeResponse(const ReceivedRequest&)>;

  explicit FakeHttpServer(Handler handler, std::optional<ServerTls> tls = std::nullopt);
  ~FakeHttpServer();

  // "http://127.0.0.1:41234", without a trailing slash.
  std::string url() const;
  uint16_t port() const;

  // The requests so far.
  std::vector<ReceivedRequest> requests() const;
  // The number of connections so far.
  size_t connections() const;
  // Waits until clients have closed `count` connections.
  void WaitForClosed(size_t count);
  // Waits until `count` requests were received.
  void WaitForRequests(size_t count);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth
