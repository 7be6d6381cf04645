#include "scheduler/plugins/preemption/group_victims.h"

#include "api/workloads.h"
#include "scheduler/plugins/plugin_testing.h"
#include "testing/cluster_dump.h"
#include "testing/object_builders.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

model::Features WithGroups() {
  model::Features features;
  features.generic_workload = true;
  return features;
}

// A group that fits if no more than `limit` pods run in the whole cluster.
class GroupVictimsTest : public testing::Test {
 protected:
  GroupVictimsTest() { world_.Add(MakeNode("n1").ref()); }
  MakePod Running(const char* name, int32_t priority) {
    MakePod pod(name);
    pod.Priority(priority).On("n1");
    return pod;
  }
  void Add(const api::Object& object) { world_.Add(object); }

  // The names of the victims, or the verdict.
  std::string Select(int64_t limit, const MakePodGroup& preemptor = MakePodGroup("g").Priority(10),
                     const MakePod& member = MakePod("member").InGroup("g")) {
    model::Cluster& cluster = world_.cluster();
    world_.Add(member.ref());
    const api::PodGroup group = preemptor;
    framework::FailedGroup failed{cluster, group, {&cluster.pod(world_.pod("member"))}, {}, {}};
    failed.spares = spares_;
    failed.fits = [&]() -> Task<framework::Verdict> {
      ++trials_;
      const size_t row = world_.node("n1").index();
      if (cluster.nodes().columns().pod_count[row] <= limit) co_return framework::Verdict();
      co_return framework::Verdict(framework::Code::kUnschedulable, "pod group is unschedulable");
    };
    const std::string before = Dump(cluster);
    Task<framework::PodGroupPostFilterResult> selection = SelectVictimsForGroup(failed);
    selection.Start();
    EXPECT_EQ(Dump(cluster), before);
    const framework::PodGroupPostFilterResult& result = selection.result();
    if (!result.verdict.ok()) return Text(result.verdict);
    std::vector<std::string> names;
    for (model::PodId id : result.victims) names.push_back(world_.name(id));
    return fmt::format("{}", fmt::join(names, " "));
  }

  TestCluster world_{WithGroups()};
  size_t trials_ = 0;
  bool spares_ = false;
};

TEST_F(GroupVictimsTest, LeastImportantPodsGo) {
  Add(Running("low", 1).ref());
  Add(Running("mid", 5).ref());
  Add(Running("equal", 10).ref());
  EXPECT_EQ(Select(2), "low");
  EXPECT_EQ(Select(1), "mid low");
  EXPECT_EQ(trials_, 6u) << "one without all candidates, then one for each";
  EXPECT_EQ(Select(0), "Unschedulable: pod group is unschedulable");
}

TEST_F(GroupVictimsTest, OwnMembersAreSparedIfSoWanted) {
  Add(Running("low", 1).ref());
  Add(MakePod(Running("sibling", 0)).InGroup("g").ref());
  EXPECT_EQ(Select(1), "sibling") << "as kube-scheduler";
  spares_ = true;
  EXPECT_EQ(Select(1), "low");
}

TEST_F(GroupVictimsTest, PodsThatLeaveAnywayComeFirstIfSoWanted) {
  Add(Running("low", 1).ref());
  MakePod leaving = Running("leaving", 5);
  leaving.object.metadata.deletion_timestamp = Instant::FromUnixSeconds(1);
  Add(leaving.ref());
  EXPECT_EQ(Select(1), "low") << "as kube-scheduler";
  spares_ = true;
  EXPECT_EQ(Select(1), "leaving");
}

TEST_F(GroupVictimsTest, PodsOfTheSamePriorityAreNotVictims) {
  Add(Running("equal", 10).ref());
  EXPECT_EQ(Select(0),
            "UnschedulableAndUnresolvable: No preemption victims found for incoming preemptor");
  EXPECT_EQ(trials_, 0u);
}

TEST_F(GroupVictimsTest, MembersThatNeverPreemptDoNot) {
  Add(Running("low", 1).ref());
  api::Pod member = MakePod("member").InGroup("g");
  member.spec.preemption_policy = "Never";
  EXPECT_EQ(Select(0, MakePodGroup("g").Priority(10), MakePod(member)),
            "Unschedulable: not eligible due to preemptionPolicy=Never.");
}

TEST_F(GroupVictimsTest, GroupsAreEvictedAsTheyAreDisrupted) {
  Add(MakePodGroup("whole").Priority(3).DisruptedAsAWhole().ref());
  Add(Running("w1", 9).InGroup("whole").ref());
  Add(Running("w2", 9).InGroup("whole").ref());
  Add(Running("low", 4).ref());
  // The group counts with its own priority, and goes as a whole.
  EXPECT_EQ(Select(2), "w1 w2");
  Add(MakePodGroup("whole").Priority(3).ref());
  EXPECT_EQ(Select(2), "low") << "pod by pod, by the pods' priorities";
}

TEST_F(GroupVictimsTest, MembersOfGroupsMatterMoreThanOtherPods) {
  Add(MakePodGroup("h").ref());
  Add(Running("a-member", 1).InGroup("h").ref());
  Add(Running("b-alone", 1).ref());
  EXPECT_EQ(Select(1), "b-alone");
}

TEST_F(GroupVictimsTest, DisruptionBudgetsAreRespectedIfPossible) {
  api::PodDisruptionBudget budget;
  budget.metadata.name = "budget";
  budget.metadata.namespace_ = "default";
  budget.selector.emplace().match_labels["app"] = "db";
  Add(std::make_shared<const api::PodDisruptionBudget>(budget));
  Add(Running("protected", 1).Label("app", "db").ref());
  Add(Running("other", 5).ref());
  EXPECT_EQ(Select(1), "other");
  EXPECT_EQ(Select(0), "other protected");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
