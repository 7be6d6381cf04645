#include "apiserver/authentication.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/text.h"

namespace berth::apiserver {
namespace {

using registry::User;

constexpr std::string_view kAuthenticated = "system:authenticated";
constexpr std::string_view kAdmins = "system:masters";

bool StartsWithIgnoringCase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::ranges::equal(text.substr(0, lower.size()), lower, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
         });
}

// Returns "h" for "h:80" and "::1" for "[::1]:80".
std::string_view HostOf(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

// Reports whether a browser sent the request for a page of another machine (CSRF), or with a Host
// that is not a loopback address (DNS rebinding). Both let web pages reach a server on loopback.
bool IsCrossOrigin(const net::ServerRequest& request) {
  std::string_view origin = request.header("Origin");
  if (!origin.empty()) {
    const size_t scheme = origin.find("://");
    if (scheme == origin.npos || !IsLoopback(HostOf(origin.substr(scheme + 3)))) return true;
  }
  // Images, forms and links have no Origin, but browsers name the relation of the two sites.
  if (origin.empty() && request.header("Sec-Fetch-Site") == "cross-site") return true;
  const std::string_view host = HostOf(request.header("Host"));
  return !host.empty() && !IsLoopback(host);
}

api::scheme::ApiError ForbiddenCrossOrigin() {
  return api::scheme::MakeError(
      403,
      "without authentication, only requests to a loopback address that do not come from a web "
      "page of another origin are allowed");
}

User AdminUser() {
  return {"system:admin", "", {std::string(kAdmins), std::string(kAuthenticated)}};
}

}  // namespace

bool IsLoopback(std::string_view address) {
  if (address == "localhost" || address == "::1") return true;
  return address.starts_with("127.") && address.find_first_not_of("0123456789.") == address.npos;
}

Status CheckExposure(std::string_view address, bool tls, const registry::AccessOptions& options) {
  if (options.allow_anonymous || IsLoopback(address)) return {};
  if (!tls) {
    return Fail(fmt::format(
        "{} is not a loopback address: other machines can reach it. Add --tls (or --tls-cert-file "
        "and "
        "--tls-private-key-file), and --token-auth-file or --client-ca-file; or listen on "
        "127.0.0.1",
        address));
  }
  if (options.tokens.empty() && !options.client_certificates) {
    return Fail(
        fmt::format("{} is not a loopback address: other machines can reach it. Add "
                    "--token-auth-file or --client-ca-file to require authentication",
                    address));
  }
  return {};
}

api::scheme::ApiResult<User> Authenticate(const registry::Access& access,
                                          const net::ServerRequest& request) {
  const net::Peer& peer = request.peer;
  if (access.options().client_certificates && !peer.common_name.empty()) {
    User user{peer.common_name, "", peer.organizations};
    user.groups.emplace_back(kAuthenticated);
    return user;
  }
  const std::string_view authorization = request.header("Authorization");
  constexpr std::string_view kBearer = "bearer ";
  if (StartsWithIgnoringCase(authorization, kBearer)) {
    if (auto user = access.FindToken(Trim(authorization.substr(kBearer.size()))))
      return *std::move(user);
  }
  if (!access.open()) return std::unexpected(api::scheme::Unauthorized());
  if (!access.options().allow_anonymous && IsCrossOrigin(request)) {
    return std::unexpected(ForbiddenCrossOrigin());
  }
  return AdminUser();
}

}  // namespace berth::apiserver
