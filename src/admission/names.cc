#include "admission/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLowerOrDigit(char c) { return IsLower(c) || (c >= '0' && c <= '9'); }

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool IsLabel(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

std::string TooLong(size_t limit) { return fmt::format("must be no more than {} bytes", limit); }

}  // namespace

std::optional<std::string> CheckDnsLabel(std::string_view text) {
  if (text.size() > kMaxLabel) return TooLong(kMaxLabel);
  if (IsLabel(text)) return std::nullopt;
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
         "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
         "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

std::optional<std::string> CheckDns1035Label(std::string_view text) {
  if (text.size() > kMaxLabel) return TooLong(kMaxLabel);
  if (IsLabel(text) && IsLower(text.front())) return std::nullopt;
  return "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
         "an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
         "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
}

std::optional<std::string> CheckDnsSubdomain(std::string_view text) {
  if (text.size() > kMaxSubdomain) return TooLong(kMaxSubdomain);
  bool fine = true;
  std::string_view rest = text;
  for (bool more = true; fine && more;) {
    const size_t dot = rest.find('.');
    fine = IsLabel(rest.substr(0, dot));
    more = dot != std::string_view::npos;
    if (more) rest.remove_prefix(dot + 1);
  }
  if (fine) return std::nullopt;
  return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
         "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
         "regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

std::optional<std::string> CheckPathSegment(std::string_view text) {
  if (text == "." || text == "..") return fmt::format("may not be '{}'", text);
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) return fmt::format("may not contain '{}'", c);
  }
  if (text.size() > kMaxSubdomain) return TooLong(kMaxSubdomain);
  return std::nullopt;
}

std::optional<std::string> CheckName(const Kind& kind, std::string_view name) {
  const std::string_view resource = kind.resource;
  if (kind.group.empty()) {
    if (resource == "namespaces") return CheckDnsLabel(name);

    if (resource == "services") return CheckDns1035Label(name);
  }
  if (kind.group == "rbac.authorization.k8s.io") return CheckPathSegment(name);
  return CheckDnsSubdomain(name);
}

}  // namespace berth::apiserver
