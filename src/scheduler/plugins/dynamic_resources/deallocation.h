// What PostFilter does about claims: it gives up devices that are where the pod cannot run.
#pragma once

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

DeallocationPlan PlanDeallocation(const framework::Cycle& cycle, const FilterState& state);

}  // namespace berth::scheduler::plugins
