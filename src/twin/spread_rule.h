// PodTopologySpread keeps the numbers of matching pods in zones, on hosts and so on alike: hard
// constraints reject nodes, soft ones score them.
#pragma once

#include <memory>

#include "twin/rule.h"

namespace berth::twin {

std::unique_ptr<Rule> MakePodTopologySpread(const Question& question);

}  // namespace berth::twin
