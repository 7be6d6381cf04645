// What workloads have in common about the pods they own.
#pragma once

#include <string>
#include <vector>

#include "api/selector.h"
#include "apiserver/api.h"
#include "world/controller.h"

namespace berth::world {

// Takes in pods without a controller that the selector matches, and lets go of owned ones that it
// does not. `wrote` gets the newest of the writes.
void ClaimPods(Context& context, const Kind& kind, const JsonObject& owner,
               const api::Selector& selector, store::ObjectPtr& wrote);

// Sorts so that those to be deleted first come first: not placed, not running, not ready, cheap,
// crowded with others of `pods` on their node, younger.
void SortForDeletion(std::vector<const PodRecord*>& pods);

// True if the pod has been ready for `seconds`; if it has not but is on its way, `due` becomes the
// instant at which it will have been, if that is earlier.
bool IsAvailable(const PodRecord& pod, int64_t seconds, Instant now, std::optional<Instant>& due);

}  // namespace berth::world
