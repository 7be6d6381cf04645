#include "cel/numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace berth::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

std::partial_ordering CompareIntDouble(int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b < -kTwoTo63) return std::partial_ordering::greater;
  // As cel-go has it: within the range, the integer is rounded to a double.
  if (b > kTwoTo63) return std::partial_ordering::less;
  return static_cast<double>(a) <=> b;
}

std::partial_ordering CompareUintDouble(uint64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b < 0) return std::partial_ordering::greater;
  if (b > kTwoTo64) return std::partial_ordering::less;
  return static_cast<double>(a) <=> b;
}

std::partial_ordering CompareIntUint(int64_t a, uint64_t b) {
  if (a < 0) return std::partial_ordering::less;
  return static_cast<uint64_t>(a) <=> b;
}

std::partial_ordering Reverse(std::partial_ordering order) { return 0 <=> order; }

}  // namespace

std::partial_ordering CompareNumbers(const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::kInt:
      if (b.is(Kind::kInt)) return a.integer() <=> b.integer();
      if (b.is(Kind::kUint)) return CompareIntUint(a.integer(), b.unsigned_integer());
      return CompareIntDouble(a.integer(), b.floating());
    case Kind::kUint:
      if (b.is(Kind::kUint)) return a.unsigned_integer() <=> b.unsigned_integer();
      if (b.is(Kind::kInt)) return Reverse(CompareIntUint(b.integer(), a.unsigned_integer()));
      return CompareUintDouble(a.unsigned_integer(), b.floating());
    default:
      if (b.is(Kind::kDouble)) return a.floating() <=> b.floating();
      if (b.is(Kind::kInt)) return Reverse(CompareIntDouble(b.integer(), a.floating()));
      return Reverse(CompareUintDouble(b.unsigned_integer(), a.floating()));
  }
}

std::optional<int64_t> ExactInt(double number) {
  if (!(number >= -kTwoTo63 && number < kTwoTo63) || std::trunc(number) != number) {
    return std::nullopt;
  }
  return static_cast<int64_t>(number);
}

std::optional<uint64_t> ExactUint(double number) {
  if (!(number >= 0 && number < kTwoTo64) || std::trunc(number) != number) return std::nullopt;
  return static_cast<uint64_t>(number);
}

std::string FormatDouble(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> buffer;
  const auto scientific = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                        std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(scientific.ptr - buffer.data()));
  int exponent = 0;
  const std::string_view digits = text.substr(text.find('e') + 1);
  std::from_chars(digits.data() + (digits[0] == '+' ? 1 : 0), digits.data() + digits.size(),
                  exponent);
  // Go writes an exponent from a million on; like to_chars with two digits or more.
  if (exponent < -4 || exponent >= 6) return std::string(text);
  return FormatFixedShortest(number);
}

std::string FormatFixedShortest(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  // The largest double has 309 digits, the smallest 324 decimals and 17 digits more.
  std::array<char, 400> buffer;
  const auto fixed =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
  return {buffer.data(), fixed.ptr};
}

std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<uint64_t> ParseUint(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> ParseDouble(std::string_view text) {
  bool negative = false;
  if (text.starts_with('+') || text.starts_with('-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || text[0] == '+' || text[0] == '-') return std::nullopt;
  auto format = std::chars_format::general;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    // Go requires the exponent of a hexadecimal number.
    if (text.find_first_of("pP") == std::string_view::npos) return std::nullopt;
    text.remove_prefix(2);
    format = std::chars_format::hex;
  } else if (text.starts_with("nan(")) {
    return std::nullopt;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, format);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not tell too small from too large. Go takes the former for zero.
    const size_t exponent = text.find_first_of(format == std::chars_format::hex ? "pP" : "eE");
    const bool tiny =
        exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
    if (!tiny) return std::nullopt;
    number = 0;
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return negative ? -number : number;
}

}  // namespace berth::cel
