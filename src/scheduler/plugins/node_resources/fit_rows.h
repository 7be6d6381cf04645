// Which of 64 nodes at once have enough free for a pod without scalar resources.
#pragma once

#include <cstddef>
#include <cstdint>

#include "scheduler/model/node_table.h"
#include "scheduler/model/resources.h"

namespace berth::scheduler::plugins {

// Bit i is set if the pod fits on row first + i: it accepts one more pod, and has enough free cpu,
// memory and ephemeral storage. There must be 64 rows.
uint64_t FittingRows(const model::ResourceVector& wanted, const model::NodeColumns& columns,
                     size_t first);

}  // namespace berth::scheduler::plugins
