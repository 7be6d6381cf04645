#include "scheduler/framework/usage_table.h"

#include "scheduler/model/node_table.h"

namespace berth::scheduler::framework {

void UsageTable::Refresh(const model::NodeTable& nodes) {
  for (std::vector<float>& column : columns_) column.resize(nodes.rows());
  const auto read = [&](size_t row) {
    const NodeUsage usage = UsageOf(nodes.columns(), row);
    for (size_t column = 0; column < kUsageColumns; ++column) columns_[column][row] = usage[column];
  };
  const model::RowChanges& changes = nodes.changes();
  if (started_ && changes.Covers(position_)) {
    for (model::NodeRow row : changes.Since(position_)) read(row.index());
  } else {
    for (size_t row = 0; row < nodes.rows(); ++row) read(row);
  }
  started_ = true;
  position_ = changes.now();
}

UsageRanges UsageTable::ranges() const {
  UsageRanges ranges{};
  for (size_t column = 0; column < kUsageColumns; ++column)
    ranges.low[column] = ranges.high[column] = columns_[column].data();
  return ranges;
}

}  // namespace berth::scheduler::framework
