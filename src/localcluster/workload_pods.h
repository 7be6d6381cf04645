// What workload controllers share: ranking and counting the pods they own, and the
// ControllerRevisions that store the versions of a pod template.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/selector.h"
#include "apiserver/registry/api.h"
#include "localcluster/controller.h"

namespace berth::localcluster {

// Sorts pods in the order in which to delete them: unassigned, not running, not ready, low deletion
// cost, crowded with others of `pods` on their node, ready for a shorter time, younger.
void SortForDeletion(std::vector<const PodRecord*>& pods);

// Reports whether the pod has been ready for `seconds`. If it is ready but not for long enough,
// lowers `due` to the instant at which it will be available.
bool IsAvailable(const PodRecord& pod, int64_t seconds, Instant now, std::optional<Instant>& due);

// The label of pods and ControllerRevisions of StatefulSets and DaemonSets.
inline constexpr std::string_view kRevisionHash = "controller-revision-hash";

// Returns the hash of the workload's current template.
std::string TemplateHash(const JsonObject& workload);

// Ensures that the revision "<workload>-<hash>" exists with the highest number, and deletes the
// oldest ones beyond the history limit whose hash is not in `live`. Returns the revision's name.
std::string EnsureRevision(Context& context, const Kind& kind, const JsonObject& workload,
                           const std::string& hash, const std::set<std::string>& live);

// Returns the revision's template, or the workload's own if the revision does not exist.
JsonObject TemplateOfRevision(const Context& context, const JsonObject& workload,
                              const std::string& revision);

}  // namespace berth::localcluster
