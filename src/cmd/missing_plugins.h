// Leaves out of a configuration the default plugins that this build does not have, so that what it
// does have can be used.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "framework/profile_config.h"
#include "framework/registry.h"

namespace berth {

// The plugins of kube-scheduler's default configuration that `registry` lacks.
std::set<std::string, std::less<>> MissingPlugins(const Registry& registry);

// Removes `missing` wherever `profiles` enable them.
void LeaveOut(const std::set<std::string, std::less<>>& missing,
              std::vector<ProfileConfig>& profiles);

// Says on standard error which plugins are missing, if any.
void NoteMissingPlugins(std::string_view program,
                        const std::set<std::string, std::less<>>& missing);

}  // namespace berth
