// The rules about amounts of cpu, memory and so on: NodeResourcesFit, which wants enough of
// everything, and NodeResourcesBalancedAllocation, which likes the shares in use to be alike.
#pragma once

#include <memory>

#include "scheduler/reference/rule.h"

namespace berth::scheduler::reference {

std::unique_ptr<Rule> MakeNodeResourcesFit(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeResourcesBalancedAllocation(const EvaluationInput& input);

}  // namespace berth::scheduler::reference
