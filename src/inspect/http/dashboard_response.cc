#include <algorithm>
#include <string>
#include <utility>

#include "inspect/http/dashboard_files.h"

namespace berth::inspect::http {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

std::string ContentType(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

net::ServerResponse WithPolicy(net::ServerResponse response) {
  response.headers.push_back({"Content-Security-Policy", kPolicy});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"Referrer-Policy", "no-referrer"});
  response.headers.push_back({"Cache-Control", "no-cache"});
  return response;
}

}  // namespace

net::ServerResponse DashboardResponse(const net::ServerRequest& request, std::string_view path) {
  constexpr const char* kText = "text/plain; charset=utf-8";
  if (request.method != "GET" && request.method != "HEAD") {
    net::ServerResponse refusal =
        WithPolicy(net::ServerResponse::Text(405, kText, "only GET is supported\n"));
    refusal.headers.push_back({"Allow", "GET, HEAD"});
    return refusal;
  }
  const std::string_view name = path.empty() ? "index.html" : path;
  const auto files = DashboardFiles();
  const auto found = std::ranges::find(files, name, &DashboardFile::name);
  if (found == files.end()) {
    return WithPolicy(net::ServerResponse::Text(404, kText, "not found\n"));
  }
  net::ServerResponse response;
  response.status = 200;
  response.headers.push_back({"Content-Type", ContentType(name)});
  // The bytes are those of the program.
  response.body.push_back({nullptr, found->bytes});
  return WithPolicy(std::move(response));
}

}  // namespace berth::inspect::http
