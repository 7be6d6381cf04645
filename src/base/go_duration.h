// Durations in Go's notation: 15s, 1m30.5s, 100ms, -1h0m0s.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace berth {

// Fails with the text of Go's time.ParseDuration: time: missing unit in duration "15".
Result<Duration> ParseGoDuration(std::string_view text);

std::string FormatGoDuration(Duration duration);

}  // namespace berth
