// TimeZone is a zone of the IANA database: the offset from UTC at any time.
//
// It is read from the content of a TZif file (RFC 8536), as in /usr/share/zoneinfo. Immutable.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::api {

class TimeZone {
 public:
  TimeZone() = default;  // UTC.
  static Result<TimeZone> Parse(std::string_view tzif);

  // Returns how many seconds local time is ahead of UTC. O(log n) in the number of transitions.
  int64_t OffsetAt(int64_t unix_seconds) const;

 private:
  struct Transition {
    int64_t at = 0;
    int64_t offset = 0;
  };
  // When daylight saving time begins or ends: "M3.5.0/2", "J60" or "59" of a POSIX TZ string.
  struct Change {
    enum class Form : uint8_t { kWeekday, kDayWithoutLeap, kDay };
    Form form = Form::kDay;
    int month = 0;
    int week = 0;
    int day = 0;
    int64_t seconds = 7200;  // After midnight.

    // Returns the local time of the change in `year`, as if it were UTC.
    int64_t In(int year) const;
  };
  // What holds after the last transition.
  struct Rule {
    int64_t standard = 0;
    int64_t daylight = 0;
    std::optional<std::array<Change, 2>> changes = {};  // Begin and end of daylight saving time.

    int64_t OffsetAt(int64_t unix_seconds) const;
  };
  class RuleParser;

  std::vector<Transition> transitions_;
  int64_t first_offset_ = 0;  // Before the first transition.
  std::optional<Rule> rule_;
};

}  // namespace berth::api
