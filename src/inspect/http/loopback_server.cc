#include "inspect/http/loopback_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "inspect/http/dashboard_files.h"
#include "inspect/http/link_token.h"
#include "inspect/request.h"

namespace berth::inspect::http {
namespace {

constexpr const char* kPlainText = "text/plain; charset=utf-8";
constexpr const char* kGoOn =
    "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=/\"><title>Berth</title>"
    "<a href=\"/\">Dashboard</a>\n";
// Browsers open a few connections, and requests have no bodies.
constexpr size_t kMaxConnections = 128;
constexpr size_t kMaxHeaderBytes = 16 << 10;
constexpr size_t kMaxBodyBytes = 4 << 10;

// Returns the value of the cookie of that name; empty if there is none.
std::string_view FindCookie(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::string_view cookie = header.substr(0, header.find(';'));
    header.remove_prefix(std::min(cookie.size() + 1, header.size()));
    const size_t equals = cookie.find('=');
    if (equals != cookie.npos && Trim(cookie.substr(0, equals)) == name) {
      return Trim(cookie.substr(equals + 1));
    }
  }
  return {};
}

// Returns the value of the parameter `token`; empty if there is none. Tokens need no escapes.
std::string_view TokenOf(std::string_view target) {
  const size_t query = target.find('?');
  if (query == target.npos) return {};
  std::string_view rest = target.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
    if (parameter.starts_with("token=")) return parameter.substr(6);
  }
  return {};
}

std::string HowToOpen() { return "For a new link, run in a terminal: berth dashboard --open\n"; }

net::ServerResponse Refusal(int status, std::string text) {
  net::ServerResponse response = net::ServerResponse::Text(status, kPlainText, std::move(text));
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"Cache-Control", "no-store"});
  return response;
}

}  // namespace

LoopbackServer::LoopbackServer(LoopbackServerOptions options, ApiHandler& api)
    : options_(std::move(options)), api_(api) {}

LoopbackServer::~LoopbackServer() { Stop(); }

void LoopbackServer::Stop() {
  // Streams of events have no end of their own.
  if (server_ != nullptr) server_->Stop(std::chrono::milliseconds(0));
}

Result<std::unique_ptr<LoopbackServer>> LoopbackServer::Start(LoopbackServerOptions options,
                                                              ApiHandler& api) {
  net::ServerOptions listening;
  listening.address = "127.0.0.1";
  listening.port = options.port;
  listening.max_connections = kMaxConnections;
  listening.max_header_bytes = kMaxHeaderBytes;
  listening.max_body_bytes = kMaxBodyBytes;
  std::unique_ptr<LoopbackServer> loopback(new LoopbackServer(std::move(options), api));
  auto server = net::HttpServer::Start(
      std::move(listening), [at = loopback.get()](const std::shared_ptr<net::Exchange>& exchange) {
        at->Handle(exchange);
      });
  if (!server) return std::unexpected(server.error());
  loopback->server_ = *std::move(server);
  loopback->port_ = loopback->server_->port();
  return loopback;
}

std::string LoopbackServer::url() const {
  return DashboardLink(port(), options_.link_key, options_.clock->Now());
}

// Cookies are those of a host, whatever the port: several servers may run on this one.
std::string LoopbackServer::CookieName() const { return fmt::format("berth-session-{}", port()); }

bool LoopbackServer::NamesThisServer(std::string_view host) const {
  const std::string end = fmt::format(":{}", port());
  if (!host.ends_with(end)) return false;
  host.remove_suffix(end.size());
  return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

bool LoopbackServer::IsAllowed(const net::ServerRequest& request) const {
  return SameSecret(FindCookie(request.header("Cookie"), CookieName()), options_.session);
}

net::ServerResponse LoopbackServer::LogIn(std::string_view token, bool has_session) const {
  if (!has_session && !IsValidLinkToken(options_.link_key, token, options_.clock->Now())) {
    return Refusal(401, "This link has expired, or is not one of this server.\n" + HowToOpen());
  }
  // A redirection would be part of a navigation that another page, or a file, may have begun: the
  // browser would not send the cookie with it. So the page itself goes on.
  net::ServerResponse response = net::ServerResponse::Text(200, "text/html; charset=utf-8", kGoOn);
  response.headers.push_back({"Content-Security-Policy", "default-src 'none'"});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"Cache-Control", "no-store"});
  response.headers.push_back({"Referrer-Policy", "no-referrer"});
  response.headers.push_back({"Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict",
                                                        CookieName(), options_.session)});
  return response;
}

void LoopbackServer::Handle(const std::shared_ptr<net::Exchange>& exchange) {
  const net::ServerRequest& request = exchange->request();
  if (!NamesThisServer(request.header("Host"))) {
    return exchange->Respond(
        Refusal(403, "The Host header does not name this server: use the printed address.\n"));
  }
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  const bool allowed = IsAllowed(request);
  if (path == "/" && request.method == "GET" && !TokenOf(target).empty()) {
    return exchange->Respond(LogIn(TokenOf(target), allowed));
  }
  const bool is_api = path.starts_with(kRoot);
  if (!allowed && is_api) {
    return exchange->Respond(ToHttp(
        Failure(401, "no session: open a link to the dashboard, of `berth dashboard --open`")));
  }
  if (!allowed) {
    return exchange->Respond(Refusal(401, "This browser has no session.\n" + HowToOpen()));
  }
  if (is_api) return api_.Handle(exchange);
  exchange->Respond(DashboardResponse(request, path.substr(std::min<size_t>(1, path.size()))));
}

}  // namespace berth::inspect::http
