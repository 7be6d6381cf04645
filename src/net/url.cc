#include "net/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace berth::net {

namespace {

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

uint16_t DefaultPort(bool https) { return https ? kHttpsPort : kHttpPort; }

std::string WithBrackets(const std::string& host) {
  return host.contains(':') ? fmt::format("[{}]", host) : host;
}

// Removes the host from the front of `rest`, which is left with the port.
Result<std::string> TakeHost(std::string_view& rest) {
  const bool brackets = rest.starts_with('[');
  const size_t end = brackets ? rest.find(']') : rest.find(':');
  if (brackets && end == std::string_view::npos) return Fail("']' is missing after the address");
  const std::string_view host = brackets ? rest.substr(1, end - 1) : rest.substr(0, end);
  rest.remove_prefix(brackets ? end + 1 : std::min(end, rest.size()));
  if (host.empty()) return Fail("there is no host");
  const auto is_good = [&](char c) {
    return brackets ? IsHexDigit(c) || c == ':' || c == '.'
                    : IsLetterOrDigit(c) || c == '-' || c == '.' || c == '_';
  };
  // An IPv6 address contains a colon; otherwise it would look like a name.
  if (!std::ranges::all_of(host, is_good) || (brackets && !host.contains(':'))) {
    return Fail(fmt::format("\"{}\" is not {}", Shorten(host),
                            brackets ? "an IPv6 address" : "the name of a host"));
  }
  return Lower(host);
}

// Parses the port. `text` is empty or begins with ':'.
Result<uint16_t> ParsePort(std::string_view text, bool https) {
  if (text.empty() || text == ":") return DefaultPort(https);
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 1, end, port);
  if (text.front() != ':' || error != std::errc() || stop != end || port == 0) {
    if (text.front() == ':') text.remove_prefix(1);
    return Fail(fmt::format("\"{}\" is not a port: it must be 1 to 65535", Shorten(text)));
  }
  return port;
}

Result<Url> Parse(std::string_view text) {
  const size_t colon = text.find("://");
  const std::string scheme = Lower(text.substr(0, colon));
  if (colon == std::string_view::npos || (scheme != "http" && scheme != "https")) {
    return Fail("it must begin with http:// or https://");
  }
  Url url{.https = scheme == "https", .host = {}, .port = 0, .target = {}};
  text.remove_prefix(colon + 3);
  text = text.substr(0, text.find('#'));

  const size_t slash = std::min(text.find_first_of("/?"), text.size());
  std::string_view authority = text.substr(0, slash);
  url.target = text.substr(slash);
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  if (!std::ranges::all_of(url.target, [](char c) { return c > ' ' && c <= '~'; })) {
    return Fail("blanks, control characters and what is not ASCII must be written as %XX");
  }

  if (authority.contains('@')) return Fail("a user name before the host is not supported");
  auto host = TakeHost(authority);
  if (!host) return std::unexpected(host.error());
  url.host = *std::move(host);
  const auto port = ParsePort(authority, url.https);
  if (!port) return std::unexpected(port.error());
  url.port = *port;
  return url;
}

}  // namespace

std::string Url::authority() const {
  if (port == DefaultPort(https)) return WithBrackets(host);
  return fmt::format("{}:{}", WithBrackets(host), port);
}

std::string Url::origin() const {
  return fmt::format("{}://{}:{}", https ? "https" : "http", WithBrackets(host), port);
}

std::string Url::ToString() const {
  return fmt::format("{}://{}{}", https ? "https" : "http", authority(), target);
}

Result<Url> ParseUrl(std::string_view text) {
  auto url = Parse(text);
  if (!url) {
    return Fail(fmt::format("URL \"{}\": {}", Shorten(text, 200), url.error().message));
  }
  return url;
}

}  // namespace berth::net
