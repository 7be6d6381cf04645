#include "api/time_zone.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>

namespace berth::api {

namespace {

constexpr int64_t kDaySeconds = 86'400;
constexpr size_t kHeaderBytes = 44;
constexpr size_t kTypeBytes = 6;
// Real zones have a few hundred transitions.
constexpr uint64_t kMaxCount = 10'000;

uint64_t BigEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<uint8_t>(c);
  return number;
}
int64_t Signed32(std::string_view bytes) {
  return static_cast<int32_t>(static_cast<uint32_t>(BigEndian(bytes)));
}

// The counts of a TZif header.
struct Counts {
  uint64_t utc_marks, standard_marks, leaps, times, types, characters;

  uint64_t Bytes(uint64_t time_bytes) const {
    return times * (time_bytes + 1) + types * kTypeBytes + characters + leaps * (time_bytes + 4) +
           standard_marks + utc_marks;
  }
};

std::optional<Counts> ReadHeader(std::string_view data) {
  if (data.size() < kHeaderBytes || !data.starts_with("TZif")) return std::nullopt;
  const auto count = [&](size_t i) { return BigEndian(data.substr(20 + 4 * i, 4)); };
  const Counts counts{count(0), count(1), count(2), count(3), count(4), count(5)};
  for (size_t i = 0; i < 6; ++i) {
    if (count(i) > kMaxCount) return std::nullopt;
  }
  return counts;
}

int64_t DaysOf(int year, int month, int day) {
  using std::chrono::sys_days;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return sys_days(date).time_since_epoch().count();
}

int YearOf(int64_t seconds) {
  const int64_t days = seconds / kDaySeconds - (seconds % kDaySeconds < 0 ? 1 : 0);
  const std::chrono::sys_days date{std::chrono::days(days)};
  return static_cast<int>(std::chrono::year_month_day(date).year());
}

}  // namespace

// Parses "CET-1CEST,M3.5.0,M10.5.0/3".
class TimeZone::RuleParser {
 public:
  explicit RuleParser(std::string_view text) : text_(text) {}

  std::optional<Rule> Parse() {
    Rule rule;
    const auto standard = NameAndOffset(std::nullopt);
    if (!standard) return std::nullopt;
    rule.standard = *standard;
    if (text_.empty()) return rule;
    const auto daylight = NameAndOffset(rule.standard + 3600);
    if (!daylight) return std::nullopt;
    rule.daylight = *daylight;
    std::array<Change, 2> changes;
    for (Change& change : changes) {
      if (!Skip(',') || !ReadChange(change)) return std::nullopt;
    }
    if (!text_.empty()) return std::nullopt;
    rule.changes = changes;
    return rule;
  }

 private:
  bool Skip(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::optional<int> Number() {
    int number = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc() || number < 0 || number > 1000) return std::nullopt;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return number;
  }
  // Reads "[+-]hh[:mm[:ss]]".
  std::optional<int64_t> Time() {
    const bool negative = Skip('-');
    if (!negative) Skip('+');
    int64_t seconds = 0;
    for (int64_t unit = 3600; unit > 0; unit /= 60) {
      const auto number = Number();
      if (!number) return std::nullopt;
      seconds += *number * unit;
      if (!Skip(':')) break;
    }
    return negative ? -seconds : seconds;
  }
  // Reads a name and the offset, which counts to the west; an absent one is `fallback`.
  std::optional<int64_t> NameAndOffset(std::optional<int64_t> fallback) {
    if (Skip('<')) {
      const size_t end = text_.find('>');
      if (end == text_.npos) return std::nullopt;
      text_.remove_prefix(end + 1);
    } else {
      const size_t end =
          text_.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
      if (end == 0) return std::nullopt;
      text_.remove_prefix(std::min(end, text_.size()));
    }
    if (text_.empty() || text_.front() == ',') return fallback;
    const auto west = Time();
    return west ? std::optional(-*west) : std::nullopt;
  }
  bool ReadChange(Change& change) {
    if (Skip('M')) {
      const auto month = Number();
      const auto week = Skip('.') ? Number() : std::nullopt;
      const auto day = Skip('.') ? Number() : std::nullopt;
      if (!month || !week || !day || *month < 1 || *month > 12 || *week < 1 || *week > 5 ||
          *day > 6) {
        return false;
      }
      change.form = Change::Form::kWeekday;
      change.month = *month;
      change.week = *week;
      change.day = *day;
    } else {
      change.form = Skip('J') ? Change::Form::kDayWithoutLeap : Change::Form::kDay;
      const auto day = Number();
      if (!day || *day > 365) return false;
      change.day = *day;
    }
    if (!Skip('/')) return true;
    const auto time = Time();
    if (!time) return false;
    change.seconds = *time;
    return true;
  }

  std::string_view text_;
};

int64_t TimeZone::Change::In(int year) const {
  int64_t days = DaysOf(year, 1, 1) + day;
  if (form == Form::kDayWithoutLeap) {
    // January 1 is 1, and February 29 is not counted.
    --days;
    if (std::chrono::year(year).is_leap() && day >= 60) ++days;
  } else if (form == Form::kWeekday) {
    const int64_t first = DaysOf(year, month, 1);
    const int64_t next_month = month == 12 ? DaysOf(year + 1, 1, 1) : DaysOf(year, month + 1, 1);
    // 1970-01-01 was a Thursday.
    const int64_t weekday = ((first + 4) % 7 + 7) % 7;
    days = first + (day - weekday + 7) % 7 + int64_t{week - 1} * 7;
    while (days >= next_month) days -= 7;  // The fifth is the last.
  }
  return days * kDaySeconds + seconds;
}

int64_t TimeZone::Rule::OffsetAt(int64_t unix_seconds) const {
  if (!changes) return standard;
  const int year = YearOf(unix_seconds + standard);
  const int64_t begin = (*changes)[0].In(year) - standard;
  const int64_t end = (*changes)[1].In(year) - daylight;
  // In the south, daylight saving time includes the turn of the year.
  const bool saves = begin < end ? unix_seconds >= begin && unix_seconds < end
                                 : unix_seconds >= begin || unix_seconds < end;
  return saves ? daylight : standard;
}

Result<TimeZone> TimeZone::Parse(std::string_view tzif) {
  const auto malformed = [] { return Fail("it is not a time zone file"); };
  auto counts = ReadHeader(tzif);
  if (!counts || tzif[4] < '2') return malformed();
  // The first part has times of 32 bits; the second repeats it with 64.
  const uint64_t skipped = kHeaderBytes + counts->Bytes(4);
  if (skipped > tzif.size()) return malformed();
  tzif.remove_prefix(skipped);
  counts = ReadHeader(tzif);
  if (!counts || counts->types == 0) return malformed();
  tzif.remove_prefix(kHeaderBytes);
  if (counts->Bytes(8) > tzif.size()) return malformed();
  const std::string_view times = tzif.substr(0, counts->times * 8);
  const std::string_view indexes = tzif.substr(counts->times * 8, counts->times);
  const std::string_view types = tzif.substr(counts->times * 9, counts->types * kTypeBytes);
  TimeZone zone;
  zone.first_offset_ = Signed32(types.substr(0, 4));
  for (uint64_t i = 0; i < counts->times; ++i) {
    const auto type = static_cast<uint8_t>(indexes[i]);
    if (type >= counts->types) return malformed();
    zone.transitions_.push_back({static_cast<int64_t>(BigEndian(times.substr(i * 8, 8))),
                                 Signed32(types.substr(type * kTypeBytes, 4))});
  }
  if (!std::ranges::is_sorted(zone.transitions_, {}, &Transition::at)) return malformed();
  tzif.remove_prefix(counts->Bytes(8));
  if (tzif.size() > 2 && tzif.front() == '\n') {
    const std::string_view footer = tzif.substr(1, tzif.find('\n', 1) - 1);
    zone.rule_ = RuleParser(footer).Parse();
    if (!zone.rule_ && !footer.empty()) return malformed();
  }
  return zone;
}

int64_t TimeZone::OffsetAt(int64_t unix_seconds) const {
  const auto next = std::ranges::upper_bound(transitions_, unix_seconds, {}, &Transition::at);
  if (next == transitions_.end() && rule_) return rule_->OffsetAt(unix_seconds);
  return next == transitions_.begin() ? first_offset_ : std::prev(next)->offset;
}

}  // namespace berth::api
