// The rules about volumes that exist already: VolumeRestrictions (who else uses the disk),
// NodeVolumeLimits (how many a node can attach) and VolumeZone (where it can be reached from).
#pragma once

#include <memory>

#include "twin/rule.h"

namespace berth::twin {

std::unique_ptr<Rule> MakeVolumeRestrictions(const Question& question);
std::unique_ptr<Rule> MakeVolumeZone(const Question& question);
std::unique_ptr<Rule> MakeNodeVolumeLimits(const Question& question);

}  // namespace berth::twin
