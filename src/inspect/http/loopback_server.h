// LoopbackServer serves the dashboard and its API to browsers on this machine.
//
// Other users of the machine, and pages of other sites in the same browser, must not read the
// cluster: a request needs the session cookie, which browsers and programs get for the token of a
// link, and its Host header must name this server. A link opens the dashboard as often as needed
// until it expires; the token is good for nothing else.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "inspect/http/api_handler.h"
#include "net/http_server.h"

namespace berth::inspect::http {

struct LoopbackServerOptions {
  uint16_t port = 0;  // 0 means any free port.
  // Secrets, drawn at random: at least 128 bits each.
  std::string link_key;          // Signs the tokens of links (link_token.h).
  std::string session;           // Of the cookie.
  const Clock* clock = nullptr;  // The wall clock; must outlive the server.
};

class LoopbackServer {
 public:
  // `api` must outlive the server. The error says that the port is in use.
  static Result<std::unique_ptr<LoopbackServer>> Start(LoopbackServerOptions options,
                                                       ApiHandler& api);
  ~LoopbackServer();

  // A new link.
  std::string url() const;
  uint16_t port() const { return port_; }
  void Stop();

 private:
  LoopbackServer(LoopbackServerOptions options, ApiHandler& api);
  void Handle(const std::shared_ptr<net::Exchange>& exchange);
  bool NamesThisServer(std::string_view host) const;
  bool IsAllowed(const net::ServerRequest& request) const;
  std::string CookieName() const;
  // Exchanges the token of a link for the cookie.
  net::ServerResponse LogIn(std::string_view token, bool has_session) const;

  const LoopbackServerOptions options_;
  ApiHandler& api_;
  std::atomic<uint16_t> port_ = 0;  // Until it is known, no request names this server.
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace berth::inspect::http
