#include "cel/time_text.h"

#include <fmt/format.h>

#include <chrono>

#include "base/text.h"
#include "cel/numbers.h"

namespace berth::cel {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;

// Takes `width` digits from the front of the text, whose value must be in [low, high].
std::optional<int> TakeNumber(std::string_view& text, size_t width, int low, int high) {
  if (text.size() < width) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, width)) {
    if (!IsDigit(c)) return std::nullopt;
    number = number * 10 + (c - '0');
  }
  if (number < low || number > high) return std::nullopt;
  text.remove_prefix(width);
  return number;
}

bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Takes an optional fraction of a second; digits beyond the nanosecond are dropped.
std::optional<int32_t> TakeFraction(std::string_view& text) {
  if (!Take(text, '.') && !Take(text, ',')) return 0;
  if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  int32_t nanos = 0;
  for (int32_t unit = 100'000'000; !text.empty() && IsDigit(text[0]); text.remove_prefix(1)) {
    nanos += (text[0] - '0') * unit;
    unit /= 10;
  }
  return nanos;
}

std::optional<int32_t> TakeOffset(std::string_view& text) {
  if (Take(text, 'Z')) return 0;
  const bool west = Take(text, '-');
  if (!west && !Take(text, '+')) return std::nullopt;
  const auto hours = TakeNumber(text, 2, 0, 24);
  if (!hours || !Take(text, ':')) return std::nullopt;
  const auto minutes = TakeNumber(text, 2, 0, 60);
  if (!minutes) return std::nullopt;
  const int32_t seconds = *hours * 3600 + *minutes * 60;
  return west ? -seconds : seconds;
}

int64_t FloorDays(int64_t seconds) {
  return seconds / kSecondsPerDay - (seconds % kSecondsPerDay < 0 ? 1 : 0);
}

}  // namespace

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  namespace chrono = std::chrono;
  const auto year = TakeNumber(text, 4, 0, 9999);
  if (!year || !Take(text, '-')) return std::nullopt;
  const auto month = TakeNumber(text, 2, 1, 12);
  if (!month || !Take(text, '-')) return std::nullopt;
  const auto day = TakeNumber(text, 2, 1, 31);
  if (!day || !Take(text, 'T')) return std::nullopt;
  const auto hour = TakeNumber(text, 2, 0, 23);
  if (!hour || !Take(text, ':')) return std::nullopt;
  const auto minute = TakeNumber(text, 2, 0, 59);
  if (!minute || !Take(text, ':')) return std::nullopt;
  const auto second = TakeNumber(text, 2, 0, 59);
  if (!second) return std::nullopt;
  const auto nanos = TakeFraction(text);
  if (!nanos) return std::nullopt;
  const auto offset = TakeOffset(text);
  if (!offset || !text.empty()) return std::nullopt;
  const chrono::year_month_day date{chrono::year{*year},
                                    chrono::month{static_cast<unsigned>(*month)},
                                    chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  const int64_t days = chrono::sys_days{date}.time_since_epoch().count();
  const int64_t seconds = days * kSecondsPerDay + *hour * 3600 + *minute * 60 + *second - *offset;
  return Timestamp{seconds, *nanos, *offset};
}

CalendarTime ToCalendar(const Timestamp& timestamp, int64_t offset_seconds) {
  namespace chrono = std::chrono;
  const int64_t seconds = timestamp.seconds + offset_seconds;
  const int64_t days = FloorDays(seconds);
  const int64_t of_day = seconds - days * kSecondsPerDay;
  const chrono::sys_days day{chrono::days{days}};
  const chrono::year_month_day date{day};
  const chrono::sys_days new_year{date.year() / chrono::January / 1};
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<int64_t>(static_cast<unsigned>(date.month())) - 1,
          .day_of_month = static_cast<int64_t>(static_cast<unsigned>(date.day())) - 1,
          .day_of_year = (day - new_year).count(),
          .day_of_week = chrono::weekday{day}.c_encoding(),
          .hour = of_day / 3600,
          .minute = of_day / 60 % 60,
          .second = of_day % 60};
}

std::string FormatDuration(int64_t nanos) {
  constexpr int64_t kPerSecond = 1'000'000'000;
  // As Go's Duration.Seconds does it, to the last bit.
  const int64_t whole = nanos / kPerSecond;
  const double seconds = static_cast<double>(whole) + static_cast<double>(nanos % kPerSecond) / 1e9;
  return FormatFixedShortest(seconds) + 's';
}

std::string FormatTimestamp(const Timestamp& timestamp) {
  const CalendarTime time = ToCalendar(timestamp, timestamp.offset);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", time.year, time.month + 1,
                                 time.day_of_month + 1, time.hour, time.minute, time.second);
  if (timestamp.nanos != 0) {
    std::string fraction = fmt::format(".{:09}", timestamp.nanos);
    fraction.resize(fraction.find_last_not_of('0') + 1);
    text += fraction;
  }
  if (timestamp.offset == 0) return text + 'Z';
  const int32_t minutes = (timestamp.offset < 0 ? -timestamp.offset : timestamp.offset) / 60;
  return text +
         fmt::format("{}{:02}:{:02}", timestamp.offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

}  // namespace berth::cel
