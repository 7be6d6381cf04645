#include "net/client_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace berth::net {

namespace {

// Headers that the sessions set. Host comes from the URL.
constexpr std::array<std::string_view, 8> kOwnHeaders = {
    "Connection", "Content-Length",    "Host",   "Keep-Alive", "Proxy-Connection",
    "TE",         "Transfer-Encoding", "Upgrade"};

bool IsOwn(const HttpHeader& header) {
  return std::ranges::any_of(
      kOwnHeaders, [&](std::string_view own) { return EqualIgnoringCase(header.name, own); });
}

}  // namespace

bool WireRequest::has_length() const {
  return !body.empty() || method == "POST" || method == "PUT" || method == "PATCH";
}

Result<WireRequest> MakeWireRequest(ClientRequest request) {
  auto url = ParseUrl(request.url);
  if (!url) return std::unexpected(url.error());
  if (!IsToken(request.method)) {
    return Fail(fmt::format("\"{}\" is not an HTTP method", request.method));
  }
  for (const HttpHeader& header : request.headers) {
    if (!IsToken(header.name)) {
      return Fail(fmt::format("\"{}\" is not the name of an HTTP header", header.name));
    }
    // The message omits the value, which may be secret.
    if (!IsHeaderValue(header.value)) {
      return Fail(fmt::format("the header {} has characters that cannot be sent", header.name));
    }
  }
  std::erase_if(request.headers, IsOwn);
  if (FindHeader(request.headers, "User-Agent").empty()) {
    request.headers.push_back({"User-Agent", "berth"});
  }
  return WireRequest{.method = std::move(request.method),
                     .url = *std::move(url),
                     .headers = std::move(request.headers),
                     .body = std::move(request.body),
                     .silence_limit = request.silence_limit};
}

}  // namespace berth::net
