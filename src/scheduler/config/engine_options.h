// Converts a configuration to the options of the framework and the engine.
#pragma once

#include <vector>

#include "base/result.h"
#include "scheduler/config/configuration.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/profile.h"

namespace berth::scheduler::config {

// Returns one ProfileConfig per profile. `configuration` must be complete and valid. Arguments of
// disabled plugins are dropped. Resources that an extender manages and the scheduler ignores
// replace the ignoredResources of NodeResourcesFit; fails if that plugin has no arguments. A
// profile without percentageOfNodesToScore uses the configuration's.
Result<std::vector<framework::ProfileConfig>> ToProfileConfigs(const Configuration& configuration);

// Returns the engine's options. `configuration` must be complete and valid. Fails as
// ToProfileConfigs does.
Result<engine::EngineOptions> ToEngineOptions(const Configuration& configuration);

}  // namespace berth::scheduler::config
