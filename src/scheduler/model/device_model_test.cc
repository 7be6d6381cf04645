#include "scheduler/model/device_model.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "scheduler/model/cluster.h"
#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

std::shared_ptr<api::ResourceSlice> MakeSlice(const std::string& name, const std::string& node,
                                              size_t devices) {
  auto slice = std::make_shared<api::ResourceSlice>();
  slice->metadata.name = name;
  slice->driver = "d";
  slice->pool = {.name = name, .generation = 1, .resource_slice_count = 1};
  if (node.empty()) {
    slice->all_nodes = true;
  } else {
    slice->node_name = node;
  }
  for (size_t i = 0; i < devices; ++i)
    slice->devices.emplace_back().name = "dev-" + std::to_string(i);
  return slice;
}

std::shared_ptr<api::ResourceClaim> MakeClaim(const std::string& name, int version,
                                              const std::vector<std::string>& devices = {},
                                              const std::string& pool = "a") {
  auto claim = std::make_shared<api::ResourceClaim>();
  claim->metadata.name = name;
  claim->metadata.namespace_ = "default";
  claim->metadata.uid = "uid-" + name;
  claim->metadata.resource_version = std::to_string(version);
  for (const std::string& device : devices) {
    if (!claim->status.allocation) claim->status.allocation.emplace();
    claim->status.allocation->results.push_back(
        {.request = "r", .driver = "d", .pool = pool, .device = device});
  }
  return claim;
}

class DeviceModelTest : public testing::Test {
 protected:
  DeviceModelTest() {
    for (const char* node : {"a", "b"}) cluster_.Put(MakeNode(node).ref());
    Put(MakeSlice("a", "a", 2));
    Put(MakeSlice("b", "b", 2));
    Changes();
  }

  template <typename T>
  void Put(std::shared_ptr<T> object) {
    cluster_.Put(std::shared_ptr<const T>(std::move(object)));
  }

  // The rows that changed since the last call, by node; "all" if all did.
  std::string Changes() {
    std::string text;
    const Devices& devices = cluster_.devices();
    if (std::exchange(epoch_, devices.epoch()) != devices.epoch()) text = "all ";
    for (NodeRow row : devices.changes().Since(position_)) text += cluster_.nodes().name(row) + " ";
    position_ = devices.changes().now();
    return text;
  }

  // Which devices of the node are allocated: "10".
  std::string Allocated(const std::string& node) {
    const NodeRow row = cluster_.nodes().Find(cluster_.symbols().Find(node));
    std::string marks;
    for (const auto& candidate : cluster_.devices().PoolsOf(row)->candidates) {
      marks += cluster_.devices().allocated().IsAllocated(candidate.device().id) ? '1' : '0';
    }
    return marks;
  }

  Cluster cluster_;
  uint64_t epoch_ = 0;
  uint64_t position_ = 0;
};

TEST_F(DeviceModelTest, AllocationsChangeTheNodesOfTheirDevices) {
  Put(MakeClaim("c", 1, {"dev-1"}));
  EXPECT_EQ(Changes(), "a ");
  EXPECT_EQ(Allocated("a"), "01");
  Put(MakeClaim("c", 2, {"dev-1"}));
  EXPECT_EQ(Changes(), "") << "the same devices";
  Put(MakeClaim("c", 3, {"dev-0"}));
  EXPECT_EQ(Allocated("a"), "10") << "the event in between was missed";
  Changes();
  cluster_.Remove<api::ResourceClaim>({"default", "c"});
  EXPECT_EQ(Changes(), "a ");
  EXPECT_EQ(Allocated("a"), "00");
}

TEST_F(DeviceModelTest, AnAllocationThatIsWrittenWhileInFlightChangesNothing) {
  Put(MakeClaim("c", 1));
  cluster_.mutable_devices().AddInFlight(MakeClaim("c", 1, {"dev-0"}));
  EXPECT_EQ(Changes(), "a ");
  EXPECT_TRUE(cluster_.mutable_devices().Assume(MakeClaim("c", 2, {"dev-0"})));
  EXPECT_TRUE(cluster_.mutable_devices().RemoveInFlight("uid-c", /*forced=*/true));
  Put(MakeClaim("c", 2, {"dev-0"}));
  EXPECT_EQ(Changes(), "");
  EXPECT_EQ(Allocated("a"), "10");
  EXPECT_EQ(cluster_.mutable_devices().TakeAssumedChanges().size(), 1u);
  EXPECT_FALSE(cluster_.devices().has_assumed_changes());
}

TEST_F(DeviceModelTest, SlicesAndLabelsChangeTheirNodes) {
  Put(MakeSlice("a", "a", 3));
  EXPECT_EQ(Changes(), "a ");
  EXPECT_EQ(Allocated("a"), "000");
  cluster_.Put(MakeNode("b").Label("x", "y").ref());
  EXPECT_EQ(Changes(), "b ");
  cluster_.Put(MakeNode("b").Label("x", "y").ref());
  EXPECT_EQ(Changes(), "");
  Put(MakeSlice("shared", "", 1));
  EXPECT_EQ(Changes(), "all ");
  EXPECT_EQ(Allocated("b"), "000");
  Put(MakeClaim("c", 1, {"dev-0"}, "shared"));
  EXPECT_EQ(Changes(), "all ");
  cluster_.Remove<api::ResourceSlice>({"", "shared"});
  EXPECT_EQ(Changes(), "all ");
  EXPECT_EQ(Allocated("b"), "00");
}

TEST_F(DeviceModelTest, NodesThatAreAlikeShareTheirPools) {
  for (const char* node : {"x", "y"}) cluster_.Put(MakeNode(node).ref());
  Put(MakeSlice("shared", "", 1));
  auto pools = [&](const std::string& node) {
    return cluster_.devices().PoolsOf(cluster_.nodes().Find(cluster_.symbols().Find(node)));
  };
  const auto before = pools("x");
  EXPECT_EQ(pools("y"), before);
  EXPECT_NE(pools("a"), before) << "it has a pool of its own";
  cluster_.Put(MakeNode("y").Label("k", "v").ref());
  EXPECT_EQ(pools("y"), before) << "the label changes nothing";
  Put(MakeSlice("shared", "", 2));
  EXPECT_NE(pools("x"), before);
  EXPECT_EQ(pools("y"), pools("x"));
  EXPECT_EQ(pools("x")->candidates.size(), 2u);
}

TEST_F(DeviceModelTest, EqualSpecsAreCompiledOnce) {
  auto spec = [](const std::string& class_name) {
    auto made = std::make_shared<api::ResourceClaimSpec>();
    api::DeviceRequest& request = made->requests.emplace_back();
    request.name = "r";
    request.exactly.emplace().device_class_name = class_name;
    return made;
  };
  const Devices& devices = cluster_.devices();
  const auto compiled = devices.Compile(spec("x"));
  EXPECT_EQ(compiled, devices.Compile(spec("x")));
  EXPECT_NE(compiled, devices.Compile(spec("y")));
  auto device_class = std::make_shared<api::DeviceClass>();
  device_class->metadata.name = "x";
  Put(std::move(device_class));
  EXPECT_NE(compiled, devices.Compile(spec("x"))) << "the class came";
}

TEST_F(DeviceModelTest, TheSpecialClaimIsFoundByItsPod) {
  auto claim = MakeClaim("special", 1);
  claim->metadata.annotations = {{"resource.kubernetes.io/extended-resource-claim", "true"}};
  claim->metadata.owner_references.push_back(
      {.api_version = "v1", .kind = "Pod", .name = "web", .uid = "u-1", .controller = true});
  Put(std::move(claim));
  const api::Pod pod = MakePod("web").Uid("u-1");
  const api::Pod other = MakePod("web").Uid("u-2");
  ASSERT_NE(cluster_.devices().FindSpecialClaim(pod), nullptr);
  EXPECT_EQ(cluster_.devices().FindSpecialClaim(other), nullptr);
  cluster_.Remove<api::ResourceClaim>({"default", "special"});
  EXPECT_EQ(cluster_.devices().FindSpecialClaim(pod), nullptr);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
