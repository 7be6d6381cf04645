#include "scheduler/plugins/node_resources/fit_rows.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr size_t kRows = 192;

bool IsEnough(int64_t request, int64_t allocatable, int64_t requested) {
  return request <= 0 || request <= allocatable - requested;
}

// The bit of a resource that is short, and that of a node that is too small.
uint32_t ShortOf(int64_t request, int64_t allocatable, int64_t requested, uint32_t bit) {
  if (IsEnough(request, allocatable, requested)) return 0;
  return request > allocatable ? bit | kTooSmall : bit;
}

// Columns and requests with values that are equal now and then.
struct RandomRows {
  explicit RandomRows(Random& random) {
    auto amount = [&] {
      return random.Chance(5) ? INT64_MAX : static_cast<int64_t>(random.Below(4));
    };
    columns.Resize(kRows);
    for (auto* column :
         {&columns.allocatable_cpu, &columns.allocatable_memory, &columns.allocatable_ephemeral,
          &columns.allocatable_pods, &columns.requested_cpu, &columns.requested_memory,
          &columns.requested_ephemeral, &columns.pod_count}) {
      for (int64_t& value : *column) value = amount();
    }
    wanted.milli_cpu = amount();
    wanted.memory = amount();
    wanted.ephemeral_storage = amount();
  }

  uint32_t ShortResources(size_t row) const {
    uint32_t bits = columns.pod_count[row] < columns.allocatable_pods[row] ? 0 : kShortOfPods;
    bits |= ShortOf(wanted.milli_cpu, columns.allocatable_cpu[row], columns.requested_cpu[row],
                    kShortOfCpu);
    bits |= ShortOf(wanted.memory, columns.allocatable_memory[row], columns.requested_memory[row],
                    kShortOfMemory);
    bits |= ShortOf(wanted.ephemeral_storage, columns.allocatable_ephemeral[row],
                    columns.requested_ephemeral[row], kShortOfEphemeralStorage);
    return bits;
  }

  model::NodeColumns columns;
  model::ResourceVector wanted;
};

TEST(FitRows, AreJudgedTogetherAsOneByOne) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const RandomRows rows(random);
    for (size_t first = 0; first < kRows; first += 64) {
      const uint64_t fitting = FittingRows(rows.wanted, rows.columns, first);
      std::array<uint32_t, 64> bits;
      ShortResourcesOfRows(rows.wanted, rows.columns, first, bits);
      for (size_t i = 0; i < 64; ++i) {
        const uint32_t expected = rows.ShortResources(first + i);
        ASSERT_EQ((fitting >> i) & 1, expected == 0) << first + i;
        ASSERT_EQ(bits[i], expected) << first + i;
      }
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
