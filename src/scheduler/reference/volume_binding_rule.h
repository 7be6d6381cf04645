// VolumeBinding wants all claims of the pod to be bound to volumes that the node can reach, or to
// be such that they can be bound once the pod is there.
#pragma once

#include <memory>

#include "scheduler/reference/rule.h"

namespace berth::scheduler::reference {

std::unique_ptr<Rule> MakeVolumeBinding(const EvaluationInput& input);

}  // namespace berth::scheduler::reference
