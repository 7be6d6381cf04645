#include "apiserver/crd/formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>

#include "apiserver/crd/pattern.h"
#include "apiserver/crd/schema.h"
#include "base/check.h"
#include "base/go_duration.h"

namespace berth::apiserver::crd {
namespace {

struct FormatRow {
  Format format;
  std::string_view name;
  SchemaType type;
  std::string_view pattern = {};  // If the format is a regular expression.
};

constexpr SchemaType kText = SchemaType::kString;

constexpr std::array kFormats = std::to_array<FormatRow>({
    {Format::kInt32, "int32", SchemaType::kInteger},
    {Format::kInt64, "int64", SchemaType::kInteger},
    {Format::kFloat, "float", SchemaType::kNumber},
    {Format::kDouble, "double", SchemaType::kNumber},
    {Format::kByte, "byte", kText,
     "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$"},
    {Format::kCidr, "cidr", kText},
    {Format::kCreditCard, "creditcard", kText},
    {Format::kDate, "date", kText},
    {Format::kDateTime, "date-time", kText},
    {Format::kDuration, "duration", kText},
    {Format::kEmail, "email", kText,
     R"(^([^<>]*<[^\s@<>,]+@[^\s@<>,]+>\s*|\s*[^\s@<>,]+@[^\s@<>,]+\s*)$)"},
    {Format::kHexColor, "hexcolor", kText, "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"},
    // HasFormat limits the length, so that the expression needs no counts.
    {Format::kHostname, "hostname", kText,
     R"(^([a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]*)?|)"
     R"(([a-zA-Z0-9\p{S}\p{L}]([-a-zA-Z0-9\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?\.)+)"
     R"([a-zA-Z\p{L}][a-zA-Z\p{L}]+)$)"},
    {Format::kIpv4, "ipv4", kText},
    {Format::kIpv6, "ipv6", kText},
    {Format::kIsbn, "isbn", kText},
    {Format::kIsbn10, "isbn10", kText},
    {Format::kIsbn13, "isbn13", kText},
    {Format::kMac, "mac", kText,
     R"(^([0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(([:-][0-9a-fA-F]{2}){4}|([:-][0-9a-fA-F]{2}){6}|)"
     R"(([:-][0-9a-fA-F]{2}){18})|[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})?)$)"},
    {Format::kBsonObjectId, "bsonobjectid", kText, "^[0-9a-fA-F]{24}$"},
    {Format::kLongName, "k8s-long-name", kText,
     R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)"},
    {Format::kPassword, "password", kText},
    {Format::kRgbColor, "rgbcolor", kText,
     R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,)"
     R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)"},
    {Format::kShortName, "k8s-short-name", kText, "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
    {Format::kSsn, "ssn", kText, R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)"},
    {Format::kUri, "uri", kText,
     R"(^(/[^\x00-\x20\x7f]*|[a-zA-Z][a-zA-Z0-9+.-]*:[^\x00-\x20\x7f]+)$)"},
    {Format::kUuid, "uuid", kText,
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {Format::kUuid3, "uuid3", kText,
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {Format::kUuid4, "uuid4", kText,
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
    {Format::kUuid5, "uuid5", kText,
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
});

const FormatRow& RowOf(Format format) {
  const auto found = std::ranges::find(kFormats, format, &FormatRow::format);
  CHECK(found != kFormats.end());
  return *found;
}

// Compiles the pattern of each row once.
const Pattern* PatternOf(Format format) {
  static const auto patterns = [] {
    std::array<std::shared_ptr<const Pattern>, kFormats.size()> all;
    for (size_t i = 0; i < kFormats.size(); ++i) {
      if (!kFormats[i].pattern.empty()) all[i] = Pattern::Compile(kFormats[i].pattern).value();
    }
    return all;
  }();
  return patterns[static_cast<size_t>(&RowOf(format) - kFormats.data())].get();
}

// Names are compared without dashes: "datetime" is "date-time".
std::string WithoutDashes(std::string_view name) {
  std::string out(name);
  std::erase(out, '-');
  return out;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<int> NumberOf(std::string_view digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return IsDigit(digits.front()) ? std::optional(number) : std::nullopt;
}

bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto year = NumberOf(text.substr(0, 4));
  const auto month = NumberOf(text.substr(5, 2));
  const auto day = NumberOf(text.substr(8, 2));
  if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1) return false;
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
  return *day <= kDays[static_cast<size_t>(*month - 1)] + (leap && *month == 2 ? 1 : 0);
}

bool IsDateTime(std::string_view text) {
  static const std::shared_ptr<const Pattern> time =
      Pattern::Compile(
          "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?"
          "([zZ]|[+-][0-9]{2}:[0-9]{2})$")
          .value();
  const size_t t = text.find_first_of("tT");
  return t != text.npos && IsDate(text.substr(0, t)) && time->Matches(text.substr(t + 1));
}

constexpr int64_t kNanosPerSecond = 1'000'000'000;

struct DurationUnit {
  std::array<std::string_view, 3> names;  // "hour" is also "hours": the last one is a prefix.
  int64_t nanos;
};

constexpr std::array kDurationUnits = std::to_array<DurationUnit>({
    {{"ns", "ns", "nano"}, 1},
    {{"us", "µs", "micro"}, 1'000},
    {{"ms", "ms", "milli"}, 1'000'000},
    {{"s", "s", "sec"}, kNanosPerSecond},
    {{"m", "m", "min"}, 60 * kNanosPerSecond},
    {{"h", "hr", "hour"}, 3'600 * kNanosPerSecond},
    {{"d", "d", "day"}, 24 * 3'600 * kNanosPerSecond},
    {{"w", "wk", "week"}, 7 * 24 * 3'600 * kNanosPerSecond},
});

const DurationUnit* FindDurationUnit(std::string_view name) {
  const auto matches = [&](const DurationUnit& unit) {
    return name == unit.names[0] || name == unit.names[1] || name.starts_with(unit.names[2]);
  };
  const auto found = std::ranges::find_if(kDurationUnits, matches);
  return found == kDurationUnits.end() ? nullptr : &*found;
}

// Takes letters from the front, in lower case.
std::string TakeUnit(std::string_view& text) {
  constexpr std::string_view kMicro = "µ";
  std::string unit;
  while (!text.empty()) {
    const char c = text[0];
    if (text.starts_with(kMicro)) {
      unit += kMicro;
      text.remove_prefix(kMicro.size());
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      unit += static_cast<char>(c | 0x20);
      text.remove_prefix(1);
    } else {
      break;
    }
  }
  return unit;
}

bool ParsesAs(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address;
  return inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

// Leading zeros are decimal, as in Go before 1.17.
bool IsIpv4(std::string_view text) {
  int parts = 0;
  for (; parts < 4; ++parts) {
    const size_t end = std::min(text.find('.'), text.size());
    const std::string_view part = text.substr(0, end);
    if (part.empty() || part.size() > 12 || !std::ranges::all_of(part, IsDigit)) return false;
    const auto number = NumberOf(part);
    if (!number || *number > 255) return false;
    if (end == text.size()) return parts == 3;
    text.remove_prefix(end + 1);
  }
  return false;
}

bool IsIpv6(std::string_view text) { return ParsesAs(AF_INET6, text); }

bool IsCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos || slash + 1 == text.size() || text.size() - slash > 4) return false;
  const std::string_view address = text.substr(0, slash);
  const auto bits = NumberOf(text.substr(slash + 1));
  if (!bits) return false;
  return (IsIpv4(address) && *bits <= 32) || (IsIpv6(address) && *bits <= 128);
}

std::string DigitsOf(std::string_view text, std::string_view others) {
  std::string digits;
  for (const char c : text) {
    if (IsDigit(c) || c == 'X' || c == 'x') {
      digits += c;
    } else if (others.find(c) == others.npos) {
      return {};
    }
  }
  return digits;
}

bool IsIsbn(std::string_view text, size_t length) {
  const std::string digits = DigitsOf(text, " -");
  if (digits.size() != length) return false;
  int sum = 0;
  for (size_t i = 0; i < length; ++i) {
    const bool ten = !IsDigit(digits[i]);
    if (ten && (length != 10 || i != 9)) return false;
    const int value = ten ? 10 : digits[i] - '0';
    sum += length == 10 ? static_cast<int>(10 - i) * value : value * (i % 2 == 0 ? 1 : 3);
  }
  return sum % (length == 10 ? 11 : 10) == 0;
}

bool IsCreditCard(std::string_view text) {
  static const std::shared_ptr<const Pattern> issuers =
      Pattern::Compile(
          R"(^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|)"
          R"(3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|)"
          R"((?:2131|1800|35\d{3})\d{11})$)")
          .value();
  std::string digits(text);
  std::erase_if(digits, [](char c) { return !IsDigit(c); });
  if (!issuers->Matches(digits)) return false;
  int sum = 0;
  bool twice = false;
  for (size_t i = digits.size(); i-- > 0; twice = !twice) {
    const int value = (digits[i] - '0') * (twice ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 == 0;
}

bool HasLabelsUpTo63(std::string_view host) {
  while (true) {
    const size_t end = std::min(host.find('.'), host.size());
    if (end > 63) return false;
    if (end == host.size()) return true;
    host.remove_prefix(end + 1);
  }
}

}  // namespace

Format FindFormat(std::string_view name, SchemaType type) {
  if (name.empty()) return Format::kNone;
  const bool number = type == SchemaType::kInteger || type == SchemaType::kNumber;
  if (!number && type != SchemaType::kString && type != SchemaType::kAny) return Format::kNone;
  const std::string wanted = WithoutDashes(name);
  for (const FormatRow& row : kFormats) {
    if (number ? row.name != name : WithoutDashes(row.name) != wanted) continue;
    if (row.type == (number ? type : kText)) return row.format;
  }
  return Format::kNone;
}

std::string_view NameOf(Format format) { return RowOf(format).name; }

std::optional<Duration> ParseFormattedDuration(std::string_view text) {
  if (const auto duration = ParseGoDuration(text)) return *duration;
  int64_t nanos = 0;
  bool has_unit = false;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view number = text.substr(0, digits);
    text.remove_prefix(digits);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
    const std::string name = TakeUnit(text);
    const DurationUnit* unit = name.empty() ? nullptr : FindDurationUnit(name);
    if (unit == nullptr || number.empty()) continue;
    int64_t count = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (error != std::errc()) return std::nullopt;
    int64_t part = 0;
    if (__builtin_mul_overflow(count, unit->nanos, &part) ||
        __builtin_add_overflow(nanos, part, &nanos)) {
      return std::nullopt;
    }
    has_unit = true;
  }
  return has_unit ? std::optional(Duration{nanos}) : std::nullopt;
}

bool HasFormat(std::string_view text, Format format) {
  switch (format) {
    case Format::kCidr:
      return IsCidr(text);
    case Format::kCreditCard:
      return IsCreditCard(text);
    case Format::kDate:
      return IsDate(text);
    case Format::kDateTime:
      return IsDateTime(text);
    case Format::kDuration:
      return ParseFormattedDuration(text).has_value();
    case Format::kIpv4:
      return IsIpv4(text);
    case Format::kIpv6:
      return IsIpv6(text);
    case Format::kIsbn:
      return IsIsbn(text, 10) || IsIsbn(text, 13);
    case Format::kIsbn10:
      return IsIsbn(text, 10);
    case Format::kIsbn13:
      return IsIsbn(text, 13);
    case Format::kHostname:
      if (text.size() > 255 || !HasLabelsUpTo63(text)) return false;
      break;
    case Format::kShortName:
      if (text.size() > 63) return false;
      break;
    case Format::kLongName:
      if (text.size() > 253) return false;
      break;
    default:
      break;
  }
  const Pattern* pattern = format == Format::kNone ? nullptr : PatternOf(format);
  return pattern == nullptr || pattern->Matches(text);
}

}  // namespace berth::apiserver::crd
