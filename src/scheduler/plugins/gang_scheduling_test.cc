#include "scheduler/plugins/gang_scheduling.h"

#include "scheduler/framework/waiting_pods.h"
#include "scheduler/plugins/plugin_testing.h"
#include "testing/object_builders.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

model::Features WithGangs() {
  model::Features features;
  features.generic_workload = features.gang_scheduling = true;
  return features;
}

class GangSchedulingTest : public testing::Test {
 protected:
  void Add(const api::Object& object) { world_.Add(object); }
  std::string PreEnqueue(const std::string& pod) {
    return Text(plugin_.PreEnqueue(world_.cluster(), world_.cluster().pod(world_.pod(pod))));
  }
  bool Hint(const std::string& pod, framework::EventType type, const api::Object& added) {
    return Require(plugin_.QueueingHint(world_.cluster(), world_.cluster().pod(world_.pod(pod)),
                                        {.type = type, .after = added}));
  }

  TestCluster world_{WithGangs()};
  GangScheduling plugin_;
};

TEST_F(GangSchedulingTest, HoldsPodsUntilTheirGroupExists) {
  Add(MakePod("a").InGroup("g").ref());
  Add(MakePod("alone").ref());
  EXPECT_EQ(PreEnqueue("a"),
            "UnschedulableAndUnresolvable: waiting for pods's pod group \"g\" to appear in "
            "scheduling queue");
  EXPECT_EQ(PreEnqueue("alone"), "Success");
  Add(MakePodGroup("g").ref());
  EXPECT_EQ(PreEnqueue("a"), "Success");
}

TEST_F(GangSchedulingTest, HoldsPodsUntilThereAreEnough) {
  Add(MakePodGroup("g").Gang(3).ref());
  Add(MakePod("a").InGroup("g").ref());
  Add(MakePod("running").InGroup("g").On("n1").ref());
  EXPECT_EQ(PreEnqueue("a"),
            "UnschedulableAndUnresolvable: waiting for minCount pods from a gang to appear in "
            "scheduling queue");
  Add(MakePod("gated").InGroup("g").Gate("later").ref());
  EXPECT_EQ(PreEnqueue("a"), "Success") << "pods count whatever holds them back";
}

TEST_F(GangSchedulingTest, WithoutTheFeatureNothingIsHeldBack) {
  TestCluster world;
  world.Add(MakePod("a").InGroup("g").ref());
  EXPECT_EQ(Text(plugin_.PreEnqueue(world.cluster(), world.cluster().pod(world.pod("a")))),
            "Success");
}

TEST_F(GangSchedulingTest, NewMembersAndTheGroupItselfAreWorthAnotherLook) {
  Add(MakePod("a").InGroup("g").ref());
  Add(MakePod("alone").ref());
  constexpr framework::EventType kPod{framework::Resource::kUnschedulablePod, framework::kAdd};
  constexpr framework::EventType kGroup{framework::Resource::kPodGroup, framework::kAdd};
  EXPECT_TRUE(Hint("a", kPod, MakePod("b").InGroup("g").ref()));
  EXPECT_FALSE(Hint("a", kPod, MakePod("b").InGroup("h").ref()));
  EXPECT_FALSE(Hint("a", kPod, MakePod("b").InGroup("g").Namespace("other").ref()));
  EXPECT_FALSE(Hint("alone", kPod, MakePod("b").ref()));
  EXPECT_TRUE(Hint("a", kGroup, MakePodGroup("g").ref()));
  EXPECT_FALSE(Hint("a", kGroup, MakePodGroup("h").ref()));
}

TEST_F(GangSchedulingTest, PermitsOnceEnoughMembersHaveANode) {
  Add(MakeNode("n1").ref());
  Add(MakePodGroup("g").Gang(2).ref());
  Add(MakePod("a").InGroup("g").ref());
  Add(MakePod("b").InGroup("g").ref());
  framework::WaitingPods waiting;
  const framework::ClassStates compiled(1);
  const auto permit = [&](const std::string& pod) {
    framework::Cycle cycle(world_.cluster(), world_.cluster().pod(world_.pod(pod)), compiled);
    return Text(plugin_.Permit(cycle, world_.node("n1"), waiting).verdict);
  };
  world_.cluster().Assume(world_.pod("a"), world_.node("n1"));
  EXPECT_EQ(permit("a"), "Wait: waiting for minCount pods from a gang to be scheduled");
  world_.cluster().Assume(world_.pod("b"), world_.node("n1"));
  EXPECT_EQ(permit("b"), "Success");
  world_.cluster().Remove<api::PodGroup>({"default", "g"});
  EXPECT_EQ(permit("b"),
            "Error: failed to get podGroup default/g: podgroup.scheduling.k8s.io \"g\" not found");
}

TEST_F(GangSchedulingTest, IsKnownByName) {
  EXPECT_NE(InTreeRegistry().Find("GangScheduling"), nullptr);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
