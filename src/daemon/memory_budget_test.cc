#include "daemon/memory_budget.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using Files = std::map<std::string, std::string>;

std::optional<size_t> LimitIn(const Files& files) {
  return CgroupMemoryLimit([&](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return Fail("no such file");
    return found->second;
  });
}

TEST(MemoryBudget, ReadsTheLimitOfTheCgroup) {
  EXPECT_EQ(LimitIn({}), std::nullopt);
  EXPECT_EQ(LimitIn({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", "max\n"}}),
            std::nullopt);
  EXPECT_EQ(LimitIn({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", "1048576\n"}}),
            1'048'576);
  EXPECT_EQ(LimitIn({{"/proc/self/cgroup", "0::/system.slice/berth.service\n"},
                     {"/sys/fs/cgroup/system.slice/berth.service/memory.max", "900\n"},
                     {"/sys/fs/cgroup/system.slice/memory.max", "800\n"},
                     {"/sys/fs/cgroup/memory.max", "max\n"}}),
            800)
      << "the lowest";
  EXPECT_EQ(LimitIn({{"/proc/self/cgroup", "5:memory:/kubepods/pod1\n1:cpu:/x\n"},
                     {"/sys/fs/cgroup/memory/kubepods/pod1/memory.limit_in_bytes", "700\n"},
                     {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}}),
            700);
}

TEST(MemoryBudget, ReadsResidentMemory) { EXPECT_GT(ResidentMemory(ReadFile), size_t{1} << 20); }

// 60 per cent of what the ledger would like.
TEST(MemoryBudget, TheLedgerGetsAPartOfASmallLimit) {
  constexpr size_t kWanted = size_t{512} << 20;
  EXPECT_EQ(MemoryBudget(std::nullopt).LedgerBytes(kWanted), kWanted);
  EXPECT_EQ(MemoryBudget(kWanted / 10 * 6).LedgerBytes(kWanted), kWanted / 10 * 6 / 8);
  EXPECT_EQ(MemoryBudget(size_t{16} << 30).LedgerBytes(kWanted), kWanted);
  EXPECT_EQ(MemoryBudget(size_t{1} << 20).LedgerBytes(kWanted), ledger::kMinLedgerMemory);
  EXPECT_EQ(MemoryBudget(size_t{1} << 30).LedgerBytes(0), 0u) << "it is off";
}

TEST(MemoryBudget, SaysWhatAClusterNeeds) {
  const MemoryBudget small(size_t{512} << 20);
  EXPECT_EQ(small.NeedText(5000, 150'000),
            "5000 nodes and 150000 pods need about 936 MiB; the limit is 512 MiB");
  EXPECT_FALSE(small.IsEnough(5000, 150'000));
  EXPECT_TRUE(small.IsEnough(100, 1000));
  EXPECT_TRUE(MemoryBudget(std::nullopt).IsEnough(5000, 150'000));
  EXPECT_FALSE(small.IsNear(size_t{400} << 20));
  EXPECT_TRUE(small.IsNear(size_t{470} << 20));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
