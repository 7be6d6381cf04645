// What the engine takes from the configuration.
#pragma once

#include "base/result.h"
#include "config/configuration.h"
#include "engine/engine.h"

namespace berth::config {

// `configuration` is complete and valid. Fails if the arguments of a plugin are no good.
Result<EngineOptions> ToEngineOptions(const Configuration& configuration);

}  // namespace berth::config
