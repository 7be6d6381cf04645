#include "cel/named_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "cel/time_text.h"
#include "cel/url.h"

namespace berth::cel {
namespace {

using Messages = std::vector<std::string>;

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLowerAlphanumeric(char c) { return IsLower(c) || IsDigit(c); }
bool IsAlphanumericCharacter(char c) { return IsLowerAlphanumeric(c) || (c >= 'A' && c <= 'Z'); }

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && IsLowerAlphanumeric(text.front()) && IsLowerAlphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsLowerAlphanumeric(c) || c == '-'; });
}

bool IsDnsSubdomain(std::string_view text) {
  for (;;) {
    const size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// A prefix may end with a dash, which stands for what follows.
std::string MaskTrailingDash(std::string_view text) {
  if (!text.ends_with('-')) return std::string(text);
  return std::string(text.substr(0, text.size() - 1)) + 'a';
}

void CheckLength(std::string_view text, size_t limit, Messages& messages) {
  if (text.size() > limit) {
    messages.push_back(fmt::format("must be no more than {} characters", limit));
  }
}

Messages ValidateLabel(std::string_view text) {
  Messages messages;
  CheckLength(text, kMaxLabel, messages);
  if (!IsDnsLabel(text)) {
    messages.emplace_back(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
        "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  }
  return messages;
}

Messages ValidateSubdomain(std::string_view text) {
  Messages messages;
  CheckLength(text, kMaxSubdomain, messages);
  if (!IsDnsSubdomain(text)) {
    messages.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
        "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?"
        ")*')");
  }
  return messages;
}

Messages ValidateOldLabel(std::string_view text) {
  Messages messages;
  CheckLength(text, kMaxLabel, messages);
  if (!IsDnsLabel(text) || !IsLower(text.front())) {
    messages.emplace_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return messages;
}

Messages ValidateLabelPrefix(std::string_view text) {
  return ValidateLabel(MaskTrailingDash(text));
}
Messages ValidateSubdomainPrefix(std::string_view text) {
  return ValidateSubdomain(MaskTrailingDash(text));
}
Messages ValidateOldLabelPrefix(std::string_view text) {
  return ValidateOldLabel(MaskTrailingDash(text));
}

// The name part of a qualified name, and a label's value.
bool IsQualifiedPart(std::string_view text) {
  return !text.empty() && IsAlphanumericCharacter(text.front()) &&
         IsAlphanumericCharacter(text.back()) && std::ranges::all_of(text, [](char c) {
           return IsAlphanumericCharacter(c) || c == '-' || c == '_' || c == '.';
         });
}

Messages ValidateQualifiedName(std::string_view text) {
  Messages messages;
  std::string_view name = text;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {
          "a qualified name must consist of alphanumeric characters, '-', '_' or '.', with an "
          "optional DNS subdomain prefix and '/'"};
    }
    if (prefix.empty()) {
      messages.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& message : ValidateSubdomain(prefix)) {
        messages.push_back("prefix part " + message);
      }
    }
  }
  if (name.empty()) {
    messages.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxLabel) {
    messages.push_back(fmt::format("name part must be no more than {} characters", kMaxLabel));
  }
  if (!IsQualifiedPart(name)) {
    messages.emplace_back(
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and "
        "end with an alphanumeric character");
  }
  return messages;
}

Messages ValidateLabelValue(std::string_view text) {
  Messages messages;
  CheckLength(text, kMaxLabel, messages);
  if (!text.empty() && !IsQualifiedPart(text)) {
    messages.emplace_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character");
  }
  return messages;
}

Messages ValidateUri(std::string_view text) {
  const auto url = Url::Parse(text);
  return url ? Messages{} : Messages{url.error().message};
}

bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

Messages ValidateUuid(std::string_view text) {
  // 8, 4, 4, 4 and 12 digits, with or without dashes between.
  size_t digits = 0;
  bool valid = true;
  for (const char c : text) {
    if (IsHexDigit(c)) {
      ++digits;
    } else {
      valid &= c == '-' && (digits == 8 || digits == 12 || digits == 16 || digits == 20);
    }
  }
  valid &= digits == 32 && text.find("--") == std::string_view::npos;
  return valid ? Messages{} : Messages{"does not match the UUID format"};
}

Messages ValidateByte(std::string_view text) {
  return !text.empty() && DecodeBase64(text) ? Messages{} : Messages{"invalid base64"};
}

Messages ValidateDate(std::string_view text) {
  const bool valid = ParseTimestamp(std::string(text) + "T00:00:00Z").has_value();
  return valid ? Messages{} : Messages{"invalid date"};
}

Messages ValidateDateTime(std::string_view text) {
  std::string normal(text);
  // The pattern allows lower case.
  for (char& c : normal) {
    if (c == 't' || c == 'z') c = static_cast<char>(c - 32);
  }
  return ParseTimestamp(normal) ? Messages{} : Messages{"invalid datetime"};
}

constexpr NamedFormat kFormats[] = {
    {"dns1123Label", "DNS1123Label", 30, ValidateLabel},
    {"dns1123Subdomain", "DNS1123Subdomain", 60, ValidateSubdomain},
    {"dns1035Label", "DNS1035Label", 30, ValidateOldLabel},
    {"qualifiedName", "QualifiedName", 60, ValidateQualifiedName},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", 30, ValidateLabelPrefix},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, ValidateSubdomainPrefix},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", 30, ValidateOldLabelPrefix},
    {"labelValue", "LabelValue", 40, ValidateLabelValue},
    {"uri", "URI", 1103, ValidateUri},
    {"uuid", "uuid", 70, ValidateUuid},
    {"byte", "byte", 84, ValidateByte},
    {"date", "date", 71, ValidateDate},
    {"datetime", "datetime", 71, ValidateDateTime},
};

}  // namespace

std::span<const NamedFormat> NamedFormats() { return kFormats; }

}  // namespace berth::cel
