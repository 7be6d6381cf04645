#include "cmd/missing_plugins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "config/configuration.h"

namespace berth {

std::vector<std::string> MissingPlugins(const Registry& registry) {
  std::vector<std::string> missing;
  for (const config::SchedulerProfile& profile : config::Default().profiles) {
    for (const PluginChoice& choice : profile.multi_point.enabled) {
      if (registry.IsLeftOut(choice.name)) missing.push_back(choice.name);
    }
  }
  return missing;
}

void NoteMissingPlugins(std::string_view program, const Registry& registry) {
  const std::vector<std::string> missing = MissingPlugins(registry);
  if (missing.empty()) return;
  fmt::print(stderr, "{}: note: this build does not have {}; profiles do without\n", program,
             fmt::join(missing, ", "));
}

}  // namespace berth
