// What is wrong with a pod besides scheduling, as its raw JSON and its events tell: containers that
// do not start, images that cannot be pulled, finalizers.
#pragma once

#include <optional>

#include "api/json/json.h"
#include "explain/events.h"
#include "explain/wording.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {

// Returns what keeps a pod that has a node, or is being deleted, from running; nothing if it runs.
// Its node may be the cause: one that does not exist, or is not ready.
std::optional<Sentence> TroubleOf(const api::JsonObject& pod, const Events& events,
                                  const scheduler::model::Cluster& cluster);

}  // namespace berth::explain
