// Makes the Explanation of an attempt.
#pragma once

#include "base/random.h"
#include "base/time.h"
#include "engine/explanation.h"
#include "framework/attempt.h"

namespace berth {

// Runs `attempt`, which must be new, from the first step to the last and tells what each plugin
// said. `random` is a copy: explaining draws nothing from the engine's numbers.
Explanation ExplainAttempt(Attempt& attempt, Instant now, Random random);

}  // namespace berth
