#include "config/notes.h"

#include <fmt/format.h>

#include "config/field_path.h"
#include "config/fields.h"
#include "plugins/gang_scheduling.h"

namespace berth::config {
namespace {

void NoteGangs(const PluginSet& set, const FieldPath& path, std::vector<std::string>& notes) {
  for (size_t i = 0; i < set.enabled.size(); ++i) {
    if (set.enabled[i].name != GangScheduling::kName) continue;
    notes.push_back(
        fmt::format("{}: {} has no effect: the feature gate GangScheduling (alpha) is off, so "
                    "pods are placed one by one and no gangs are formed",
                    (path / "enabled")[i].text, GangScheduling::kName));
  }
}

}  // namespace

std::vector<std::string> Notes(const Configuration& configuration) {
  std::vector<std::string> notes;
  for (size_t i = 0; i < configuration.profiles.size(); ++i) {
    const SchedulerProfile& profile = configuration.profiles[i];
    const FieldPath path = FieldPath{"profiles"}[i] / "plugins";
    NoteGangs(profile.multi_point, path / "multiPoint", notes);
    for (size_t j = 0; j < kExtensionPoints; ++j) {
      NoteGangs(profile.points[j], path / kPointNames[j], notes);
    }
  }
  return notes;
}

}  // namespace berth::config
