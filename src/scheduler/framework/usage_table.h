// UsageTable has the usage of every node row, so that bounds of all of them are one loop.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scheduler/framework/usage_bound.h"

namespace berth::scheduler::model {
class NodeTable;
}

namespace berth::scheduler::framework {

class UsageTable {
 public:
  // Reads the rows that changed since the last call.
  void Refresh(const model::NodeTable& nodes);
  // By row.
  UsageRanges ranges() const;

 private:
  std::array<std::vector<float>, kUsageColumns> columns_;
  bool started_ = false;
  uint64_t position_ = 0;  // In the table's log of changes.
};

}  // namespace berth::scheduler::framework
