// Formats attempts of a ledger for a terminal.
#pragma once

#include <string>

#include "ledger/attempt.h"

namespace berth::cmd {

// Returns a line with the outcome, and indented lines with the reasons:
//
//   attempt 2, 2026-01-01T12:00:05Z: bound to n1; woken by NodeAdd of Node/n1, waited 5s
//     candidates: n1 457, n2 449
std::string AttemptText(const ledger::Attempt& attempt);

}  // namespace berth::cmd
