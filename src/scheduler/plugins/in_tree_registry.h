// The in-tree plugins by name, and those that are enabled by default.
#pragma once

#include "scheduler/framework/profile.h"
#include "scheduler/framework/registry.h"

namespace berth::scheduler::plugins {

// The default plugins of multiPoint, with the feature gates at their defaults.
const framework::PluginSet& DefaultPlugins();

// Returns a registry of all in-tree plugins; programs that embed Berth add their own to it.
framework::Registry InTreeRegistry();

}  // namespace berth::scheduler::plugins
