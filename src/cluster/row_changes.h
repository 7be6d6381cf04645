// RowChanges remembers which node rows changed, in order, so that whoever keeps results per row can
// bring them up to date at the cost of what changed since, not of all rows.
//
// It keeps a bounded tail: a reader that was away for too long is told to start afresh.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/ids.h"

namespace berth {

class RowChanges {
 public:
  // The position after the newest change. Positions only rise.
  uint64_t now() const { return base_ + rows_.size(); }

  void Add(NodeRow row, size_t row_count) {
    if (rows_.size() >= 2 * row_count + 1024) {
      const size_t dropped = rows_.size() / 2;
      rows_.erase(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(dropped));
      base_ += dropped;
    }
    rows_.push_back(row);
  }

  // True if Since(position) still knows all changes.
  bool Covers(uint64_t position) const { return position >= base_; }

  // The rows changed since `position`, oldest first, with repetitions. Needs Covers(position).
  std::span<const NodeRow> Since(uint64_t position) const {
    return std::span(rows_).subspan(static_cast<size_t>(position - base_));
  }

 private:
  uint64_t base_ = 0;
  std::vector<NodeRow> rows_;
};

}  // namespace berth
