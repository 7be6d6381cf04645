// InterPodAffinity puts pods near pods they like and away from pods they do not, by the terms of
// the pod and of those that are there already.
#pragma once

#include <memory>

#include "twin/rule.h"

namespace berth::twin {

std::unique_ptr<Rule> MakeInterPodAffinity(const Question& question);

}  // namespace berth::twin
