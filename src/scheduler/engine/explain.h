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
  kVerdicts,  // What is compared when decisions are checked.
  kDetails,   // Also FilterPlugin::Details of each rejected node, for people; slower.
};

// Runs `attempt`, which must be new, from the first step to the last and tells what each plugin
// said. `random` is a copy: explaining draws nothing from the engine's numbers.
Explanation ExplainAttempt(framework::Attempt& attempt, Instant now, Random random,
                           ExplainDepth depth = ExplainDepth::kVerdicts);

}  // namespace berth::scheduler::engine
