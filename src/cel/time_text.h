// Timestamps as text, and their calendar fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/value.h"

namespace berth::cel {

// Parses RFC 3339 with a zone, as Go's time.Parse does. Any year from 0 to 9999.
std::optional<Timestamp> ParseTimestamp(std::string_view text);
// Formats with as many decimals as necessary, in the offset of the timestamp.
std::string FormatTimestamp(const Timestamp& timestamp);

// Formats a duration in seconds: 5400s, 1.5s.
std::string FormatDuration(int64_t nanos);

// The fields of a timestamp at some offset from UTC; months, days and weekdays count from 0.
struct CalendarTime {
  int64_t year = 0;
  int64_t month = 0;
  int64_t day_of_month = 0;
  int64_t day_of_year = 0;
  int64_t day_of_week = 0;  // From Sunday.
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
};
CalendarTime ToCalendar(const Timestamp& timestamp, int64_t offset_seconds);

}  // namespace berth::cel
