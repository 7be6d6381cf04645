// CronSchedule is the schedule of a CronJob: "30 6-16/4 * * 1-5", "@hourly" or "@every 90m", as
// kube-controller-manager's cron library reads it.
//
// Immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/time_zone.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::api {

class CronSchedule {
 public:
  // The errors are those of the cron library.
  static Result<CronSchedule> Parse(std::string_view text);

  // Returns the first time after `after`, or nullopt if there is none within five years, as for
  // February 30. Takes a few thousand steps at most.
  std::optional<Instant> Next(Instant after, const TimeZone& zone = {}) const;

 private:
  bool MatchesDay(unsigned day, unsigned weekday) const;

  // One bit for each value.
  uint64_t minutes_ = 0;
  uint64_t hours_ = 0;
  uint64_t days_ = 0;
  uint64_t months_ = 0;
  uint64_t weekdays_ = 0;
  // Whether the field is "*": if not, a day that matches one of both is enough.
  bool any_day_ = false;
  bool any_weekday_ = false;
  Duration every_ = {};  // Of "@every"; otherwise zero.
};

}  // namespace berth::api
