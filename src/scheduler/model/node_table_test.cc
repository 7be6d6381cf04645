#include "scheduler/model/node_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

TEST(TaintSets, EqualListsShareAnId) {
  TaintSets sets;
  const api::Taint gpu{"gpu", "yes", "NoSchedule"};
  const api::Taint spot{"spot", "", "PreferNoSchedule"};
  const TaintSetId none = sets.Acquire({});
  const TaintSetId both = sets.Acquire({gpu, spot});
  EXPECT_NE(none, both);
  EXPECT_EQ(sets.Acquire({gpu, spot}), both);
  EXPECT_NE(sets.Acquire({spot, gpu}),
            both);  // The first that a pod does not tolerate is reported.
  EXPECT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets.Get(both), (std::vector{gpu, spot}));
  EXPECT_TRUE(sets.Get(none).empty());
  const uint64_t serial = sets.serial(both);
  sets.Release(both);
  EXPECT_EQ(sets.serial(both), serial);
  sets.Release(both);
  EXPECT_EQ(sets.serial(both), 0u);
  EXPECT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets.Acquire({gpu}), both);
  EXPECT_NE(sets.serial(both), serial);
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

using Rows = std::vector<uint32_t>;

Rows Since(const RowChanges& changes, uint64_t position) {
  Rows rows;
  for (NodeRow row : changes.Since(position)) rows.push_back(row.value);
  return rows;
}

TEST(RowChanges, GivesWhatChangedSinceAPositionWithRepetitions) {
  RowChanges changes;
  EXPECT_EQ(changes.now(), 0u);
  EXPECT_EQ(Since(changes, 0), Rows());
  changes.Add(NodeRow{3}, 4);
  const uint64_t position = changes.now();
  changes.Add(NodeRow{1}, 4);
  changes.Add(NodeRow{3}, 4);
  changes.Add(NodeRow{1}, 4);
  EXPECT_EQ(Since(changes, position), Rows({1, 3, 1}));
  EXPECT_EQ(Since(changes, 0), Rows({3, 1, 3, 1}));
  EXPECT_EQ(Since(changes, changes.now()), Rows());
}

// With one row, at most 2 * 1 + 1024 changes are retained; the next one drops the older half.
TEST(RowChanges, ForgetsTheOlderHalfWhenItGrowsTooLong) {
  RowChanges changes;
  for (uint32_t i = 0; i < 1026; ++i) changes.Add(NodeRow{i}, 1);
  EXPECT_TRUE(changes.Covers(0));
  changes.Add(NodeRow{1026}, 1);
  EXPECT_FALSE(changes.Covers(0));
  EXPECT_FALSE(changes.Covers(512));
  EXPECT_TRUE(changes.Covers(513));
  EXPECT_EQ(changes.now(), 1027u);
  EXPECT_EQ(Since(changes, 1025), Rows({1025, 1026}));
  EXPECT_EQ(changes.Since(513).size(), 514u);
}

TEST(RowChanges, KeepsMoreWhenThereAreMoreRows) {
  RowChanges changes;
  for (uint32_t i = 0; i < 3024; ++i) changes.Add(NodeRow{i % 1000}, 1000);
  EXPECT_TRUE(changes.Covers(0));
  EXPECT_EQ(changes.Since(0).size(), 3024u);
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

class NodeTableTest : public testing::Test {
 protected:
  NodeRow Row(const char* name) { return nodes_.Find(symbols_.Find(name)); }
  bool Remove(const char* name) { return nodes_.Remove(symbols_.Find(name)); }
  PodClass Class(const api::Pod& pod) { return CompilePodClass(pod, false, symbols_, scalars_); }
  // -1 if the resource has no column.
  int64_t Offered(NodeRow row, const char* scalar) {
    const NodeColumns::Scalar* column = nodes_.columns().scalar(scalars_.Find(scalar));
    return column == nullptr ? -1 : column->allocatable[row.index()];
  }
  int64_t Counted(NodeRow row, const char* scalar) {
    const NodeColumns::Scalar* column = nodes_.columns().scalar(scalars_.Find(scalar));
    return column == nullptr ? -1 : column->requested[row.index()];
  }
  bool Present(NodeRow row) { return nodes_.present().Test(row.index()); }

  SymbolTable symbols_;
  ScalarNames scalars_;
  NodeTable nodes_{symbols_, scalars_};
};

TEST_F(NodeTableTest, PutFillsTheColumns) {
  const NodeRow row = nodes_.Put(MakeNode("n1")
                                     .Cpu("2500m")
                                     .Memory("1Ki")
                                     .Pods("10")
                                     .Offer("ephemeral-storage", "5")
                                     .Offer("example.com/gpu", "8")
                                     .Label("zone", "a")
                                     .Taint("gpu", "yes", "NoSchedule")
                                     .Declares("Z")
                                     .Declares("A")
                                     .Image("app:1", 77)
                                     .Cordoned());
  const size_t r = row.index();
  const NodeColumns& columns = nodes_.columns();
  EXPECT_EQ(columns.allocatable_cpu[r], 2500);
  EXPECT_EQ(columns.allocatable_memory[r], 1024);
  EXPECT_EQ(columns.allocatable_pods[r], 10);
  EXPECT_EQ(columns.allocatable_ephemeral[r], 5);
  EXPECT_EQ(Offered(row, "example.com/gpu"), 8);
  EXPECT_TRUE(columns.unschedulable.Test(r));
  EXPECT_EQ(nodes_.taint_sets().Get(columns.taints[r]),
            (std::vector<api::Taint>{{"gpu", "yes", "NoSchedule"}}));

  const NodeInfo& info = nodes_.info(row);
  EXPECT_EQ(nodes_.name(row), "n1");
  EXPECT_EQ(info.object->metadata.name, "n1");
  EXPECT_EQ(FindLabel(info.labels, symbols_.Find("zone")), symbols_.Find("a"));
  EXPECT_EQ(info.declared_features.size(), 2u);
  EXPECT_TRUE(std::ranges::is_sorted(info.declared_features));
  EXPECT_TRUE(nodes_.images().Holds(row, nodes_.images().Find(symbols_.Find("app:1"))));
  EXPECT_EQ(nodes_.present_count(), 1u);
  EXPECT_EQ(nodes_.order().rows(), std::vector<NodeRow>{row});
}

TEST_F(NodeTableTest, PutAgainReplacesWhatTheNodeOffers) {
  nodes_.Put(MakeNode("n1")
                 .Offer("example.com/gpu", "8")
                 .Label("zone", "a")
                 .Taint("t", "", "NoSchedule")
                 .Image("app:1", 77)
                 .Declares("F")
                 .Cordoned());
  const NodeRow row = nodes_.Put(MakeNode("n1").Cpu("1"));
  EXPECT_EQ(nodes_.rows(), 1u);
  EXPECT_EQ(nodes_.present_count(), 1u);
  EXPECT_EQ(nodes_.columns().allocatable_cpu[row.index()], 1000);
  EXPECT_EQ(Offered(row, "example.com/gpu"), -1);
  EXPECT_TRUE(nodes_.info(row).labels.empty());
  EXPECT_TRUE(nodes_.info(row).declared_features.empty());
  EXPECT_FALSE(nodes_.columns().unschedulable.Test(row.index()));
  EXPECT_TRUE(nodes_.taint_sets().Get(nodes_.columns().taints[row.index()]).empty());
  EXPECT_FALSE(nodes_.images().Find(symbols_.Find("app:1")).valid());
}

TEST_F(NodeTableTest, SumsWhatPodsAskFor) {
  const NodeRow row = nodes_.Put(MakeNode("n1").Offer("example.com/gpu", "4"));
  const PodClass big = Class(MakePod("big")
                                 .Request("cpu", "1")
                                 .Request("memory", "10")
                                 .Request("ephemeral-storage", "20")
                                 .Request("example.com/gpu", "2")
                                 .HostPort(80));
  const PodClass best_effort = Class(MakePod("small"));
  nodes_.AddPod(row, PodId{1}, big);
  nodes_.AddPod(row, PodId{2}, best_effort);
  const NodeColumns& columns = nodes_.columns();
  const size_t r = row.index();
  EXPECT_EQ(columns.requested_cpu[r], 1000);
  EXPECT_EQ(columns.requested_memory[r], 10);
  EXPECT_EQ(columns.requested_ephemeral[r], 20);
  EXPECT_EQ(columns.nonzero_cpu[r], 1100);
  EXPECT_EQ(columns.nonzero_memory[r], 10 + 200 * 1024 * 1024);
  EXPECT_EQ(columns.pod_count[r], 2);
  EXPECT_EQ(Counted(row, "example.com/gpu"), 2);
  EXPECT_EQ(nodes_.info(row).used_ports.size(), 1u);

  nodes_.RemovePod(row, PodId{1}, big);
  EXPECT_EQ(columns.requested_cpu[r], 0);
  EXPECT_EQ(columns.nonzero_cpu[r], 100);
  EXPECT_EQ(columns.pod_count[r], 1);
  EXPECT_EQ(Counted(row, "example.com/gpu"), 0);
  EXPECT_TRUE(nodes_.info(row).used_ports.empty());
  EXPECT_EQ(nodes_.info(row).pods, std::vector<PodId>{PodId{2}});
}

TEST_F(NodeTableTest, SharedPortIsUsedUntilTheLastPodThatHoldsItGoes) {
  const NodeRow row = nodes_.Put(MakeNode("n1"));
  const PodClass web = Class(MakePod("web").HostPort(80));
  nodes_.AddPod(row, PodId{1}, web);
  nodes_.AddPod(row, PodId{2}, web);
  nodes_.RemovePod(row, PodId{1}, web);
  EXPECT_EQ(nodes_.info(row).used_ports.size(), 1u);
}

TEST_F(NodeTableTest, RowWithoutANodeObjectKeepsItsSumsAndIsInvisible) {
  const PodClass web = Class(MakePod("web").Request("cpu", "1"));
  const NodeRow ghost = nodes_.RowFor("n1");
  nodes_.AddPod(ghost, PodId{1}, web);
  EXPECT_FALSE(Present(ghost));
  EXPECT_EQ(nodes_.present_count(), 0u);
  EXPECT_TRUE(nodes_.order().rows().empty());
  EXPECT_EQ(nodes_.columns().requested_cpu[ghost.index()], 1000);

  EXPECT_EQ(nodes_.Put(MakeNode("n1")), ghost);
  EXPECT_TRUE(Present(ghost));
  EXPECT_EQ(nodes_.columns().requested_cpu[ghost.index()], 1000);

  EXPECT_TRUE(Remove("n1"));
  EXPECT_FALSE(Present(ghost));
  EXPECT_EQ(nodes_.columns().requested_cpu[ghost.index()], 1000);
  EXPECT_EQ(nodes_.columns().allocatable_cpu[ghost.index()], 0);
  EXPECT_FALSE(Remove("n1"));
  EXPECT_EQ(Row("n1"), ghost);
  nodes_.RemovePod(ghost, PodId{1}, web);
  EXPECT_FALSE(Row("n1").valid());
}

TEST_F(NodeTableTest, EmptyRowsAreUsedAgainAndStartClean) {
  nodes_.Put(MakeNode("n1").Offer("example.com/gpu", "4").Label("zone", "a").Cordoned());
  const NodeRow second = nodes_.Put(MakeNode("n2"));
  const NodeRow first = Row("n1");
  const Topology::KeyRef zone = nodes_.UseTopologyKey("zone");
  EXPECT_TRUE(Remove("n1"));
  EXPECT_EQ(nodes_.rows(), 2u);

  const NodeRow reused = nodes_.RowFor("n3");
  EXPECT_EQ(reused, first);
  EXPECT_FALSE(Present(reused));
  EXPECT_EQ(nodes_.columns().allocatable_cpu[reused.index()], 0);
  EXPECT_EQ(Offered(reused, "example.com/gpu"), -1);
  EXPECT_FALSE(nodes_.columns().unschedulable.Test(reused.index()));
  EXPECT_TRUE(nodes_.info(reused).labels.empty());
  EXPECT_FALSE(zone->domain_of()[reused.index()].valid());
  EXPECT_EQ(zone->domain_count(), 0u);
  EXPECT_EQ(Row("n2"), second);
}

TEST_F(NodeTableTest, ScalarResourceSeenLateHasAColumnForAllRows) {
  const NodeRow first = nodes_.Put(MakeNode("n1"));
  const NodeRow second = nodes_.Put(MakeNode("n2").Offer("example.com/gpu", "4"));
  EXPECT_EQ(Offered(first, "example.com/gpu"), 0);
  EXPECT_EQ(Offered(second, "example.com/gpu"), 4);
  const NodeRow third = nodes_.Put(MakeNode("n3").Offer("example.com/fpga", "0"));
  EXPECT_EQ(Offered(third, "example.com/fpga"), 0);
  EXPECT_EQ(Offered(third, "example.com/gpu"), 0);
  nodes_.Put(MakeNode("n2"));
  EXPECT_EQ(Offered(first, "example.com/gpu"), -1);
  EXPECT_EQ(scalars_.size(), 1u);
}

TEST_F(NodeTableTest, OnlyResourcesThatNodesListHaveColumns) {
  const NodeRow row = nodes_.Put(MakeNode("n1"));
  const PodClass wishful = Class(MakePod("p").Request("example.com/fpga", "3"));
  nodes_.AddPod(row, PodId{1}, wishful);
  EXPECT_EQ(Counted(row, "example.com/fpga"), -1);
  EXPECT_TRUE(nodes_.columns().scalars.empty());

  nodes_.Put(MakeNode("n2").Offer("example.com/fpga", "5"));
  ASSERT_TRUE(nodes_.has_new_columns());
  nodes_.CountInNewColumns(row, wishful);
  nodes_.NewColumnsCounted();
  EXPECT_FALSE(nodes_.has_new_columns());
  EXPECT_EQ(Counted(row, "example.com/fpga"), 3);
  nodes_.RemovePod(row, PodId{1}, wishful);
  EXPECT_EQ(Counted(row, "example.com/fpga"), 0);

  EXPECT_TRUE(Remove("n2"));
  EXPECT_TRUE(nodes_.columns().scalars.empty());
  EXPECT_TRUE(nodes_.columns().listed.empty());
}

TEST_F(NodeTableTest, ReportsWhichRowsChanged) {
  const NodeRow first = nodes_.Put(MakeNode("n1"));
  const NodeRow second = nodes_.Put(MakeNode("n2"));
  const PodClass web = Class(MakePod("web"));
  uint64_t position = nodes_.changes().now();
  auto changed = [&] {
    const auto rows = nodes_.changes().Since(position);
    position = nodes_.changes().now();
    return std::vector<NodeRow>(rows.begin(), rows.end());
  };
  nodes_.AddPod(second, PodId{1}, web);
  EXPECT_EQ(changed(), std::vector{second});
  nodes_.Put(MakeNode("n1").Cpu("1"));
  EXPECT_EQ(changed(), std::vector{first});
  nodes_.RemovePod(second, PodId{1}, web);
  EXPECT_EQ(changed(), std::vector{second});
  Remove("n1");
  EXPECT_EQ(changed(), std::vector{first});

  nodes_.TryAddPod(second, PodId{1}, web);
  EXPECT_EQ(nodes_.columns().pod_count[second.index()], 1);
  nodes_.TryRemovePod(second, PodId{1}, web);
  EXPECT_EQ(changed(), std::vector<NodeRow>());
}

TEST_F(NodeTableTest, ReportsWhichNodesChangedBesidesTheirResources) {
  uint64_t position = nodes_.static_changes().now();
  auto changes = [&] {
    const size_t count = nodes_.static_changes().Since(position).size();
    position = nodes_.static_changes().now();
    return count;
  };
  const NodeRow row = nodes_.Put(MakeNode("n1"));
  EXPECT_EQ(changes(), 1u);
  const PodClass web = Class(MakePod("web"));
  nodes_.AddPod(row, PodId{1}, web);
  nodes_.RemovePod(row, PodId{1}, web);
  nodes_.Put(MakeNode("n1").Cpu("1").Image("app:1", 1));
  EXPECT_EQ(changes(), 0u);
  nodes_.Put(MakeNode("n1").Label("disk", "ssd"));
  EXPECT_EQ(changes(), 1u);
  nodes_.Put(MakeNode("n1").Label("disk", "ssd").Taint("gpu", "", "NoSchedule"));
  EXPECT_EQ(changes(), 1u);
  nodes_.Put(MakeNode("n1").Cordoned());
  EXPECT_EQ(changes(), 1u);
  nodes_.Put(MakeNode("n1").Cordoned().Declares("Feature"));
  EXPECT_EQ(changes(), 1u);
  Remove("n1");
  EXPECT_EQ(changes(), 1u);
}

TEST_F(NodeTableTest, RanksCoverEveryRow) {
  nodes_.Put(MakeNode("n1"));
  EXPECT_EQ(nodes_.order().rank().size(), 1u);
  nodes_.RowFor("unseen");
  EXPECT_EQ(nodes_.order().rank().size(), nodes_.rows());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
