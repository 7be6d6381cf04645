// Makes the Explanation of an attempt.
#pragma once

#include "base/random.h"
#include "base/time.h"
#include "scheduler/engine/decision.h"

namespace berth::scheduler::framework {
class Attempt;
}

namespace berth::scheduler::engine {

enum class ExplainDepth : uint8_t {
  kVerdicts,  // As needed to check decisions.
  kDetails,   // Also FilterPlugin::Details of each rejected node, for users; slower.
};

// Runs `attempt`, which must be new, from the first step to the last and returns the result of each
// plugin. `random` is a copy: explaining does not advance the engine's generator.
Explanation ExplainAttempt(framework::Attempt& attempt, Instant now, Random random,
                           ExplainDepth depth = ExplainDepth::kVerdicts);

}  // namespace berth::scheduler::engine
