// Timestamps in the format of Kubernetes: RFC 3339, formatted in UTC.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace berth::api {

// Parses "2026-05-01T12:30:00Z", optionally with a fraction of a second and an offset such as
// "+02:00". Drops digits beyond the nanosecond. Fails for days that do not exist. Times before 1678
// and after 2261, which an Instant cannot hold, become the nearest one that it can.
Result<Instant> ParseTimestamp(std::string_view text);

// Returns the nearest time that timestamps have, from 1678 to 2261.
Instant ClampToTimestamp(Instant instant);

// Formats in UTC, with a fraction only if it is not zero. ParseTimestamp returns `instant` again.
std::string FormatTimestamp(Instant instant);

// metav1.Time: whole seconds, rounded down: "2026-01-01T00:00:00Z".
std::string FormatTime(Instant instant);
// metav1.MicroTime: exactly six decimals, rounded down: "2026-01-01T00:00:00.000000Z".
std::string FormatMicroTime(Instant instant);

}  // namespace berth::api
