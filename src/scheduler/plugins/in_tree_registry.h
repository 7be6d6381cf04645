// The plugins of a profile that says nothing else.
#pragma once

#include "scheduler/framework/profile.h"
#include "scheduler/framework/registry.h"

namespace berth::scheduler::plugins {

// Of multiPoint, with the feature gates at their defaults.
const framework::PluginSet& DefaultPlugins();

// The in-tree plugins, by name.
// A registry of all in-tree plugins; embedders add their own to it.
framework::Registry InTreeRegistry();

}  // namespace berth::scheduler::plugins
