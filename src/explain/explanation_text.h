// Formats an explanation as text, as `berth schedule --explain` and `berth why` print it.
#pragma once

#include <string>

#include "explain/explanation_summary.h"

namespace berth::explain {

// Returns which plugins rejected nodes, how the others scored, and the preemption candidates.
std::string ToText(const ExplanationSummary& summary);

}  // namespace berth::explain
