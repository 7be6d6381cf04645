// Fills in what a v1 configuration leaves out, and merges its plugins into the default ones.
#pragma once

#include <string_view>

#include "scheduler/config/configuration.h"

namespace berth::scheduler::config {

void ApplyDefaults(Configuration& configuration);

// `user` merged into `defaults`: default plugins keep their places, minus those that the user
// disables; an entry of the user's replaces the default of the same name where it stands, others
// follow at the end.
framework::PluginSet MergePluginSets(const framework::PluginSet& defaults,
                                     const framework::PluginSet& user);

}  // namespace berth::scheduler::config
