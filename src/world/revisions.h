// The ControllerRevisions of StatefulSets and DaemonSets: each version of their pod template.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "world/controller.h"

namespace berth::world {

inline constexpr std::string_view kRevisionHash = "controller-revision-hash";

// The hash of the workload's present template.
std::string TemplateHash(const JsonObject& workload);

// Sees to it that the revision "<workload>-<hash>" is there with the highest number, and deletes
// the oldest beyond the history limit that are not among `live`, by hash. Returns its name.
std::string EnsureRevision(Context& context, const Kind& kind, const JsonObject& workload,
                           const std::string& hash, const std::set<std::string>& live);

// The template that the revision holds; the workload's own if there is no such revision.
JsonObject TemplateOfRevision(const Context& context, const JsonObject& workload,
                              const std::string& revision);

}  // namespace berth::world
