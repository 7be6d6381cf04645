#include "api/timestamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/text.h"

namespace berth::api {

namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
// The years 1678 to 2261, which an Instant can hold in full.
constexpr Instant kEarliest{-9'214'560'000 * kNanosPerSecond};
constexpr Instant kLatest{9'214'646'400 * kNanosPerSecond - 1};

// Scanner consumes fixed-width fields from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  // Consumes `width` digits, whose value must be in [low, high].
  std::optional<int> Number(size_t width, int low, int high) {
    if (rest_.size() < width) return std::nullopt;
    int number = 0;
    for (size_t i = 0; i < width; ++i) {
      if (!IsDigit(rest_[i])) return std::nullopt;
      number = number * 10 + (rest_[i] - '0');
    }
    if (number < low || number > high) return std::nullopt;
    rest_.remove_prefix(width);
    return number;
  }

  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Consumes an optional ".123"; returns nullopt if the point has no digits.
  std::optional<int64_t> Fraction() {
    if (!Take('.')) return 0;
    if (rest_.empty() || !IsDigit(rest_.front())) return std::nullopt;
    int64_t nanos = 0;
    int64_t unit = kNanosPerSecond / 10;
    for (; !rest_.empty() && IsDigit(rest_.front()); rest_.remove_prefix(1), unit /= 10) {
      nanos += (rest_.front() - '0') * unit;
    }
    return nanos;
  }

  // Consumes "Z" or "+hh:mm"; returns the offset from UTC in seconds.
  std::optional<int64_t> Offset() {
    if (Take('Z')) return 0;
    const bool west = Take('-');
    if (!west && !Take('+')) return std::nullopt;
    const auto hours = Number(2, 0, 23);
    if (!hours || !Take(':')) return std::nullopt;
    const auto minutes = Number(2, 0, 59);
    if (!minutes) return std::nullopt;
    const int64_t seconds = *hours * 3600 + *minutes * 60;
    return west ? -seconds : seconds;
  }

  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<Instant> Parse(std::string_view text) {
  namespace chrono = std::chrono;
  Scanner scan(text);
  const auto year = scan.Number(4, 0, 9999);
  if (!year || !scan.Take('-')) return std::nullopt;
  const auto month = scan.Number(2, 1, 12);
  if (!month || !scan.Take('-')) return std::nullopt;
  const auto day = scan.Number(2, 1, 31);
  if (!day || !scan.Take('T')) return std::nullopt;
  const auto hour = scan.Number(2, 0, 23);
  if (!hour || !scan.Take(':')) return std::nullopt;
  const auto minute = scan.Number(2, 0, 59);
  if (!minute || !scan.Take(':')) return std::nullopt;
  const auto second = scan.Number(2, 0, 59);
  if (!second) return std::nullopt;
  const auto fraction = scan.Fraction();
  if (!fraction) return std::nullopt;
  const auto offset = scan.Offset();
  if (!offset || !scan.done()) return std::nullopt;

  const chrono::year_month_day date{chrono::year{*year},
                                    chrono::month{static_cast<unsigned>(*month)},
                                    chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  const int64_t days = chrono::sys_days{date}.time_since_epoch().count();
  const int64_t seconds = days * 86'400 + *hour * 3600 + *minute * 60 + *second - *offset;
  return ClampToTimestamp(Instant::FromUnixSeconds(seconds) + Duration{*fraction});
}

}  // namespace

Instant ClampToTimestamp(Instant instant) { return std::clamp(instant, kEarliest, kLatest); }

Result<Instant> ParseTimestamp(std::string_view text) {
  if (const auto instant = Parse(text)) return *instant;
  return Fail("timestamps must look like 2006-01-02T15:04:05Z");
}

std::string FormatTimestamp(Instant instant) {
  namespace chrono = std::chrono;
  const chrono::sys_time<chrono::nanoseconds> time{
      chrono::nanoseconds{ClampToTimestamp(instant).nanos}};
  const auto midnight = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date{midnight};
  const chrono::hh_mm_ss clock{time - midnight};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (int64_t nanos = clock.subseconds().count(); nanos != 0) {
    text += fmt::format(".{:09}", nanos);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + 'Z';
}

std::string FormatTime(Instant instant) { return FormatTimestamp(instant.FloorToSecond()); }

std::string FormatMicroTime(Instant instant) {
  instant = ClampToTimestamp(instant);
  const Instant second = instant.FloorToSecond();
  std::string text = FormatTimestamp(second);
  text.pop_back();  // The Z.
  return text + fmt::format(".{:06}Z", (instant - second).nanos / 1000);
}

}  // namespace berth::api
