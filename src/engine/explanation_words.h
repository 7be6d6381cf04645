// Sentences that tell why one node was preferred to others.
#pragma once

#include <string>

#include "engine/explanation.h"

namespace berth {

// Why the pod went to `chosen` and not to the next best node: "scores 468, 12 more than a-1, the
// next best: NodeResourcesFit +7, ImageLocality +5". Empty if `chosen` is, or nothing is known.
std::string WhyChosen(const Explanation& explanation, const std::string& chosen);

// Why the pod would not go to `node`: what a plugin says against it, or "scores 10, 3 less than b:
// ImageLocality -3". Empty if it might as well go there.
std::string WhyNot(const Explanation& explanation, const std::string& node);

// Why preemption prefers the selected node to the candidate `node`; empty if it is the same or none
// was selected.
std::string WhyNotThere(const Explanation::Preemption& preemption, const std::string& node);

}  // namespace berth
