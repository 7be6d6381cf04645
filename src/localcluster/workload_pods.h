// What workloads have in common about the pods they own.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/selector.h"
#include "apiserver/registry/api.h"
#include "localcluster/controller.h"

namespace berth::localcluster {

// Takes in pods without a controller that the selector matches, and lets go of owned ones that it
// does not. `wrote` gets the newest of the writes.
void ClaimPods(Context& context, const Kind& kind, const JsonObject& owner,
               const api::Selector& selector, apiserver::store::ObjectPtr& wrote);

// Sorts so that those to be deleted first come first: not placed, not running, not ready, cheap,
// crowded with others of `pods` on their node, younger.
void SortForDeletion(std::vector<const PodRecord*>& pods);

// True if the pod has been ready for `seconds`; if it has not but is on its way, `due` becomes the
// instant at which it will have been, if that is earlier.
bool IsAvailable(const PodRecord& pod, int64_t seconds, Instant now, std::optional<Instant>& due);

// The ControllerRevisions of StatefulSets and DaemonSets: each version of their pod template.
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

}  // namespace berth::localcluster
