#include "scheduler/plugins/node_resources/fit_rows.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr size_t kRows = 192;

bool IsEnough(int64_t request, int64_t allocatable, int64_t requested) {
  return request <= 0 || request <= allocatable - requested;
}

TEST(FittingRows, AreThoseThatFitOneByOne) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    model::NodeColumns columns;
    columns.Resize(kRows);
    auto amount = [&] {
      return random.Chance(5) ? INT64_MAX : static_cast<int64_t>(random.Below(4));
    };
    for (auto* column :
         {&columns.allocatable_cpu, &columns.allocatable_memory, &columns.allocatable_ephemeral,
          &columns.allocatable_pods, &columns.requested_cpu, &columns.requested_memory,
          &columns.requested_ephemeral, &columns.pod_count}) {
      for (int64_t& value : *column) value = amount();
    }
    model::ResourceVector wanted;
    wanted.milli_cpu = amount();
    wanted.memory = amount();
    wanted.ephemeral_storage = amount();
    for (size_t first = 0; first < kRows; first += 64) {
      const uint64_t rows = FittingRows(wanted, columns, first);
      for (size_t i = 0; i < 64; ++i) {
        const size_t row = first + i;
        const bool fits =
            columns.pod_count[row] < columns.allocatable_pods[row] &&
            IsEnough(wanted.milli_cpu, columns.allocatable_cpu[row], columns.requested_cpu[row]) &&
            IsEnough(wanted.memory, columns.allocatable_memory[row],
                     columns.requested_memory[row]) &&
            IsEnough(wanted.ephemeral_storage, columns.allocatable_ephemeral[row],
                     columns.requested_ephemeral[row]);
        ASSERT_EQ((rows >> i) & 1, fits) << row;
      }
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
