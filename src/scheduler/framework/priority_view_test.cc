#include "scheduler/framework/priority_view.h"

#include <gtest/gtest.h>

#include <string>

#include "scheduler/model/cluster.h"
#include "testing/object_builders.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

class PriorityViewTest : public testing::Test {
 protected:
  PriorityViewTest() {
    for (const char* name : {"a", "b"}) cluster_.Put(MakeNode(name));
  }

  void Nominate(const MakePod& pod, const std::string& node) {
    cluster_.NominateByName(cluster_.PutPod(pod.ref()), node);
  }
  // The rivals of each contested node: "a: 2 pods, 300m".
  std::string Rivals() {
    view_.Refresh(cluster_);
    std::string text;
    view_.contested().ForEach([&](size_t i) {
      const model::NodeRow row{static_cast<uint32_t>(i)};
      const PriorityView::Rivals& rivals = view_.rivals(row);
      if (!text.empty()) text += "; ";
      text += cluster_.nodes().name(row) + ": " + std::to_string(rivals.pods) + " pods, " +
              std::to_string(rivals.requests.milli_cpu) + "m";
      if (!rivals.are_small) text += " (large)";
    });
    return text;
  }

  model::Cluster cluster_;
  PriorityView view_{5};
};

TEST_F(PriorityViewTest, SumsUpTheRivalsOfANode) {
  EXPECT_EQ(Rivals(), "");
  Nominate(MakePod("equal").Priority(5).Request("cpu", "100m"), "a");
  Nominate(MakePod("higher").Priority(9).Request("cpu", "200m"), "a");
  Nominate(MakePod("lower").Priority(4).Request("cpu", "400m"), "b");
  EXPECT_EQ(Rivals(), "a: 2 pods, 300m");
  cluster_.Put(MakePod("lower").Priority(6).Request("cpu", "500m"));
  EXPECT_EQ(Rivals(), "a: 2 pods, 300m; b: 1 pods, 500m");
  cluster_.Remove<api::Pod>({"default", "equal"});
  EXPECT_EQ(Rivals(), "a: 1 pods, 200m; b: 1 pods, 500m");
}

TEST_F(PriorityViewTest, FollowsNodes) {
  Nominate(MakePod("p").Priority(5).Request("cpu", "100m"), "new");
  EXPECT_EQ(Rivals(), "");
  cluster_.Put(MakeNode("new"));
  EXPECT_EQ(Rivals(), "new: 1 pods, 100m");
  cluster_.Remove<api::Node>({"", "new"});
  EXPECT_EQ(Rivals(), "");
}

TEST_F(PriorityViewTest, SumsThatMayOverflowAreLarge) {
  Nominate(MakePod("p").Priority(5).Request("memory", "9E"), "a");
  EXPECT_EQ(Rivals(), "a: 1 pods, 0m (large)");
  Nominate(MakePod("q").Priority(5).Request("cpu", "1"), "b");
  EXPECT_EQ(Rivals(), "a: 1 pods, 0m (large); b: 1 pods, 1000m");
  cluster_.Put(MakePod("huge").On("b").Request("memory", "9E"));
  EXPECT_EQ(Rivals(), "a: 1 pods, 0m (large); b: 1 pods, 1000m (large)");
}

// The sums of a node as filters see them with its rivals: "1000m, 2 pods".
class PriorityViewSumsTest : public PriorityViewTest {
 protected:
  std::string Sums(const std::string& node) {
    view_.Refresh(cluster_);
    const model::NodeRow row = cluster_.nodes().Find(cluster_.symbols().Find(node));
    cluster_.TrySwapSums(view_.sums_with_rivals());
    const model::NodeColumns& columns = cluster_.nodes().columns();
    std::string text = std::to_string(columns.requested_cpu[row.index()]) + "m, " +
                       std::to_string(columns.pod_count[row.index()]) + " pods";
    cluster_.TrySwapSums(view_.sums_with_rivals());
    if (view_.uncounted().Test(row.index())) text += " (uncounted)";
    return text;
  }
};

TEST_F(PriorityViewSumsTest, HaveRivals) {
  cluster_.Put(MakePod("on-a").On("a").Request("cpu", "1"));
  EXPECT_EQ(Sums("a"), "1000m, 1 pods");
  Nominate(MakePod("equal").Priority(5).Request("cpu", "100m"), "a");
  Nominate(MakePod("lower").Priority(4).Request("cpu", "400m"), "a");
  EXPECT_EQ(Sums("a"), "1100m, 2 pods");
  EXPECT_EQ(Sums("b"), "0m, 0 pods");
  cluster_.Put(MakePod("also-on-a").On("a").Request("cpu", "3"));
  EXPECT_EQ(Sums("a"), "4100m, 3 pods");
  cluster_.Remove<api::Pod>({"default", "equal"});
  EXPECT_EQ(Sums("a"), "4000m, 2 pods");
}

TEST_F(PriorityViewSumsTest, KeepRivalsWhenANodeComes) {
  Nominate(MakePod("p").Priority(5).Request("cpu", "100m"), "a");
  EXPECT_EQ(Sums("a"), "100m, 1 pods");
  for (int i = 0; i < 100; ++i) cluster_.Put(MakeNode("new-" + std::to_string(i)));
  EXPECT_EQ(Sums("a"), "100m, 1 pods");
  EXPECT_EQ(Sums("new-99"), "0m, 0 pods");
}

TEST_F(PriorityViewSumsTest, LeaveOutRivalsThatTheyCannotCount) {
  Nominate(MakePod("p").Priority(5).Request("cpu", "1").Request("memory", "9E"), "a");
  Nominate(MakePod("q").Priority(5).Request("cpu", "1").Request("example.com/gpu", "1"), "b");
  EXPECT_EQ(Sums("a"), "0m, 0 pods (uncounted)");
  EXPECT_EQ(Sums("b"), "0m, 0 pods (uncounted)");
}

TEST(PriorityViews, AViewIsSharedAndThoseUsedLastAreRetained) {
  model::Cluster cluster;
  PriorityViews views;
  const auto first = views.For(cluster, 1);
  EXPECT_EQ(views.For(cluster, 1), first);
  for (int priority = 2; priority < 20; ++priority) {
    views.For(cluster, priority);
    views.For(cluster, 1);
  }
  EXPECT_EQ(views.For(cluster, 1), first);
  EXPECT_EQ(first.use_count(), 2);
  for (int priority = 2; priority < 20; ++priority) views.For(cluster, priority);
  EXPECT_EQ(first.use_count(), 1);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
