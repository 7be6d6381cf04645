// The syntax of label keys and values (declared in selector.h).

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/selector.h"

namespace berth::api {
namespace {

constexpr size_t kMaxNameLength = 63;
constexpr size_t kMaxSubdomainLength = 253;

constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlphanumeric(char c) { return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }

bool IsName(std::string_view text) {
  const auto inner = [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::ranges::all_of(text, inner);
}

// Whether `text` is dot-separated lower case DNS labels.
bool IsSubdomain(std::string_view text) {
  for (char previous = '.'; const char c : text) {
    // Labels neither begin nor end with a dash, nor are they empty.
    const bool fits = c == '.'   ? IsLowerOrDigit(previous)
                      : c == '-' ? previous != '.'
                                 : IsLowerOrDigit(c);
    if (!fits) return false;
    previous = c;
  }
  return !text.empty() && IsLowerOrDigit(text.back());
}

std::string TooLong(size_t limit) {
  return "must be no more than " + std::to_string(limit) + " bytes";
}

std::optional<std::string> Join(const std::vector<std::string>& errors) {
  if (errors.empty()) return std::nullopt;
  std::string joined = errors[0];
  for (size_t i = 1; i < errors.size(); ++i) joined += "; " + errors[i];
  return joined;
}

void CheckPrefix(std::string_view prefix, std::vector<std::string>& errors) {
  if (prefix.empty()) {
    errors.emplace_back("prefix part must be non-empty");
    return;
  }
  if (prefix.size() > kMaxSubdomainLength) {
    errors.push_back("prefix part " + TooLong(kMaxSubdomainLength));
  }
  if (!IsSubdomain(prefix)) errors.push_back("prefix part " + std::string(kSubdomainRule));
}

}  // namespace

std::vector<std::string> QualifiedNameErrors(std::string_view text) {
  std::vector<std::string> errors;
  std::string_view name = text;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    name = text.substr(slash + 1);
    if (name.contains('/')) {
      return {"a qualified name " + std::string(kNameRule) +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    CheckPrefix(text.substr(0, slash), errors);
  }
  if (name.empty()) errors.emplace_back("name part must be non-empty");
  if (name.size() > kMaxNameLength) errors.push_back("name part " + TooLong(kMaxNameLength));
  if (!IsName(name)) errors.push_back("name part " + std::string(kNameRule));
  return errors;
}

std::optional<std::string> ValidateQualifiedName(std::string_view text) {
  return Join(QualifiedNameErrors(text));
}

std::optional<std::string> ValidateLabelValue(std::string_view text) {
  std::vector<std::string> errors;
  if (text.size() > kMaxNameLength) errors.push_back(TooLong(kMaxNameLength));
  if (!text.empty() && !IsName(text)) errors.emplace_back(kValueRule);
  return Join(errors);
}

}  // namespace berth::api
