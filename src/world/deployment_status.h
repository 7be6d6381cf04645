// What a Deployment's status says of its rollout.
#pragma once

#include <optional>

#include "base/time.h"
#include "world/deployment_sets.h"

namespace berth::world {

// All pods are of the new set, and all are available.
bool IsRolledOut(const RolloutLimits& limits, const DeploymentSets& sets);

// Brings the counts and conditions of `status` up to date. Returns when the rollout will have taken
// too long, if that may yet come.
std::optional<Instant> SetDeploymentStatus(const JsonObject& deployment, const DeploymentSets& sets,
                                           Instant now, JsonObject& status);

}  // namespace berth::world
