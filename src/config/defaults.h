// Fills in what a v1 configuration leaves out, and merges its plugins into the default ones.
#pragma once

#include <string_view>

#include "config/configuration.h"

namespace berth::config {

void ApplyDefaults(Configuration& configuration);

// `user` merged into `defaults`: default plugins keep their places, minus those that the user
// disables; an entry of the user's replaces the default of the same name where it stands, others
// follow at the end.
PluginSet MergePluginSets(const PluginSet& defaults, const PluginSet& user);

}  // namespace berth::config
