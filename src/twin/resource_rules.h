// The rules about amounts of cpu, memory and so on: NodeResourcesFit, which wants enough of
// everything, and NodeResourcesBalancedAllocation, which likes the shares in use to be alike.
#pragma once

#include <memory>

#include "twin/rule.h"

namespace berth::twin {

std::unique_ptr<Rule> MakeNodeResourcesFit(const Question& question);
std::unique_ptr<Rule> MakeNodeResourcesBalancedAllocation(const Question& question);

}  // namespace berth::twin
