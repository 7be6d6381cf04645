// ImageLocality likes nodes that have the pod's images already, large and widespread ones most.
#pragma once

#include <memory>

#include "twin/rule.h"

namespace berth::twin {

std::unique_ptr<Rule> MakeImageLocality(const Question& question);

}  // namespace berth::twin
