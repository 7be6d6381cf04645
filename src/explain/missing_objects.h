// What a pod refers to that does not exist, or is not usable: claims, storage classes, priority
// classes, devices. No node helps then.
#pragma once

#include <optional>

#include "api/pod.h"
#include "explain/wording.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {

// Returns what is wrong with the first claim or class that the pod refers to.
std::optional<Sentence> MissingObjectOf(const scheduler::model::Cluster& cluster,
                                        const api::Pod& pod);

}  // namespace berth::explain
