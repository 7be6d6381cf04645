// A preview shows what would be decided about a group, without deciding it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "scheduler/groups/group_cycle.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"
#include "testing/require.h"

namespace berth::scheduler::groups {
namespace BERTH_TEST_FILE {

using engine::EngineOptions;

using Lines = std::vector<std::string>;
using Outcome = GroupPreview::Outcome;

class PreviewGroupTest : public testing::Test {
 protected:
  PreviewGroupTest() {
    EngineOptions options;
    model::Features& features = options.features;
    features.generic_workload = features.gang_scheduling = true;
    features.topology_aware_workload_scheduling = features.workload_aware_preemption = true;
    options.profiles = {DefaultProfile("default-scheduler", features)};
    options.paranoid = true;
    harness_ = std::make_unique<EngineHarness>(options);
  }
  void PutMembers(const Lines& names) {
    for (const std::string& name : names)
      harness_->Put(MakePod(name).InGroup("job").Request("cpu", "1").ref());
  }
  // Nothing changes by it.
  GroupPreview Preview() {
    const std::string cluster = DescribeCounts(harness_->cluster()), queue = harness_->Queue();
    GroupPreview preview = Require(harness_->engine().PreviewGroup({"default", "job"}));
    EXPECT_EQ(DescribeCounts(harness_->cluster()), cluster);
    EXPECT_EQ(harness_->Queue(), queue);
    EXPECT_TRUE(harness_->engine().TakeCommands().empty());
    EXPECT_TRUE(harness_->Decisions().empty());
    return preview;
  }
  // "a to n1", "b nowhere: 0/1 nodes are available"
  static Lines MembersOf(const GroupPreview& preview) {
    Lines lines;
    for (const GroupPreview::Member& member : preview.members) {
      lines.push_back(member.pod.name + (member.node.empty() ? " nowhere: " : " to ") +
                      member.node + member.message.substr(0, member.message.find(':')));
    }
    return lines;
  }

  std::unique_ptr<EngineHarness> harness_;
};

TEST_F(PreviewGroupTest, MembersThatStopAGroupAreNamed) {
  harness_->Put(MakeNode("n1").Cpu("2").ref());
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  PutMembers({"a", "b", "c"});
  const GroupPreview preview = Preview();
  EXPECT_EQ(preview.outcome, Outcome::kUnschedulable);
  EXPECT_EQ(preview.message,
            "0/1 placements are available, first placement status: pod group is unschedulable");
  EXPECT_EQ(MembersOf(preview),
            Lines({"a to n1", "b to n1", "c nowhere: 0/1 nodes are available"}));
}

TEST_F(PreviewGroupTest, GroupThatFitsGetsNodes) {
  harness_->Put(MakeNode("a1").Cpu("1").Label("rack", "a").ref());
  harness_->Put(MakeNode("b1").Cpu("2").Label("rack", "b").ref());
  harness_->Put(MakePodGroup("job").Gang(2).Within("rack").ref());
  PutMembers({"a", "b"});
  const GroupPreview preview = Preview();
  EXPECT_EQ(preview.outcome, Outcome::kFits);
  EXPECT_EQ(preview.min_count, 2);
  EXPECT_EQ(preview.topology_keys, Lines({"rack"}));
  EXPECT_EQ(MembersOf(preview), Lines({"a to b1", "b to b1"}));
}

TEST_F(PreviewGroupTest, GroupWithTooFewMembersIsHeld) {
  harness_->Put(MakeNode("n1").ref());
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  harness_->Put(MakePod("runs").InGroup("job").On("n1").ref());
  PutMembers({"a"});
  const GroupPreview preview = Preview();
  EXPECT_EQ(preview.outcome, Outcome::kHeld);
  EXPECT_EQ(preview.scheduled, 1u);
  EXPECT_EQ(preview.message, "waiting for minCount pods from a gang to appear in scheduling queue");
}

TEST_F(PreviewGroupTest, VictimsAreNamedAndNotEvicted) {
  harness_->Put(MakeNode("n1").Cpu("2").ref());
  harness_->Put(MakePod("low").Request("cpu", "1").On("n1").ref());
  harness_->Put(MakePodGroup("job").Gang(2).Priority(10).ref());
  PutMembers({"a", "b"});
  const GroupPreview preview = Preview();
  EXPECT_EQ(preview.outcome, Outcome::kPreempts);
  ASSERT_EQ(preview.victims.size(), 1u);
  EXPECT_EQ(preview.victims[0].name, "low");
}

TEST_F(PreviewGroupTest, GroupWithoutMembersIsDone) {
  EXPECT_FALSE(Preview().exists);
  EXPECT_EQ(Preview().outcome, Outcome::kDone);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::groups
