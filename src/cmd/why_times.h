// Times in `berth why`: as people say them, or exactly.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace berth::cmd {

struct TimeFormat {
  Instant now;
  bool exact = false;  // With the date, in the local time zone.
};

// Returns a timestamp of the API as "2 m ago", "in 7 s" or "just now"; what is no timestamp as it
// is.
std::string TimeText(std::string_view timestamp, const TimeFormat& format);

}  // namespace berth::cmd
