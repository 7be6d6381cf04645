// Tells which plugins of the default configuration this build does not have; profiles do without
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/registry.h"

namespace berth {

// The plugins of kube-scheduler's default configuration that `registry` leaves out.
std::vector<std::string> MissingPlugins(const Registry& registry);

// Says on standard error which plugins are missing, if any.
void NoteMissingPlugins(std::string_view program, const Registry& registry);

}  // namespace berth
