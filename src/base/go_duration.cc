#include "base/go_duration.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace berth {
namespace {

constexpr uint64_t kMaxMagnitude = uint64_t{1} << 63;
constexpr uint64_t kSecond = 1'000'000'000;

constexpr std::array<std::pair<std::string_view, uint64_t>, 8> kUnits = {{
    {"ns", 1},
    {"us", 1'000},
    {"\u00b5s", 1'000},  // The micro sign,
    {"\u03bcs", 1'000},  // and the Greek letter.
    {"ms", 1'000'000},
    {"s", kSecond},
    {"m", 60 * kSecond},
    {"h", 3600 * kSecond},
}};

std::optional<uint64_t> FindUnit(std::string_view name) {
  for (const auto& [unit, nanos] : kUnits) {
    if (unit == name) return nanos;
  }
  return std::nullopt;
}

std::string_view TakeDigits(std::string_view& text) {
  const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

// Returns nullopt if the number exceeds the range of a duration.
std::optional<uint64_t> ParseWhole(std::string_view digits) {
  uint64_t number = 0;
  for (const char c : digits) {
    if (__builtin_mul_overflow(number, 10, &number) ||
        __builtin_add_overflow(number, static_cast<uint64_t>(c - '0'), &number) ||
        number > kMaxMagnitude) {
      return std::nullopt;
    }
  }
  return number;
}

// Returns 0.`digits` of `unit`. Digits that do not fit are below the resolution.
uint64_t ParseFraction(std::string_view digits, uint64_t unit) {
  uint64_t number = 0;
  double scale = 1;
  for (const char c : digits) {
    if (number > (kMaxMagnitude - 10) / 10) break;
    number = number * 10 + static_cast<uint64_t>(c - '0');
    scale *= 10;
  }
  return static_cast<uint64_t>(static_cast<double>(number) * (static_cast<double>(unit) / scale));
}

// Formats `value` / 10^`digits` without trailing zeros.
std::string Decimal(uint64_t value, int digits) {
  std::string fraction;
  for (int i = 0; i < digits; ++i, value /= 10) {
    const char digit = static_cast<char>('0' + value % 10);
    if (!fraction.empty() || digit != '0') fraction.insert(fraction.begin(), digit);
  }
  return std::to_string(value) + (fraction.empty() ? "" : "." + fraction);
}

std::string FormatMagnitude(uint64_t nanos) {
  if (nanos == 0) return "0s";
  if (nanos < 1'000) return std::to_string(nanos) + "ns";
  if (nanos < 1'000'000) return Decimal(nanos, 3) + "\u00b5s";
  if (nanos < kSecond) return Decimal(nanos, 6) + "ms";
  const uint64_t minutes = nanos / (60 * kSecond);
  std::string text = Decimal(nanos % (60 * kSecond), 9) + "s";
  if (minutes > 0) text = std::to_string(minutes % 60) + "m" + text;
  if (minutes >= 60) text = std::to_string(minutes / 60) + "h" + text;
  return text;
}

}  // namespace

Result<Duration> ParseGoDuration(std::string_view text) {
  const std::string quoted = "duration \"" + std::string(text) + "\"";
  const auto invalid = [&] { return Fail("time: invalid " + quoted); };

  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return Duration{};
  if (rest.empty()) return invalid();

  uint64_t total = 0;
  while (!rest.empty()) {
    const std::string_view whole = TakeDigits(rest);
    std::string_view fraction;
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      fraction = TakeDigits(rest);
    }
    if (whole.empty() && fraction.empty()) return invalid();

    const std::string_view name =
        rest.substr(0, std::min(rest.find_first_of(".0123456789"), rest.size()));
    rest.remove_prefix(name.size());
    if (name.empty()) return Fail("time: missing unit in " + quoted);
    const auto unit = FindUnit(name);
    if (!unit) return Fail("time: unknown unit \"" + std::string(name) + "\" in " + quoted);

    const auto number = ParseWhole(whole);
    uint64_t nanos = 0;
    if (!number || __builtin_mul_overflow(*number, *unit, &nanos) ||
        __builtin_add_overflow(nanos, ParseFraction(fraction, *unit), &nanos) ||
        __builtin_add_overflow(total, nanos, &total) || total > kMaxMagnitude) {
      return invalid();
    }
  }
  if (negative) return Duration{static_cast<int64_t>(-total)};
  if (total == kMaxMagnitude) return invalid();
  return Duration{static_cast<int64_t>(total)};
}

std::string FormatGoDuration(Duration duration) {
  if (duration.nanos >= 0) return FormatMagnitude(static_cast<uint64_t>(duration.nanos));
  return "-" + FormatMagnitude(-static_cast<uint64_t>(duration.nanos));
}

}  // namespace berth
