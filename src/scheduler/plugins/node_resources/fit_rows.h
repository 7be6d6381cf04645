// Which of 64 nodes at once have enough free for a pod without scalar resources, and what the
// others lack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "scheduler/model/node_table.h"
#include "scheduler/model/resources.h"

namespace berth::scheduler::plugins {

// Bit i is set if the pod fits on row first + i: it accepts one more pod, and has enough free cpu,
// memory and ephemeral storage. There must be 64 rows.
uint64_t FittingRows(const model::ResourceVector& wanted, const model::NodeColumns& columns,
                     size_t first);

// A bit for each resource of which a node has too little free, and one for a node that has too
// little of one of them even without pods.
inline constexpr uint32_t kShortOfPods = 1;
inline constexpr uint32_t kShortOfCpu = 2;
inline constexpr uint32_t kShortOfMemory = 4;
inline constexpr uint32_t kShortOfEphemeralStorage = 8;
inline constexpr uint32_t kTooSmall = 16;
// Writes to out[i] the bits of row first + i. There must be 64 rows.
void ShortResourcesOfRows(const model::ResourceVector& wanted, const model::NodeColumns& columns,
                          size_t first, std::span<uint32_t, 64> out);

}  // namespace berth::scheduler::plugins
