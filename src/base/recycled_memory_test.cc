#include "base/recycled_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

constexpr size_t kSizes[] = {1, 256, 257, 1300, 4096, 4097, 100'000};

TEST(RecycledMemoryTest, BlocksInUseAreDistinctAndLargeEnough) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<void*, size_t>> blocks;
    std::set<void*> distinct;
    for (int i = 0; i < 50; ++i) {
      for (size_t size : kSizes) {
        void* const block = AllocateRecycled(size);
        std::memset(block, round, size);
        blocks.emplace_back(block, size);
        distinct.insert(block);
      }
    }
    EXPECT_EQ(distinct.size(), blocks.size());
    for (const auto& [block, size] : blocks) FreeRecycled(block, size);
  }
}

TEST(RecycledMemoryTest, AnotherThreadMayFreeABlock) {
  void* const block = AllocateRecycled(2'000);
  std::thread([&] { FreeRecycled(block, 2'000); }).join();
  void* const next = AllocateRecycled(2'000);
  std::memset(next, 1, 2'000);
  FreeRecycled(next, 2'000);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
