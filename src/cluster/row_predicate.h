// RowPredicate keeps the set of present nodes for which a condition on their own row holds, and
// looks again only at rows that changed.
#pragma once

#include <utility>

#include "cluster/node_table.h"

namespace berth {

class RowPredicate {
 public:
  // The present rows for which holds(row) is true. `holds` must depend on the row alone and be the
  // same each time.
  template <typename Holds>
  const NodeMask& Refresh(const NodeTable& nodes, Holds&& holds) {
    const RowChanges& changes = nodes.changes();
    rows_.Resize(nodes.rows());
    auto look = [&](size_t row) { rows_.Assign(row, nodes.present().Test(row) && holds(row)); };
    if (started_ && changes.Covers(position_)) {
      for (NodeRow row : changes.Since(position_)) look(row.index());
    } else {
      for (size_t row = 0; row < nodes.rows(); ++row) look(row);
    }
    started_ = true;
    position_ = changes.now();
    return rows_;
  }

 private:
  NodeMask rows_;
  uint64_t position_ = 0;
  bool started_ = false;
};

}  // namespace berth
