// Parts of timestamps and durations: t.getFullYear(), d.getHours() and others.
#include "cel/evaluation.h"
#include "cel/libraries.h"
#include "cel/numbers.h"
#include "cel/time_text.h"

namespace berth::cel {
namespace {

// Returns the offset of a zone in seconds, or an error.
// DIFFERS: names other than UTC are refused, since no time zone database is read.
Value ZoneOffset(const Call& call) {
  if (call.args.size() < 2) return Value::Int(0);
  const std::string_view zone = call[1].text();
  const size_t colon = zone.find(':');
  if (colon == std::string_view::npos) {
    if (zone.empty() || zone == "UTC") return Value::Int(0);
    return call.evaluation.FailWith("unknown time zone {}", zone);
  }
  const auto hours = ParseInt(zone.substr(0, colon));
  const auto minutes = ParseInt(zone.substr(colon + 1));
  // A day is further than any zone, and keeps the sums small.
  constexpr int64_t kMaxHours = 24;
  if (!hours || !minutes || *hours < -kMaxHours || *hours > kMaxHours) {
    return call.evaluation.FailWith("invalid time zone {}", zone);
  }
  if (*minutes < 0 || *minutes > 59) {
    return call.evaluation.FailWith("timezone offset minutes out of range [0, 59]: {}", zone);
  }
  return Value::Int(*hours * 3600 + (zone[0] == '-' ? -60 : 60) * *minutes);
}

template <typename Field>
Value CalendarField(const Call& call, const Field& field) {
  const Value offset = ZoneOffset(call);
  if (offset.is_error()) return offset;
  return Value::Int(field(ToCalendar(call[0].timestamp(), offset.integer())));
}

Value FullYear(const Call& call) {
  return CalendarField(call, [](const CalendarTime& time) { return time.year; });
}
Value Month(const Call& call) {
  return CalendarField(call, [](const CalendarTime& time) { return time.month; });
}
Value DayOfYear(const Call& call) {
  return CalendarField(call, [](const CalendarTime& time) { return time.day_of_year; });
}
Value DayOfMonth(const Call& call) {
  return CalendarField(call, [](const CalendarTime& time) { return time.day_of_month; });
}
Value Date(const Call& call) {
  return CalendarField(call, [](const CalendarTime& time) { return time.day_of_month + 1; });
}
Value DayOfWeek(const Call& call) {
  return CalendarField(call, [](const CalendarTime& time) { return time.day_of_week; });
}
Value Hours(const Call& call) {
  return CalendarField(call, [](const CalendarTime& time) { return time.hour; });
}
Value Minutes(const Call& call) {
  return CalendarField(call, [](const CalendarTime& time) { return time.minute; });
}
Value Seconds(const Call& call) {
  return CalendarField(call, [](const CalendarTime& time) { return time.second; });
}
Value Milliseconds(const Call& call) {
  return CalendarField(
      call, [&](const CalendarTime&) { return int64_t{call[0].timestamp().nanos} / 1'000'000; });
}

constexpr int64_t kSecond = 1'000'000'000;

Value DurationHours(const Call& call) { return Value::Int(call[0].nanos() / (3600 * kSecond)); }
Value DurationMinutes(const Call& call) { return Value::Int(call[0].nanos() / (60 * kSecond)); }
Value DurationSeconds(const Call& call) { return Value::Int(call[0].nanos() / kSecond); }
Value DurationMilliseconds(const Call& call) { return Value::Int(call[0].nanos() / 1'000'000); }

}  // namespace

void AddTimeFunctions(Environment& environment) {
  const struct {
    std::string_view name;
    Implementation of_timestamp;
    Implementation of_duration;
  } getters[] = {
      {"getFullYear", FullYear, nullptr},
      {"getMonth", Month, nullptr},
      {"getDayOfYear", DayOfYear, nullptr},
      {"getDayOfMonth", DayOfMonth, nullptr},
      {"getDate", Date, nullptr},
      {"getDayOfWeek", DayOfWeek, nullptr},
      {"getHours", Hours, DurationHours},
      {"getMinutes", Minutes, DurationMinutes},
      {"getSeconds", Seconds, DurationSeconds},
      {"getMilliseconds", Milliseconds, DurationMilliseconds},
  };
  for (const auto& getter : getters) {
    Function& function = environment.Define(getter.name)
                             .Member("timestamp", {&kTimestampType}, &kIntType, getter.of_timestamp)
                             .Member("timestamp_with_tz", {&kTimestampType, &kStringType},
                                     &kIntType, getter.of_timestamp);
    if (getter.of_duration != nullptr) {
      function.Member("duration", {&kDurationType}, &kIntType, getter.of_duration);
    }
  }
}

}  // namespace berth::cel
