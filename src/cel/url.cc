#include "cel/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace berth::cel {
namespace {

constexpr size_t kNotFound = std::string_view::npos;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Decodes %41; the error is the escape that is none.
Result<std::string> Unescape(std::string_view text, bool plus_is_space = false) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else if (i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0) {
      result += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      return Fail(fmt::format("invalid URL escape {}", GoQuote(text.substr(i, 3))));
    }
  }
  return result;
}

// Characters that may stand in a path unescaped.
bool IsPathCharacter(char c) {
  return IsLetter(c) || IsDigit(c) || std::string_view("-_.~$&+,/:;=@!'()*[]").find(c) != kNotFound;
}

std::string EscapePath(std::string_view path) {
  std::string result;
  for (const char c : path) {
    // Go escapes some characters in paths that it accepts unescaped.
    if (IsPathCharacter(c) && std::string_view("!'()*[]").find(c) == kNotFound) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    }
  }
  return result;
}

// Splits a scheme off the text. Fails for a colon at the front.
Result<std::string> TakeScheme(std::string_view& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsLetter(c)) continue;
    if (IsDigit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) return "";
      continue;
    }
    if (c != ':') return "";
    if (i == 0) return Fail("missing protocol scheme");
    std::string scheme(text.substr(0, i));
    std::ranges::transform(scheme, scheme.begin(), [](char letter) {
      return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
    });
    text.remove_prefix(i + 1);
    return scheme;
  }
  return "";
}

Status CheckPort(std::string_view port) {
  if (port.empty()) return {};
  if (port[0] == ':' && std::ranges::all_of(port.substr(1), IsDigit)) return {};
  return Fail(fmt::format("invalid port {} after host", GoQuote(port)));
}

Status CheckHost(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = host.rfind(']');
    if (end == kNotFound) return Fail("missing ']' in host");
    return CheckPort(host.substr(end + 1));
  }
  const size_t colon = host.rfind(':');
  if (colon != kNotFound) {
    if (Status status = CheckPort(host.substr(colon)); !status) return status;
  }
  for (const char c : host) {
    const bool allowed = IsLetter(c) || IsDigit(c) || static_cast<uint8_t>(c) >= 0x80 ||
                         std::string_view("-_.~!$&'()*+,;=:[]<>\"%").find(c) != kNotFound;
    if (!allowed) {
      return Fail(
          fmt::format("invalid character {} in host name", GoQuote(std::string_view(&c, 1))));
    }
  }
  return {};
}

Status ParseAuthority(std::string_view authority, Url& url) {
  const size_t at = authority.rfind('@');
  if (at != kNotFound) {
    url.user = authority.substr(0, at);
    const bool valid = std::ranges::all_of(url.user, [](char c) {
      return IsLetter(c) || IsDigit(c) ||
             std::string_view("-._:~!$&'()*+,;=%@").find(c) != kNotFound;
    });
    if (!valid) return Fail("net/url: invalid userinfo");
    if (const auto user = Unescape(url.user); !user) return std::unexpected(user.error());
    authority.remove_prefix(at + 1);
  }
  if (Status status = CheckHost(authority); !status) return status;
  auto host = Unescape(authority);
  if (!host) return std::unexpected(host.error());
  url.host = std::move(*host);
  return {};
}

Result<Url> ParseParts(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<uint8_t>(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(text, is_control)) {
    return Fail("net/url: invalid control character in URL");
  }
  if (text.empty()) return Fail("empty url");
  Url url;
  const size_t hash = text.find('#');
  std::string_view rest = text.substr(0, hash);
  if (hash != kNotFound) url.fragment = text.substr(hash + 1);
  auto scheme = TakeScheme(rest);
  if (!scheme) return std::unexpected(scheme.error());
  url.scheme = std::move(*scheme);
  if (const size_t question = rest.find('?'); question != kNotFound) {
    url.query = rest.substr(question + 1);
    rest = rest.substr(0, question);
  }
  if (!rest.starts_with('/')) {
    if (url.scheme.empty() && text != "*") return Fail("invalid URI for request");
    (text == "*" ? url.path : url.opaque) = rest;
    return url;
  }
  if (rest.starts_with("//") && !rest.starts_with("///")) {
    const size_t end = std::min(rest.find('/', 2), rest.size());
    // Without a scheme, a request URI has a path only; net/url then takes the same text for a host.
    if (Status status = ParseAuthority(rest.substr(2, end - 2), url); !status) {
      return std::unexpected(status.error());
    }
    rest = rest.substr(end);
  }
  auto path = Unescape(rest);
  if (!path) return std::unexpected(path.error());
  url.path = std::move(*path);
  const bool written_well =
      std::ranges::all_of(rest, [](char c) { return IsPathCharacter(c) || c == '%'; });
  url.escaped_path = written_well ? std::string(rest) : EscapePath(url.path);
  return url;
}

}  // namespace

Result<Url> Url::Parse(std::string_view text) {
  auto url = ParseParts(text);
  if (!url) return Fail(fmt::format("parse {}: {}", GoQuote(text), url.error().message));
  return url;
}

std::string_view Url::hostname() const {
  const std::string_view all = host;
  if (all.starts_with('[')) return all.substr(1, all.rfind(']') - 1);
  return all.substr(0, all.rfind(':'));
}

std::string_view Url::port() const {
  const std::string_view all = host;
  const size_t colon = all.rfind(':');
  if (colon == kNotFound || all.find(']', colon) != kNotFound) return "";
  return all.substr(colon + 1);
}

std::vector<std::pair<std::string, std::string>> Url::QueryParameters() const {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (std::string_view rest = query; !rest.empty();) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty() || pair.find(';') != kNotFound) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    auto key = Unescape(pair.substr(0, equals), true);
    auto value = Unescape(pair.substr(std::min(equals + 1, pair.size())), true);
    if (key && value) parameters.emplace_back(std::move(*key), std::move(*value));
  }
  return parameters;
}

std::string Url::ToString() const {
  std::string text;
  if (!scheme.empty()) text += scheme + ':';
  if (!opaque.empty()) {
    text += opaque;
  } else {
    if (!scheme.empty() || !host.empty() || !user.empty()) {
      if (!host.empty() || !path.empty() || !user.empty()) text += "//";
      if (!user.empty()) text += user + '@';
      text += host;
    }
    text += escaped_path;
  }
  if (!query.empty()) text += '?' + query;
  if (!fragment.empty()) text += '#' + fragment;
  return text;
}

}  // namespace berth::cel
