#include "cmd/missing_plugins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "config/configuration.h"

namespace berth {

std::set<std::string, std::less<>> MissingPlugins(const Registry& registry) {
  std::set<std::string, std::less<>> missing;
  for (const config::SchedulerProfile& profile : config::Default().profiles) {
    for (const PluginChoice& choice : profile.multi_point.enabled) {
      if (registry.Find(choice.name) == nullptr) missing.insert(choice.name);
    }
  }
  return missing;
}

void LeaveOut(const std::set<std::string, std::less<>>& missing,
              std::vector<ProfileConfig>& profiles) {
  auto leave_out = [&](PluginSet& set) {
    std::erase_if(set.enabled,
                  [&](const PluginChoice& choice) { return missing.contains(choice.name); });
  };
  for (ProfileConfig& profile : profiles) {
    leave_out(profile.multi_point);
    for (PluginSet& point : profile.points) leave_out(point);
  }
}

void NoteMissingPlugins(std::string_view program,
                        const std::set<std::string, std::less<>>& missing) {
  if (missing.empty()) return;
  fmt::print(stderr, "{}: note: this build does not have {}; they are left out\n", program,
             fmt::join(missing, ", "));
}

}  // namespace berth
