#include "apiserver/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace berth::apiserver {
namespace {

constexpr std::string_view kAuthenticated = "system:authenticated";
constexpr std::string_view kAdmins = "system:masters";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The fields of a line of comma-separated values; quotes hold a field with commas together.
Result<std::vector<std::string>> SplitLine(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  if (quoted) return Fail("a quote is not closed");
  for (std::string& field : fields) field = Trim(field);
  return fields;
}

Result<Token> ParseToken(std::string_view line) {
  auto fields = SplitLine(line);
  if (!fields) return std::unexpected(fields.error());
  if (fields->size() < 2 || (*fields)[0].empty() || (*fields)[1].empty()) {
    return Fail("expected token,user[,uid[,\"group1,group2\"]]");
  }
  Token token;
  token.secret = std::move((*fields)[0]);
  token.user.name = std::move((*fields)[1]);
  if (fields->size() > 2) token.user.uid = std::move((*fields)[2]);
  for (size_t i = 3; i < fields->size(); ++i) {
    const auto groups = SplitLine((*fields)[i]);
    if (!groups) return std::unexpected(groups.error());
    for (const std::string& group : *groups) {
      if (!group.empty()) token.user.groups.push_back(group);
    }
  }
  token.user.groups.emplace_back(kAuthenticated);
  return token;
}

// Takes the same time whichever byte differs, so that a token cannot be guessed byte by byte.
bool SameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::ranges::equal(text.substr(0, lower.size()), lower, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
         });
}

// "h" of "h:80", "::1" of "[::1]:80".
std::string_view HostOf(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

// Whether a browser sent this for a page that was not loaded from this machine, or believes that
// this machine is another: what lets web pages reach servers on loopback addresses.
bool FromElsewhere(const net::ServerRequest& request) {
  std::string_view origin = request.header("Origin");
  if (!origin.empty()) {
    const size_t scheme = origin.find("://");
    if (scheme == origin.npos || !IsLoopback(HostOf(origin.substr(scheme + 3)))) return true;
  }
  const std::string_view host = HostOf(request.header("Host"));
  return !host.empty() && !IsLoopback(host);
}

ApiError ForbiddenElsewhere() {
  ApiError error;
  error.code = 403;
  error.reason = "Forbidden";
  error.message =
      "without authentication, only requests to a loopback address that no foreign web page has "
      "sent are answered";
  return error;
}

User Everybody() {
  return {"system:admin", "", {std::string(kAdmins), std::string(kAuthenticated)}};
}

}  // namespace

Result<std::vector<Token>> ParseTokenFile(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = Trim(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    auto token = ParseToken(line);
    if (!token) return Fail(fmt::format("line {}: {}", number, token.error().message));
    tokens.push_back(*std::move(token));
  }
  if (tokens.empty()) return Fail("it has no tokens");
  return tokens;
}

bool IsLoopback(std::string_view address) {
  if (address == "localhost" || address == "::1") return true;
  return address.starts_with("127.") && address.find_first_not_of("0123456789.") == address.npos;
}

Status CheckExposure(std::string_view address, bool tls, const AccessOptions& options) {
  if (options.allow_anonymous || IsLoopback(address)) return {};
  if (!tls) {
    return Fail(fmt::format(
        "{} is not a loopback address: others can reach it. Add --tls (or --tls-cert-file and "
        "--tls-private-key-file), and --token-auth-file or --client-ca-file; or listen on "
        "127.0.0.1",
        address));
  }
  if (options.tokens.empty() && !options.client_certificates) {
    return Fail(
        fmt::format("{} is not a loopback address: others can reach it. Add --token-auth-file or "
                    "--client-ca-file, so that not everybody may do everything",
                    address));
  }
  return {};
}

const User* Access::FindToken(std::string_view secret) const {
  const User* user = nullptr;
  for (const Token& token : options_.tokens) {
    if (SameSecret(token.secret, secret)) user = &token.user;
  }
  return user;
}

ApiResult<User> Access::Authenticate(const net::ServerRequest& request) const {
  const net::Peer& peer = request.peer;
  if (options_.client_certificates && !peer.common_name.empty()) {
    User user{peer.common_name, "", peer.organizations};
    user.groups.emplace_back(kAuthenticated);
    return user;
  }
  const std::string_view authorization = request.header("Authorization");
  constexpr std::string_view kBearer = "bearer ";
  if (StartsWithIgnoringCase(authorization, kBearer)) {
    if (const User* user = FindToken(Trim(authorization.substr(kBearer.size())))) return *user;
  }
  if (!open()) return std::unexpected(Unauthorized());
  if (!options_.allow_anonymous && FromElsewhere(request)) {
    return std::unexpected(ForbiddenElsewhere());
  }
  return Everybody();
}

}  // namespace berth::apiserver
