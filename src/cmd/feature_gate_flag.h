// The flag --feature-gates of the commands that run or configure a scheduler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scheduler/model/features.h"

namespace berth::flags {
class FlagGroup;
}

namespace berth::cmd {

// Adds the flag. `settings` gets what it is set to; it must outlive the flag.
void AddFeatureGates(flags::FlagGroup& group, std::vector<std::string>& settings);

// Returns what the gates change in the scheduler. Prints warnings, prefixed with the name of the
// `command`. The error lists all problems, one per line.
Result<scheduler::model::Features> ReadFeatureGates(const std::vector<std::string>& settings,
                                                    std::string_view command);

}  // namespace berth::cmd
