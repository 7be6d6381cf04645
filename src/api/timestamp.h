// Timestamps as Kubernetes writes them: RFC 3339, in UTC when printed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace berth::api {

// Reads "2026-05-01T12:30:00Z"; a fraction of a second and an offset such as "+02:00" may be given.
// Digits beyond the nanosecond are dropped. Fails for days that do not exist and for years that an
// Instant cannot hold (before 1678, after 2261).
Result<Instant> ParseTimestamp(std::string_view text);

// Prints in UTC, with a fraction only if there is one, so that ParseTimestamp gives `instant`
// again.
std::string FormatTimestamp(Instant instant);

// metav1.Time: whole seconds, rounded down: "2026-01-01T00:00:00Z".
std::string FormatTime(Instant instant);
// metav1.MicroTime: exactly six decimals, rounded down: "2026-01-01T00:00:00.000000Z".
std::string FormatMicroTime(Instant instant);

}  // namespace berth::api
