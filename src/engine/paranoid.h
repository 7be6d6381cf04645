// The slow twin: recomputes a decision from scratch, node by node and without kept results, and
// ends the program if it differs from the fast one.
#pragma once

#include "engine/scheduling_cycle.h"

namespace berth {

void CheckAgainstFreshAttempt(Attempt& attempt, const CycleOutcome& outcome);

}  // namespace berth
