// The rules about volumes that exist already: VolumeRestrictions (who else uses the disk),
// NodeVolumeLimits (how many a node can attach) and VolumeZone (where it can be reached from).
#pragma once

#include <memory>

#include "scheduler/reference/rule.h"

namespace berth::scheduler::reference {

std::unique_ptr<Rule> MakeVolumeRestrictions(const EvaluationInput& input);
std::unique_ptr<Rule> MakeVolumeZone(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeVolumeLimits(const EvaluationInput& input);

}  // namespace berth::scheduler::reference
