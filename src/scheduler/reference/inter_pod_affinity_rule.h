// InterPodAffinity puts pods near pods they like and away from pods they do not, by the terms of
// the pod and of those that are there already.
#pragma once

#include <memory>

#include "scheduler/reference/rule.h"

namespace berth::scheduler::reference {

std::unique_ptr<Rule> MakeInterPodAffinity(const EvaluationInput& input);

}  // namespace berth::scheduler::reference
