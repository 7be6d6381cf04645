// Timestamps in the format of Kubernetes: RFC 3339, formatted in UTC.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace berth::api {

// Parses "2026-05-01T12:30:00Z", optionally with a fraction of a second and an offset such as
// "+02:00". Drops digits beyond the nanosecond. Fails for days that do not exist and for years that
// an Instant cannot hold (before 1678, after 2261).
Result<Instant> ParseTimestamp(std::string_view text);

// Formats in UTC, with a fraction only if it is not zero. ParseTimestamp returns `instant` again.
std::string FormatTimestamp(Instant instant);

// metav1.Time: whole seconds, rounded down: "2026-01-01T00:00:00Z".
std::string FormatTime(Instant instant);
// metav1.MicroTime: exactly six decimals, rounded down: "2026-01-01T00:00:00.000000Z".
std::string FormatMicroTime(Instant instant);

}  // namespace berth::api
