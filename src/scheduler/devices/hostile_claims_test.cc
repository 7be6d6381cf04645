#include <gtest/gtest.h>

#include "scheduler/devices/hostile_claims_testing.h"

namespace berth::scheduler::devices {
namespace BERTH_TEST_FILE {

// That of DynamicResources by default: its kWorkPerSecond, times ten.
constexpr uint64_t kBudget = 1'000'000;

TEST(HostileClaims, NoSearchExceedsItsBudget) {
  for (const HostileCase& hostile : MakeHostileCases()) {
    DeviceWorld world;
    for (const std::string& yaml : hostile.objects) world.Add(yaml);
    const std::string result = world.Allocate(hostile.claims, kBudget);
    EXPECT_LE(world.work(), kBudget + kMaxExcess) << hostile.name;
    if (hostile.want != nullptr) {
      EXPECT_EQ(result, hostile.want) << hostile.name;
    }
  }
}

TEST(HostileClaims, PartitionsOfGpusAreFoundWithLittleWork) {
  DeviceWorld world;
  world.Add(PartitionableGpus() + ClassYaml("gpu"));
  EXPECT_TRUE(world.Allocate({ClaimYaml("c", RequestYaml("r", 32))}).starts_with("c: r=gpu-0"));
  EXPECT_LT(world.work(), 200'000u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::devices
