#include "api/json_text.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace berth::api {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The longest prefix of digits.
std::string_view Digits(std::string_view text) {
  return text.substr(0, std::ranges::find_if_not(text, IsDigit) - text.begin());
}

struct NumberParts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view exponent;  // With its sign.
};

std::optional<NumberParts> Split(std::string_view text) {
  NumberParts parts;
  parts.negative = text.starts_with('-');
  if (parts.negative) text.remove_prefix(1);
  parts.whole = Digits(text);
  if (parts.whole.empty() || (parts.whole.size() > 1 && parts.whole.front() == '0'))
    return std::nullopt;
  text.remove_prefix(parts.whole.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = Digits(text);
    if (parts.fraction.empty()) return std::nullopt;
    text.remove_prefix(parts.fraction.size());
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    const size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
    const std::string_view digits = Digits(text.substr(sign));
    if (digits.empty()) return std::nullopt;
    parts.exponent = text.substr(0, sign + digits.size());
    text.remove_prefix(parts.exponent.size());
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

// Saturates: a number with such an exponent is either zero, out of range or not whole.
int64_t ParseExponent(std::string_view text) {
  constexpr int64_t kHuge = int64_t{1} << 60;
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t exponent = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (result.ec == std::errc::result_out_of_range)
    exponent = text.starts_with('-') ? -kHuge : kHuge;
  return std::clamp(exponent, -kHuge, kHuge);
}

}  // namespace

std::string Shorten(std::string_view text, size_t limit) {
  std::string out(text.substr(0, limit));
  if (text.size() > limit) {
    while (!out.empty() && (static_cast<unsigned char>(text[out.size()]) & 0xc0) == 0x80)
      out.pop_back();
    out += "...";
  }
  std::ranges::replace_if(out, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return out;
}

bool IsJsonNumber(std::string_view text) { return Split(text).has_value(); }

std::optional<JsonInteger> ParseJsonInteger(std::string_view text) {
  JsonInteger number;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (result.ptr == text.data() + text.size()) {
    number.overflow = result.ec != std::errc();
    return number;
  }

  const auto parts = Split(text);
  if (!parts) return std::nullopt;
  std::string digits = std::string(parts->whole) + std::string(parts->fraction);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return number;
  // The number is `digits` times ten to the `shift`; move trailing zeros from one to the other.
  int64_t shift = ParseExponent(parts->exponent) - static_cast<int64_t>(parts->fraction.size());
  const size_t zeros = digits.size() - 1 - digits.find_last_not_of('0');
  digits.resize(digits.size() - zeros);
  shift += static_cast<int64_t>(zeros);
  if (shift < 0) return std::nullopt;
  if (shift + static_cast<int64_t>(digits.size()) > 19) return JsonInteger{.overflow = true};
  digits.append(static_cast<size_t>(shift), '0');
  if (parts->negative) digits.insert(0, 1, '-');
  const auto whole = std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
  number.overflow = whole.ec != std::errc();
  return number;
}

}  // namespace berth::api
