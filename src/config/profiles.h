// Turns the profiles of a configuration into what the framework builds profiles from.
#pragma once

#include <vector>

#include "base/result.h"
#include "config/configuration.h"
#include "framework/profile_config.h"

namespace berth::config {

// `configuration` must be complete and valid. The arguments of plugins that are not enabled are
// left out. Resources that extenders manage and the scheduler shall ignore replace the
// ignoredResources of NodeResourcesFit; if that has no arguments to put them into, it is an error.
// A profile without a percentage of nodes to score takes the configuration's.
Result<std::vector<ProfileConfig>> ToProfileConfigs(const Configuration& configuration);

}  // namespace berth::config
