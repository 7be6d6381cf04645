#include "explain/volume_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "explain/fixes.h"
#include "explain/patches.h"
#include "testing/engine_harness.h"

namespace berth::explain {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class VolumeChangesTest : public testing::Test {
 protected:
  VolumeChangesTest() {
    claim_.metadata = {.name = "data", .namespace_ = "default", .uid = "uid-of-data"};
    claim_.access_modes = {"ReadWriteOnce"};
    claim_.requests["storage"] = Amount("1Gi");
    claim_.storage_class_name = "fast";
    class_.metadata.name = "fast";
    class_.provisioner = "disks.example.com";
    class_.volume_binding_mode = "WaitForFirstConsumer";
  }

  void PutStorage() {
    harness_.Put(std::make_shared<const api::StorageClass>(class_));
    harness_.Put(std::make_shared<const api::PersistentVolumeClaim>(claim_));
  }

  // "create a ... -> n"
  std::vector<std::string> LinesFor(const api::Pod& pod) {
    report_ = Require(
        FindFixes(harness_.engine(), std::make_shared<const api::Pod>(pod), harness_.now()));
    std::vector<std::string> lines;
    for (const Fix& fix : report_.fixes) {
      lines.push_back(fix.changes[0].text + " -> " + fix.node);
    }
    return lines;
  }

  EngineHarness harness_;
  api::PersistentVolumeClaim claim_;
  api::StorageClass class_;
  FixReport report_;
};

TEST_F(VolumeChangesTest, ClaimsThatAreNotBoundGetAVolume) {
  harness_.Put(MakeNode("n"));
  class_.volume_binding_mode = "Immediate";
  PutStorage();
  // The class provides it.
  EXPECT_THAT(LinesFor(MakePod("web").Mounts("data")), ElementsAre());
  class_.provisioner = "kubernetes.io/no-provisioner";
  PutStorage();
  EXPECT_THAT(LinesFor(MakePod("web").Mounts("data")),
              ElementsAre("create a PersistentVolume for the claim default/data -> n"));
  const auto steps = StepsOf(report_.fixes[0], {});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].command, "") << "its source is not known";
  EXPECT_THAT(steps[0].body, HasSubstr("\"storageClassName\":\"fast\""));
}

TEST_F(VolumeChangesTest, ClaimsWithoutAClassThatExistsGetOne) {
  harness_.Put(MakeNode("n"));
  claim_.storage_class_name = "fats";
  PutStorage();
  EXPECT_THAT(LinesFor(MakePod("web").Mounts("data")),
              ElementsAre("create the claim default/data again with StorageClass fast -> n",
                          "create StorageClass fats, with the provisioner of fast -> n"));
  claim_.storage_class_name.reset();
  PutStorage();
  EXPECT_THAT(LinesFor(MakePod("web").Mounts("data")),
              ElementsAre("create the claim default/data again with StorageClass fast -> n",
                          "make StorageClass fast the default -> n"));
}

TEST_F(VolumeChangesTest, ClaimsThatDoNotExistAreCreatedOrMisspelt) {
  harness_.Put(MakeNode("n"));
  PutStorage();
  EXPECT_THAT(LinesFor(MakePod("web").Mounts("daat")),
              ElementsAre("use the claim data instead of daat -> n",
                          "create the claim default/daat with StorageClass fast -> n"));
  const auto steps = StepsOf(report_.fixes[1], {});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].body.find("uid"), std::string::npos) << steps[0].body;
  EXPECT_EQ(steps[0].command, "printf %s '" + steps[0].body + "' | kubectl create -f -");
}

TEST_F(VolumeChangesTest, VolumesThatAreGoneAreCreatedAgain) {
  harness_.Put(MakeNode("n"));
  claim_.volume_name = "gone";
  claim_.phase = "Bound";
  claim_.metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  PutStorage();
  EXPECT_THAT(LinesFor(MakePod("web").Mounts("data")),
              ElementsAre("create a PersistentVolume for the claim default/data -> n"));
  EXPECT_EQ(report_.fixes[0].changes[0].object.key.name, "gone");
}

TEST_F(VolumeChangesTest, ATopologyThatAClassDoesNotAllow) {
  harness_.Put(MakeNode("n").Zone("a"));
  class_.allowed_topologies = {{{{"topology.kubernetes.io/zone", {"b"}}}}};
  PutStorage();
  EXPECT_THAT(LinesFor(MakePod("web").Mounts("data")),
              ElementsAre("create a PersistentVolume for the claim default/data that node n can "
                          "reach -> n",
                          "drop the allowedTopologies of StorageClass fast -> n"));
}

// What is stored cannot be moved by a change of objects.
TEST_F(VolumeChangesTest, DataInAnotherZoneStaysThere) {
  harness_.Put(MakeNode("n").Zone("a"));
  api::PersistentVolume volume;
  volume.metadata.name = "v";
  volume.claim_ref = api::ObjectReference{.namespace_ = "default", .name = "data"};
  volume.node_affinity.emplace().terms = {{{{"topology.kubernetes.io/zone", "In", {"b"}}}, {}}};
  harness_.Put(std::make_shared<const api::PersistentVolume>(volume));
  claim_.volume_name = "v";
  claim_.phase = "Bound";
  claim_.metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  PutStorage();
  EXPECT_THAT(LinesFor(MakePod("web").Mounts("data")), ElementsAre());
  EXPECT_TRUE(report_.complete);
}

TEST_F(VolumeChangesTest, NodesGetDevicesLikeThoseOfOthers) {
  harness_.Put(MakeNode("gpu").Taint("dedicated", "gpu", "NoSchedule"));
  harness_.Put(MakeNode("n"));
  api::DeviceClass device_class;
  device_class.metadata.name = "gpu";
  harness_.Put(std::make_shared<const api::DeviceClass>(device_class));
  api::ResourceSlice slice;
  slice.metadata.name = "gpus";
  slice.driver = "gpu.example.com";
  slice.pool = {.name = "gpu", .generation = 1, .resource_slice_count = 1};
  slice.node_name = "gpu";
  slice.devices = {{.name = "gpu-0"}};
  harness_.Put(std::make_shared<const api::ResourceSlice>(slice));
  api::ResourceClaim claim;
  claim.metadata.name = "one";
  claim.metadata.namespace_ = "default";
  claim.metadata.uid = "uid-of-one";
  claim.metadata.resource_version = "1";
  claim.spec.requests = {{.name = "one"}};
  claim.spec.requests[0].exactly = {
      .device_class_name = "gpu", .allocation_mode = "ExactCount", .count = 1};
  harness_.Put(std::make_shared<const api::ResourceClaim>(claim));
  MakePod pod("web");
  pod.object.spec.resource_claims = {{.name = "one", .resource_claim_name = "one"}};
  EXPECT_THAT(LinesFor(pod),
              ElementsAre("add a toleration for the taint dedicated=gpu:NoSchedule -> gpu",
                          "add 1 device of driver gpu.example.com to node n, like those of "
                          "ResourceSlice gpus -> n",
                          "remove the taint dedicated=gpu:NoSchedule from node gpu -> gpu"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
