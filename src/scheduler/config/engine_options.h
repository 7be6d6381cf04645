// Turns the profiles of a configuration into what the framework builds profiles from.
#pragma once

#include <vector>

#include "base/result.h"
#include "scheduler/config/configuration.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/profile.h"

namespace berth::scheduler::config {

// `configuration` must be complete and valid. The arguments of plugins that are not enabled are
// left out. Resources that extenders manage and the scheduler shall ignore replace the
// ignoredResources of NodeResourcesFit; if that has no arguments to put them into, it is an error.
// A profile without a percentage of nodes to score takes the configuration's.
Result<std::vector<framework::ProfileConfig>> ToProfileConfigs(const Configuration& configuration);

// What the engine takes from the configuration.
// `configuration` is complete and valid. Fails if the arguments of a plugin are no good.
Result<engine::EngineOptions> ToEngineOptions(const Configuration& configuration);

}  // namespace berth::scheduler::config
