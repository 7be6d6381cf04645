// The in-tree plugins by name, and those that are enabled by default.
#pragma once

#include "scheduler/framework/profile.h"
#include "scheduler/framework/registry.h"
#include "scheduler/model/features.h"

namespace berth::scheduler::plugins {

// Returns the default plugins of multiPoint.
framework::PluginSet DefaultPlugins(const model::Features& features = {});

// Returns a registry of all in-tree plugins; programs that embed Berth add their own to it.
framework::Registry InTreeRegistry();

}  // namespace berth::scheduler::plugins
