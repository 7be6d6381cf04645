// Applies the defaults of the v1 configuration and merges the user's plugins into the default ones.
#pragma once

#include <string_view>

#include "scheduler/config/configuration.h"

namespace berth::scheduler::config {

// Those that depend on feature gates follow `configuration.features`.
void ApplyDefaults(Configuration& configuration);

// Merges `user` into `defaults`: default plugins retain their order, without those that the user
// disables; a user's entry replaces the default one of the same name in place, and others are
// appended.
framework::PluginSet MergePluginSets(const framework::PluginSet& defaults,
                                     const framework::PluginSet& user);

}  // namespace berth::scheduler::config
