// Chooses the best node: the highest total, and among equals the first in node order.
#pragma once

#include <cstdint>
#include <span>

#include "cluster/ids.h"

namespace berth {

// Over all rows; a negative total marks a row that is out. Invalid if all are out.
// `rank` gives each row's place in `order`.
NodeRow SelectBest(std::span<const int32_t> totals, std::span<const uint32_t> rank,
                   std::span<const NodeRow> order);

// Over the rows of `feasible`; totals may be negative.
NodeRow SelectBest(const NodeMask& feasible, std::span<const int32_t> totals,
                   std::span<const uint32_t> rank);
NodeRow SelectBest(const NodeMask& feasible, std::span<const int64_t> totals,
                   std::span<const uint32_t> rank);

}  // namespace berth
