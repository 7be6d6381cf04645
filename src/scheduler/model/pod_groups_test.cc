#include "scheduler/model/pod_groups.h"

#include <gtest/gtest.h>

#include "scheduler/model/cluster.h"
#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

class PodGroupsTest : public testing::Test {
 protected:
  static Features WithGroups() {
    Features features;
    features.generic_workload = true;
    return features;
  }
  void Put(const MakePod& pod) { cluster_.PutPod(pod.ref()); }
  PodId Id(const std::string& pod) const { return cluster_.pods().Find("default", pod); }
  // "pending/scheduled"
  std::string Count(const std::string& group) const {
    const PodGroups::Members& members = cluster_.groups().Of({"default", group});
    return std::to_string(members.pending.size()) + "/" + std::to_string(members.scheduled.size());
  }

  Cluster cluster_{WithGroups()};
};

TEST_F(PodGroupsTest, CountsMembersByState) {
  cluster_.Put(MakeNode("n1").ref());
  Put(MakePod("a").InGroup("g"));
  Put(MakePod("b").InGroup("g"));
  Put(MakePod("c").InGroup("g").On("n1"));
  Put(MakePod("d").InGroup("other"));
  Put(MakePod("e"));
  EXPECT_EQ(Count("g"), "2/1");
  EXPECT_EQ(Count("other"), "1/0");
  EXPECT_EQ(Count("none"), "0/0");

  cluster_.Assume(Id("a"), cluster_.nodes().Find(cluster_.symbols().Find("n1")));
  EXPECT_EQ(Count("g"), "1/2");
  cluster_.Forget(Id("a"));
  EXPECT_EQ(Count("g"), "2/1");
  Put(MakePod("b").InGroup("g").On("n1"));
  EXPECT_EQ(Count("g"), "1/2");
}

TEST_F(PodGroupsTest, MembersLeaveWithTheirPods) {
  Put(MakePod("a").InGroup("g"));
  Put(MakePod("b").InGroup("g").On("n1"));
  Put(MakePod("c").InGroup("g"));
  cluster_.Remove<api::Pod>({"default", "a"});
  EXPECT_EQ(Count("g"), "1/1");
  Put(MakePod("b").InGroup("g").On("n1").Phase("Succeeded"));
  EXPECT_EQ(Count("g"), "1/0") << "a pod that has finished is no member";
  Put(MakePod("c").Uid("another").InGroup("h"));
  EXPECT_EQ(Count("g"), "0/0");
  EXPECT_EQ(Count("h"), "1/0");
}

TEST_F(PodGroupsTest, BoundMembersStayWhenTheirNodeGoes) {
  cluster_.Put(MakeNode("n1").ref());
  Put(MakePod("a").InGroup("g").On("n1"));
  cluster_.Remove<api::Node>({"", "n1"});
  EXPECT_EQ(Count("g"), "0/1");
}

TEST_F(PodGroupsTest, PendingPodsOfOtherSchedulersDoNotCount) {
  cluster_.mutable_groups().CountPendingPodsOf({"default-scheduler"});
  Put(MakePod("a").InGroup("g").Scheduler("theirs"));
  EXPECT_EQ(Count("g"), "0/0");
  Put(MakePod("a").InGroup("g").Scheduler("theirs").On("n1"));
  EXPECT_EQ(Count("g"), "0/1") << "bound by any scheduler";
}

TEST_F(PodGroupsTest, PodsHaveNoGroupsWithoutTheFeature) {
  Cluster cluster;
  cluster.PutPod(MakePod("a").InGroup("g").ref());
  EXPECT_EQ(cluster.groups().Of({"default", "g"}).size(), 0u);
}

TEST_F(PodGroupsTest, PodsAreTakenOffAndPutBackWithoutATrace) {
  cluster_.Put(MakeNode("n1").ref());
  Put(MakePod("a").InGroup("g").Request("cpu", "1").HostPort(80).On("n1"));
  const NodeRow row = cluster_.nodes().Find(cluster_.symbols().Find("n1"));
  const uint64_t version = cluster_.version();
  cluster_.TakeOff(Id("a"));
  EXPECT_EQ(cluster_.nodes().columns().requested_cpu[row.index()], 0);
  EXPECT_TRUE(cluster_.nodes().info(row).used_ports.empty());
  EXPECT_GT(cluster_.version(), version) << "results must not be reused";
  EXPECT_EQ(Count("g"), "0/1") << "it still has its node";
  cluster_.PutBack(Id("a"));
  EXPECT_EQ(cluster_.nodes().columns().requested_cpu[row.index()], 1000);
  EXPECT_EQ(cluster_.nodes().info(row).used_ports.size(), 1u);
  EXPECT_EQ(cluster_.nodes().info(row).holds, 0u);
}

TEST_F(PodGroupsTest, RowOfADeletedNodeOutlivesItsLastPodWhileThatIsTakenOff) {
  cluster_.Put(MakeNode("n1").ref());
  Put(MakePod("a").Request("cpu", "1").On("n1"));
  const NodeRow row = cluster_.pod(Id("a")).node;
  cluster_.Remove<api::Node>({"", "n1"});
  cluster_.TakeOff(Id("a"));
  cluster_.Put(MakeNode("n2").ref());
  cluster_.PutBack(Id("a"));
  EXPECT_EQ(cluster_.nodes().name(row), "n1");
  EXPECT_EQ(cluster_.nodes().columns().requested_cpu[row.index()], 1000);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
