#include "api/cron_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace berth::api {

namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86'400;
// As long as the cron library searches.
constexpr int kMaxYears = 5;

struct Field {
  uint32_t min;
  uint32_t max;
  std::span<const std::string_view> names;  // From `first_name` on.
  uint32_t first_name;
};

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed",
                                                       "thu", "fri", "sat"};
constexpr Field kMinuteField = {0, 59, {}, 0};
constexpr Field kHourField = {0, 23, {}, 0};
constexpr Field kDayField = {1, 31, {}, 0};
constexpr Field kMonthField = {1, 12, kMonths, 1};
constexpr Field kWeekdayField = {0, 6, kWeekdays, 0};

struct Descriptor {
  std::string_view name;
  std::string_view schedule;
};
constexpr std::array<Descriptor, 7> kDescriptors = {{
    {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"},
    {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"},
    {"@daily", "0 0 * * *"},
    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
}};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

std::vector<std::string_view> SplitText(std::string_view text, char separator, bool skip_empty) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    if (!skip_empty || !text.substr(0, end).empty()) parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<uint32_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Fail(
        fmt::format("failed to parse int from {}: strconv.Atoi: parsing \"{}\": invalid "
                    "syntax",
                    text, text));
  }
  if (number < 0) return Fail(fmt::format("negative number ({}) not allowed: {}", number, text));
  return static_cast<uint32_t>(std::min<int64_t>(number, 1'000'000));
}

Result<uint32_t> ParseValue(std::string_view text, const Field& field) {
  const auto named = std::ranges::find(field.names, Lower(text));
  if (named != field.names.end()) {
    return field.first_name + static_cast<uint32_t>(named - field.names.begin());
  }
  return ParseNumber(text);
}

struct Bits {
  uint64_t values = 0;
  bool any = false;  // The range is "*".
};

// Parses "*", "7", "2-5", "*/15" or "2-10/4".
Result<Bits> ParseRange(std::string_view text, const Field& field) {
  const std::vector<std::string_view> stepped = SplitText(text, '/', false);
  const std::vector<std::string_view> ends = SplitText(stepped[0], '-', false);
  uint32_t begin = field.min;
  uint32_t end = field.max;
  bool any = ends[0] == "*" || ends[0] == "?";
  const bool single = ends.size() == 1 && !any;
  if (!any) {
    const auto first = ParseValue(ends[0], field);
    if (!first) return std::unexpected(first.error());
    begin = end = *first;
    if (ends.size() > 2) return Fail(fmt::format("too many hyphens: {}", text));
    if (ends.size() == 2) {
      const auto last = ParseValue(ends[1], field);
      if (!last) return std::unexpected(last.error());
      end = *last;
    }
  }
  uint32_t step = 1;
  if (stepped.size() > 2) return Fail(fmt::format("too many slashes: {}", text));
  if (stepped.size() == 2) {
    const auto given = ParseNumber(stepped[1]);
    if (!given) return std::unexpected(given.error());
    step = *given;
    if (single) end = field.max;  // "5/15" means "5-59/15".
    if (step > 1) any = false;
  }
  if (begin < field.min) {
    return Fail(
        fmt::format("beginning of range ({}) below minimum ({}): {}", begin, field.min, text));
  }
  if (end > field.max) {
    return Fail(fmt::format("end of range ({}) above maximum ({}): {}", end, field.max, text));
  }
  if (begin > end) {
    return Fail(
        fmt::format("beginning of range ({}) beyond end of range ({}): {}", begin, end, text));
  }
  if (step == 0) return Fail(fmt::format("step of range should be a positive number: {}", text));
  Bits bits{.any = any};
  for (uint32_t value = begin; value <= end; value += step) bits.values |= uint64_t{1} << value;
  return bits;
}

Result<Bits> ParseField(std::string_view text, const Field& field) {
  Bits bits;
  for (const std::string_view range : SplitText(text, ',', true)) {
    const auto parsed = ParseRange(range, field);
    if (!parsed) return parsed;
    bits.values |= parsed->values;
    bits.any |= parsed->any;
  }
  return bits;
}

// Parses a duration of Go, such as "1h30m" or "2.5s".
std::optional<Duration> ParseDuration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 7> kUnits = {
      {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};
  double nanos = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789."));
    const auto found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
    if (found == kUnits.end()) return std::nullopt;
    nanos += number * found->second;
    text.remove_prefix(unit.size());
  }
  return Duration::FromNanos(nanos);
}

bool Has(uint64_t bits, unsigned value) { return (bits >> value & 1) != 0; }

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Returns the time at which it is `local` in the zone, or the end of the hour that daylight saving
// time skips or repeats there. `now` is shortly before.
int64_t ToUtc(int64_t local, const TimeZone& zone, int64_t now) {
  const int64_t utc = local - zone.OffsetAt(now);
  const int64_t early = local - (utc + zone.OffsetAt(utc));
  return early > 0 ? utc + early : utc;
}

}  // namespace

Result<CronSchedule> CronSchedule::Parse(std::string_view text) {
  if (text.empty()) return Fail("empty spec string");
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    return Fail("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
  CronSchedule schedule;
  if (text.starts_with('@')) {
    constexpr std::string_view kEvery = "@every ";
    if (text.starts_with(kEvery)) {
      const auto every = ParseDuration(text.substr(kEvery.size()));
      if (!every) {
        return Fail(fmt::format("failed to parse duration {}: time: invalid duration \"{}\"", text,
                                text.substr(kEvery.size())));
      }
      const int64_t seconds = std::max<int64_t>(1, *every / Duration::Seconds(1));
      schedule.every_ = Duration::Seconds(seconds);
      return schedule;
    }
    const auto found = std::ranges::find(kDescriptors, text, &Descriptor::name);
    if (found == kDescriptors.end()) {
      return Fail(fmt::format("unrecognized descriptor: {}", text));
    }
    return Parse(found->schedule);
  }
  std::string spaced(text);
  std::ranges::replace_if(spaced, [](char c) { return c == '\t' || c == '\n'; }, ' ');
  const std::vector<std::string_view> fields = SplitText(spaced, ' ', true);
  if (fields.size() != 5) {
    return Fail(fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(),
                            fmt::join(fields, " ")));
  }
  constexpr std::array<Field, 5> kFields = {kMinuteField, kHourField, kDayField, kMonthField,
                                            kWeekdayField};
  std::array<Bits, 5> bits;
  for (size_t i = 0; i < kFields.size(); ++i) {
    const auto parsed = ParseField(fields[i], kFields[i]);
    if (!parsed) return std::unexpected(parsed.error());
    bits[i] = *parsed;
  }
  schedule.minutes_ = bits[0].values;
  schedule.hours_ = bits[1].values;
  schedule.days_ = bits[2].values;
  schedule.months_ = bits[3].values;
  schedule.weekdays_ = bits[4].values;
  schedule.any_day_ = bits[2].any;
  schedule.any_weekday_ = bits[4].any;
  return schedule;
}

bool CronSchedule::MatchesDay(unsigned day, unsigned weekday) const {
  const bool by_day = Has(days_, day);
  const bool by_weekday = Has(weekdays_, weekday);
  return any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
}

std::optional<Instant> CronSchedule::Next(Instant after, const TimeZone& zone) const {
  if (every_.nanos > 0) return after.FloorToSecond() + every_;
  // A field such as "," has no values.
  if (minutes_ == 0 || hours_ == 0 || months_ == 0) return std::nullopt;
  int64_t time = (FloorDivide(after.unix_seconds(), kMinute) + 1) * kMinute;
  std::optional<int> last_year;
  for (;;) {
    const int64_t local = time + zone.OffsetAt(time);
    const int64_t day_number = FloorDivide(local, kDay);
    const std::chrono::sys_days day{std::chrono::days(day_number)};
    const std::chrono::year_month_day date(day);
    const int year = static_cast<int>(date.year());
    if (!last_year) last_year = year + kMaxYears;
    if (year > *last_year) return std::nullopt;
    const int64_t second = local - day_number * kDay;
    int64_t next = 0;
    if (!Has(months_, static_cast<unsigned>(date.month()))) {
      const std::chrono::sys_days first{(date.year() / date.month() + std::chrono::months(1)) /
                                        std::chrono::day(1)};
      next = ToUtc(int64_t{first.time_since_epoch().count()} * kDay, zone, time);
    } else if (!MatchesDay(static_cast<unsigned>(date.day()),
                           std::chrono::weekday(day).c_encoding())) {
      next = ToUtc((day_number + 1) * kDay, zone, time);
    } else if (!Has(hours_, static_cast<unsigned>(second / kHour))) {
      next = time + kHour - second % kHour;
    } else if (!Has(minutes_, static_cast<unsigned>(second % kHour / kMinute))) {
      next = time + kMinute - second % kMinute;
    } else {
      return Instant::FromUnixSeconds(time);
    }
    time = std::max(next, time + kMinute);
  }
}

}  // namespace berth::api
