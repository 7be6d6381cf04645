#include "flags/flag_values.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace berth::flags {
namespace {

std::unexpected<Error> NumberProblem(std::string_view function, std::string_view text,
                                     std::string_view problem) {
  return Fail(fmt::format("strconv.{}: parsing {}: {}", function, GoQuote(text), problem));
}

constexpr std::string_view kSyntax = "invalid syntax";
constexpr std::string_view kRange = "value out of range";

// Returns the base of a number, and removes its prefix.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char letter = static_cast<char>(digits[1] | 0x20);
  const int base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

// Parses a number without sign: 15, 0xf, 0o17, 017, 0b1111.
std::errc ParseDigits(std::string_view digits, uint64_t& number) {
  const int base = TakeBase(digits);
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  return stop == end ? error : std::errc::invalid_argument;
}

}  // namespace

Result<bool> ParseBool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return NumberProblem("ParseBool", text, kSyntax);
}

Result<int64_t> ParseInt(std::string_view text, int bits) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  uint64_t size = 0;
  const std::errc error = ParseDigits(digits, size);
  if (error == std::errc::invalid_argument) return NumberProblem("ParseInt", text, kSyntax);
  const uint64_t limit = (uint64_t{1} << (bits - 1)) - (negative ? 0 : 1);
  if (error == std::errc::result_out_of_range || size > limit) {
    return NumberProblem("ParseInt", text, kRange);
  }
  return static_cast<int64_t>(negative ? 0 - size : size);
}

Result<uint64_t> ParseUint(std::string_view text, uint64_t min, uint64_t max) {
  uint64_t number = 0;
  if (ParseDigits(text, number) == std::errc{} && number >= min && number <= max) return number;
  return Fail(max == std::numeric_limits<uint64_t>::max()
                  ? fmt::format("must be an integer of at least {}", min)
                  : fmt::format("must be an integer from {} to {}", min, max));
}

namespace {

struct ByteUnit {
  std::string_view suffix;
  uint64_t bytes;
};
constexpr ByteUnit kByteUnits[] = {
    {"Gi", 1 << 30},  {"Mi", 1 << 20}, {"Ki", 1 << 10}, {"G", 1'000'000'000},
    {"M", 1'000'000}, {"k", 1000},     {"", 1}};

}  // namespace

Result<uint64_t> ParseBytes(std::string_view text) {
  for (const auto& [suffix, unit] : kByteUnits) {
    if (!text.ends_with(suffix)) continue;
    uint64_t number = 0;
    const std::string_view digits = text.substr(0, text.size() - suffix.size());
    if (ParseDigits(digits, number) == std::errc{} &&
        number <= std::numeric_limits<uint64_t>::max() / unit)
      return number * unit;
    break;
  }
  return Fail("must be a number of bytes, such as 1000000 or 512Mi");
}

std::string ShowBytes(uint64_t bytes) {
  if (bytes == 0) return "0";
  for (const auto& [suffix, unit] : kByteUnits) {
    if (suffix.ends_with('i') && bytes % unit == 0)
      return fmt::format("{}{}", bytes / unit, suffix);
  }
  return std::to_string(bytes);
}

Result<int32_t> ParseLevel(std::string_view text) {
  uint64_t level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error == std::errc::result_out_of_range ||
      (error == std::errc{} && level > std::numeric_limits<int32_t>::max())) {
    return NumberProblem("ParseUint", text, kRange);
  }
  if (error != std::errc{} || end != text.data() + text.size()) {
    return NumberProblem("ParseUint", text, kSyntax);
  }
  return static_cast<int32_t>(level);
}

Result<float> ParseFloat(std::string_view text) {
  float number = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range) return NumberProblem("ParseFloat", text, kRange);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return NumberProblem("ParseFloat", text, kSyntax);
  }
  return number;
}

Result<double> ParseDouble(std::string_view text, double min, double max) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stop == end && number >= min && number <= max) return number;
  return Fail(fmt::format("must be a number from {} to {}", min, max));
}

Result<std::string> ParseIp(std::string_view text) {
  std::string address(text);
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
      inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) {
    return address;
  }
  return Fail("failed to parse IP: " + GoQuote(text));
}

Result<std::vector<std::string>> ParseList(std::string_view text) {
  std::vector<std::string> list;
  if (text.empty()) return list;
  list.emplace_back();
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      list.back() += '"';
      ++i;
    } else if (text[i] == '"') {
      const bool may_open = list.back().empty();
      if (!quoted && !may_open) {
        return Fail(
            fmt::format("parse error on line 1, column {}: bare \" in non-quoted field", i + 1));
      }
      quoted = !quoted;
    } else if (text[i] == ',' && !quoted) {
      list.emplace_back();
    } else {
      list.back() += text[i];
    }
  }
  if (quoted) {
    return Fail(
        fmt::format("parse error on line 1, column {}: extraneous or missing \" in quoted-field",
                    text.size() + 1));
  }
  return list;
}

std::string ShowList(const std::vector<std::string>& list) {
  std::string text = "[";
  for (const std::string& item : list) {
    if (text.size() > 1) text += ',';
    text += item.find_first_of(",\"") == item.npos ? item : GoQuote(std::string_view(item));
  }
  return text + "]";
}

}  // namespace berth::flags
