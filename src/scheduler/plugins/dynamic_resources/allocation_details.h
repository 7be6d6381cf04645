// Sentences for users about why the claims of a pod cannot be allocated on a node.
#pragma once

#include <string>

#include "scheduler/framework/cycle.h"
#include "scheduler/model/ids.h"
#include "scheduler/plugins/dynamic_resources/filter_state.h"

namespace berth::scheduler::plugins {

// Returns for instance: "claim default/a, request gpu: needs 2 devices; of 4 devices on the node 3
// match the selectors, 2 of them are allocated to default/b". Empty if there is nothing to add.
std::string AllocationDetails(const framework::Cycle& cycle, const FilterState& state,
                              model::NodeRow node);

}  // namespace berth::scheduler::plugins
