// Formats attempts for a terminal.
#pragma once

#include <string>

#include "api/json/json.h"

namespace berth::cmd {

// `attempt` is an item of AttemptList (docs/http-api.md), of this process or of another. Returns a
// line with the outcome, and indented lines with the reasons:
//
//   attempt 2, 2026-01-01T12:00:05.000000Z: bound to n1; woken by NodeAdd of Node/n1, waited 5s
//     candidates: n1 457, n2 449
std::string AttemptText(const api::JsonObject& attempt);

}  // namespace berth::cmd
