// Groups of scheduler-plugins, whose members have a label.
#include "scheduler/plugins/coscheduling.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::scheduler::groups {
namespace BERTH_TEST_FILE {

using engine::Command;
using engine::EngineOptions;

using Lines = std::vector<std::string>;

class CoschedulingTest : public testing::Test {
 protected:
  explicit CoschedulingTest(bool enabled = true) {
    EngineOptions options;
    options.features.coscheduling = enabled;
    options.profiles = {DefaultProfile("default-scheduler", options.features)};
    if (enabled) {
      // As the documentation of scheduler-plugins has it.
      options.profiles[0].multi_point.enabled.push_back({"Coscheduling"});
      std::erase_if(options.profiles[0].multi_point.enabled,
                    [](const auto& plugin) { return plugin.name == "PrioritySort"; });
    }
    options.paranoid = true;
    harness_ = std::make_unique<EngineHarness>(options, plugins::RegistryWithCoscheduling());
  }
  void PutGroup(int32_t min_member, const std::string& version = "1") {
    api::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = "job";
    group.metadata.uid = "job-uid";
    group.metadata.resource_version = version;
    group.min_member = min_member;
    harness_->Put(std::make_shared<const api::PodGroup>(api::FromCoscheduling(group)));
  }
  void PutMember(const std::string& name,
                 const std::string& label = "scheduling.x-k8s.io/pod-group") {
    harness_->Put(MakePod(name).Label(label, "job").Request("cpu", "1").ref());
  }
  Lines Bound() {
    harness_->Schedule();
    Lines bound;
    for (const Command& command : harness_->Commands()) {
      if (const auto* bind = std::get_if<framework::BindPod>(&command.write))
        bound.push_back(bind->pod.name);
    }
    return bound;
  }

  std::unique_ptr<EngineHarness> harness_;
};

TEST_F(CoschedulingTest, MembersAreBoundTogetherOrNotAtAll) {
  harness_->Put(MakeNode("n1").Cpu("1").ref());
  PutGroup(2);
  PutMember("a");
  EXPECT_EQ(Bound(), Lines()) << "one is missing";
  PutMember("b", "pod-group.scheduling.sigs.k8s.io");
  EXPECT_EQ(Bound(), Lines()) << "there is room for one";
  harness_->Put(MakeNode("n2").Cpu("1").ref());
  EXPECT_EQ(Bound().size(), 2u);
  for (const std::string& line : harness_->Reports())
    EXPECT_FALSE(line.starts_with("group ")) << "their status has no conditions: " << line;
}

TEST_F(CoschedulingTest, MembersWaitForTheirGroup) {
  harness_->Put(MakeNode("n1").ref());
  PutMember("a");
  EXPECT_EQ(Bound(), Lines());
  PutGroup(1);
  EXPECT_EQ(Bound(), Lines({"a"}));
}

TEST_F(CoschedulingTest, SmallerMinMemberWakesMembers) {
  harness_->Put(MakeNode("n1").ref());
  PutGroup(2);
  PutMember("a");
  EXPECT_EQ(Bound(), Lines());
  PutGroup(1, "2");
  EXPECT_EQ(Bound(), Lines({"a"}));
}

// The gate of Kubernetes' own groups is off.
TEST_F(CoschedulingTest, OtherGroupsAreNotRead) {
  harness_->Put(MakeNode("n1").ref());
  harness_->Put(MakePod("a").InGroup("unknown").ref());
  EXPECT_EQ(Bound(), Lines({"a"}));
}

class CoschedulingOffTest : public CoschedulingTest {
 protected:
  CoschedulingOffTest() : CoschedulingTest(/*enabled=*/false) {}
};

TEST_F(CoschedulingOffTest, LabelsMeanNothing) {
  harness_->Put(MakeNode("n1").ref());
  PutMember("a");
  EXPECT_EQ(Bound(), Lines({"a"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::groups
