#include "scheduler/devices/allocated_devices.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace berth::scheduler::devices {
namespace BERTH_TEST_FILE {

api::AllocationResult Exclusive(const std::string& device) {
  api::AllocationResult allocation;
  allocation.results.push_back({.request = "r", .driver = "d", .pool = "p", .device = device});
  return allocation;
}

api::AllocationResult Share(const std::string& id, const char* memory) {
  api::AllocationResult allocation = Exclusive("a");
  allocation.results[0].share_id = id;
  if (memory != nullptr)
    allocation.results[0].consumed_capacity.emplace("memory", *api::Quantity::Parse(memory));
  return allocation;
}

class AllocatedDevicesTest : public testing::Test {
 protected:
  DeviceId Id(const std::string& device) { return holder_.Intern(DeviceKey("d", "p", device)); }
  // The sum of the memory of device a that shares consume.
  std::string Consumed() {
    api::Quantity sum;
    allocated_.AddConsumed(Id("a"), "memory", sum);
    return sum.ToString();
  }

  DeviceNames names_;
  DeviceHolder holder_{names_.devices};
  AllocatedDevices allocated_{names_, true};
};

TEST_F(AllocatedDevicesTest, ADeviceIsFreeWhenNobodyHasIt) {
  allocated_.Add(Exclusive("a"));
  allocated_.Add(Exclusive("a"));
  EXPECT_TRUE(allocated_.IsExclusive(Id("a")));
  EXPECT_FALSE(allocated_.IsExclusive(Id("b")));
  allocated_.Remove(Exclusive("a"));
  EXPECT_TRUE(allocated_.IsExclusive(Id("a"))) << "another claim has it";
  allocated_.Remove(Exclusive("a"));
  EXPECT_FALSE(allocated_.IsAllocated(Id("a")));
  allocated_.Remove(Exclusive("a"));
  EXPECT_EQ(allocated_.size(), 0u);
}

TEST_F(AllocatedDevicesTest, AnAllocationInFlightThatIsWrittenChangesNothing) {
  allocated_.Add(Exclusive("a"));
  EXPECT_EQ(allocated_.TakeChanged().size(), 1u);
  allocated_.Add(Exclusive("a"));
  allocated_.Remove(Exclusive("a"));
  EXPECT_TRUE(allocated_.TakeChanged().empty());
  EXPECT_TRUE(allocated_.IsExclusive(Id("a")));
  allocated_.Remove(Exclusive("a"));
  EXPECT_EQ(allocated_.TakeChanged().size(), 1u);
  EXPECT_EQ(allocated_.size(), 0u);
}

TEST_F(AllocatedDevicesTest, AdminAccessDoesNotCount) {
  api::AllocationResult allocation = Exclusive("a");
  allocation.results[0].admin_access = true;
  allocated_.Add(allocation);
  EXPECT_FALSE(allocated_.IsAllocated(Id("a")));
}

TEST_F(AllocatedDevicesTest, SharesAddUp) {
  allocated_.Add(Share("1", "2Gi"));
  allocated_.Add(Share("2", "3Gi"));
  EXPECT_EQ(Consumed(), "5Gi");
  EXPECT_FALSE(allocated_.IsExclusive(Id("a")));
  EXPECT_TRUE(allocated_.IsAllocated(Id("a")));
  EXPECT_TRUE(allocated_.HasCapacityEntry(Id("a")));
  allocated_.Remove(Share("1", "2Gi"));
  EXPECT_EQ(Consumed(), "3Gi");
  allocated_.Remove(Share("2", "3Gi"));
  EXPECT_EQ(allocated_.size(), 0u);
}

TEST_F(AllocatedDevicesTest, AShareWithoutCapacityHasNoEntry) {
  allocated_.Add(Share("1", nullptr));
  EXPECT_TRUE(allocated_.IsAllocated(Id("a")));
  EXPECT_FALSE(allocated_.HasCapacityEntry(Id("a")));
}

TEST_F(AllocatedDevicesTest, WithoutTheFeatureSharesAreExclusive) {
  AllocatedDevices plain(names_, false);
  plain.Add(Share("1", "2Gi"));
  EXPECT_TRUE(plain.IsExclusive(Id("a")));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::devices
