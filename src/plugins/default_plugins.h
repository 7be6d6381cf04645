// The plugins of a profile that says nothing else.
#pragma once

#include "framework/profile_config.h"

namespace berth {

// Of multiPoint, with the feature gates at their defaults.
const PluginSet& DefaultPlugins();

}  // namespace berth
