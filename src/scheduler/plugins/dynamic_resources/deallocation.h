// What PostFilter does about claims: it gives up devices that are where the pod cannot run.
#pragma once

#include <string_view>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/device_claims.h"
#include "scheduler/plugins/dynamic_resources/filter_state.h"

namespace berth::scheduler::plugins {

struct DeallocationPlan {
  bool has_claims = false;
  // Its status loses the allocation, its reservations and its devices; null if there is none.
  model::ClaimRef deallocate;
  // Otherwise, the special claim of an earlier attempt to delete; null if there is none.
  model::ClaimRef remove;

  // What PostFilter returns if that succeeds.
  framework::Verdict Verdict() const;
};

// The reason why a node is rejected where all claims could be allocated, but for those that are
// allocated elsewhere.
inline constexpr std::string_view kNotAvailable = "resourceclaim not available on the node";

// `diagnosis` says which nodes were rejected for that.
DeallocationPlan PlanDeallocation(const framework::Cycle& cycle, const FilterState& state,
                                  const framework::Diagnosis& diagnosis);

}  // namespace berth::scheduler::plugins
