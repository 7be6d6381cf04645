#include "scheduler/model/cluster.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/model/objects.h"
#include "scheduler/model/pod_counters.h"
#include "testing/cluster_dump.h"
#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

class ClusterTest : public testing::Test {
 protected:
  PodId Find(const char* pod) { return cluster_.pods().Find("default", pod); }
  const PodRecord& Pod(const char* pod) { return cluster_.pod(Find(pod)); }
  NodeRow Row(const char* node) { return cluster_.nodes().Find(cluster_.symbols().Find(node)); }
  // Thousandths of cpu and number of pods on the node.
  std::string Load(const char* node) {
    const size_t row = Row(node).index();
    const NodeColumns& columns = cluster_.nodes().columns();
    return std::to_string(columns.requested_cpu[row]) + "m of " +
           std::to_string(columns.pod_count[row]);
  }
  bool RemovePod(const char* name) { return cluster_.Remove<api::Pod>({"default", name}); }
  bool RemoveNode(const char* name) { return cluster_.Remove<api::Node>({"", name}); }
  // How many row changes `change` leaves behind.
  template <typename Change>
  uint64_t ChangesBy(Change&& change) {
    const uint64_t before = cluster_.nodes().changes().now();
    change();
    return cluster_.nodes().changes().now() - before;
  }

  Cluster cluster_;
};

TEST_F(ClusterTest, PodMayComeBeforeItsNode) {
  cluster_.Put(MakePod("p").Request("cpu", "1").On("n1"));
  EXPECT_EQ(Pod("p").state, PodState::kBound);
  EXPECT_EQ(cluster_.nodes().present_count(), 0u);
  cluster_.Put(MakeNode("n1"));
  EXPECT_EQ(Pod("p").node, Row("n1"));
  EXPECT_EQ(Load("n1"), "1000m of 1");
  EXPECT_EQ(cluster_.nodes().present_count(), 1u);
}

TEST_F(ClusterTest, NodeMayGoWhileItsPodsStay) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").On("n1"));
  EXPECT_TRUE(RemoveNode("n1"));
  EXPECT_FALSE(RemoveNode("n1"));
  EXPECT_EQ(cluster_.nodes().present_count(), 0u);
  EXPECT_EQ(Pod("p").state, PodState::kBound);
  EXPECT_EQ(Load("n1"), "1000m of 1");
  EXPECT_TRUE(RemovePod("p"));
  EXPECT_FALSE(Row("n1").valid());
}

TEST_F(ClusterTest, NewUidUnderTheSameNameIsANewPod) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").On("n1").Nominated("n1"));
  cluster_.Put(MakePod("q").Uid("first"));
  cluster_.NominateByName(Find("q"), "n1");
  cluster_.Put(MakePod("p").Uid("second"));
  cluster_.Put(MakePod("q").Uid("second"));
  EXPECT_EQ(Pod("p").state, PodState::kPending);
  EXPECT_EQ(Pod("p").uid(), "second");
  EXPECT_EQ(Load("n1"), "0m of 0");
  EXPECT_TRUE(cluster_.nominations().empty());
  EXPECT_EQ(cluster_.pods().size(), 2u);
}

TEST_F(ClusterTest, FinishedPodCountsAsRemoved) {
  cluster_.Put(MakeNode("n1"));
  EXPECT_FALSE(cluster_.PutPod(MakePod("early").On("n1").Phase("Succeeded")).valid());
  cluster_.Put(MakePod("p").Request("cpu", "1").On("n1").Phase("Running"));
  EXPECT_FALSE(cluster_.PutPod(MakePod("p").Request("cpu", "1").On("n1").Phase("Failed")).valid());
  EXPECT_EQ(cluster_.pods().size(), 0u);
  EXPECT_EQ(Load("n1"), "0m of 0");
}

TEST_F(ClusterTest, AssumedPodIsConfirmedOnItsNode) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1"));
  cluster_.Nominate(Find("p"), cluster_.symbols().Find("n1"));
  cluster_.Assume(Find("p"), Row("n1"));
  EXPECT_EQ(Pod("p").state, PodState::kAssumed);
  EXPECT_EQ(Load("n1"), "1000m of 1");
  EXPECT_TRUE(cluster_.nominations().empty());
  // Nothing that the node counts changes, so its row is left alone.
  EXPECT_EQ(ChangesBy([&] { cluster_.Put(MakePod("p").Request("cpu", "1").On("n1")); }), 0u);
  EXPECT_EQ(Pod("p").state, PodState::kBound);
  EXPECT_EQ(Load("n1"), "1000m of 1");
}

TEST_F(ClusterTest, AssumedPodIsConfirmedOnTheNodeThatTheApiSays) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakeNode("n2"));
  cluster_.Put(MakePod("p").Request("cpu", "1"));
  cluster_.Assume(Find("p"), Row("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").On("n2"));
  EXPECT_EQ(Pod("p").state, PodState::kBound);
  EXPECT_EQ(Pod("p").node, Row("n2"));
  EXPECT_EQ(Load("n1"), "0m of 0");
  EXPECT_EQ(Load("n2"), "1000m of 1");
}

TEST_F(ClusterTest, UpdateWithoutANodeLeavesThePodAssumedAsDecided) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").Label("v", "1"));
  cluster_.Assume(Find("p"), Row("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "2").Label("v", "2"));
  EXPECT_EQ(Pod("p").state, PodState::kAssumed);
  EXPECT_EQ(Load("n1"), "1000m of 1");
  cluster_.Forget(Find("p"));
  EXPECT_EQ(Load("n1"), "0m of 0");
  EXPECT_EQ(cluster_.class_of(Pod("p")).requests.milli_cpu, 2000);
  EXPECT_EQ(cluster_.labels_of(Pod("p")).size(), 1u);
  EXPECT_EQ(FindLabel(cluster_.labels_of(Pod("p")), cluster_.symbols().Find("v")),
            cluster_.symbols().Find("2"));
}

TEST_F(ClusterTest, ForgottenPodIsPendingAgain) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").HostPort(80));
  const std::string before = Dump(cluster_);
  cluster_.Assume(Find("p"), Row("n1"));
  EXPECT_NE(Dump(cluster_), before);
  cluster_.Forget(Find("p"));
  EXPECT_EQ(Dump(cluster_), before);
  EXPECT_FALSE(Pod("p").node.valid());
}

TEST_F(ClusterTest, AssumedPodMayOutliveItsNode) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1"));
  cluster_.Assume(Find("p"), Row("n1"));
  RemoveNode("n1");
  EXPECT_EQ(Load("n1"), "1000m of 1");
  cluster_.Forget(Find("p"));
  EXPECT_FALSE(Row("n1").valid());
}

TEST_F(ClusterTest, UpdateThatChangesNothingTheNodeCountsDoesNotTouchItsRow) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").On("n1"));
  EXPECT_EQ(
      ChangesBy([&] { cluster_.Put(MakePod("p").Request("cpu", "1").On("n1").Phase("Running")); }),
      0u);
  EXPECT_EQ(Pod("p").object->status.phase, "Running");
  EXPECT_GT(ChangesBy([&] { cluster_.Put(MakePod("p").Request("cpu", "2").On("n1")); }), 0u);
  EXPECT_EQ(Load("n1"), "2000m of 1");
}

TEST_F(ClusterTest, NewLabelsOfAPodTouchItsRowBecauseABudgetMayProtectItNow) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").On("n1"));
  EXPECT_GT(ChangesBy([&] { cluster_.Put(MakePod("p").On("n1").Label("a", "b")); }), 0u);
  EXPECT_EQ(cluster_.labels_of(Pod("p")).size(), 1u);
}

TEST_F(ClusterTest, PendingPodsTouchNoRow) {
  cluster_.Put(MakeNode("n1"));
  EXPECT_EQ(ChangesBy([&] {
              cluster_.Put(MakePod("p"));
              cluster_.Put(MakePod("p").Label("a", "b"));
              RemovePod("p");
            }),
            0u);
}

TEST_F(ClusterTest, ResizeThatTheNodeGrantedCounts) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").On("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").Holds("cpu", "3").On("n1"));
  EXPECT_EQ(Load("n1"), "3000m of 1");
}

TEST_F(ClusterTest, BoundPodMayMoveOrLoseItsNode) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").On("n1"));
  cluster_.Put(MakePod("p").Request("cpu", "1").On("n2"));
  EXPECT_EQ(Load("n1"), "0m of 0");
  EXPECT_EQ(Load("n2"), "1000m of 1");
  cluster_.Put(MakePod("p").Request("cpu", "1"));
  EXPECT_EQ(Pod("p").state, PodState::kPending);
  EXPECT_FALSE(Row("n2").valid());
}

TEST_F(ClusterTest, BindingEndsANomination) {
  cluster_.Put(MakePod("p"));
  cluster_.NominateByName(Find("p"), "n1");
  EXPECT_EQ(cluster_.nominations().NodeOf(Find("p")), cluster_.symbols().Find("n1"));
  cluster_.Put(MakePod("p").On("n2"));
  EXPECT_TRUE(cluster_.nominations().empty());
}

TEST_F(ClusterTest, RemovalOfTheUnknownIsNoNews) {
  EXPECT_FALSE(RemovePod("nobody"));
  EXPECT_FALSE(RemoveNode("nowhere"));
  EXPECT_FALSE(cluster_.Remove<api::Service>({"default", "nothing"}));
}

TEST_F(ClusterTest, EveryOtherKindIsStoredByKey) {
  cluster_.Put(MakeObject<api::Namespace>("team"));
  cluster_.Put(MakeObject<api::PersistentVolumeClaim>("data", "team"));
  EXPECT_NE(cluster_.objects<api::Namespace>().Find({"", "team"}), nullptr);
  EXPECT_NE(cluster_.objects<api::PersistentVolumeClaim>().Find({"team", "data"}), nullptr);
  EXPECT_TRUE(cluster_.Remove<api::PersistentVolumeClaim>({"team", "data"}));
  EXPECT_EQ(cluster_.objects<api::PersistentVolumeClaim>().Find({"team", "data"}), nullptr);
}

TEST_F(ClusterTest, TryingOutLeavesNoTrace) {
  cluster_.Put(MakeNode("n1").Offer("example.com/gpu", "4"));
  cluster_.Put(MakePod("there").Request("cpu", "1").HostPort(80).On("n1"));
  cluster_.Put(MakePod("other").Request("example.com/gpu", "1").HostPort(81).On("n1"));
  cluster_.Put(
      MakePod("waiting").Request("cpu", "2").Request("example.com/fpga", "1").HostPort(82));
  const std::string before = Dump(cluster_);
  const uint64_t position = cluster_.nodes().changes().now();

  cluster_.TryAddPod(Pod("waiting"), Row("n1"));
  EXPECT_EQ(Load("n1"), "3000m of 3");
  cluster_.TryRemovePod(Pod("there"), Row("n1"));
  EXPECT_EQ(Load("n1"), "2000m of 2");
  cluster_.TryAddPod(Pod("there"), Row("n1"));
  cluster_.TryRemovePod(Pod("waiting"), Row("n1"));

  EXPECT_EQ(Dump(cluster_), before);
  EXPECT_EQ(cluster_.nodes().changes().now(), position);
}

TEST_F(ClusterTest, VisitorIsDescribedButNotAdded) {
  cluster_.Put(MakeNode("n1"));
  const std::string before = Dump(cluster_);
  const PodRecord visitor =
      cluster_.MakeHypotheticalPod(MakePod("p").Request("cpu", "1").Label("a", "b").On("n1"));
  EXPECT_FALSE(visitor.id.valid());
  EXPECT_EQ(cluster_.class_of(visitor).requests.milli_cpu, 1000);
  EXPECT_EQ(cluster_.class_of(visitor).node_name, "n1");
  EXPECT_EQ(cluster_.labels_of(visitor).size(), 1u);
  EXPECT_EQ(Dump(cluster_), before);
  cluster_.Release(visitor);
}

TEST_F(ClusterTest, RetainedRecordStaysUsableWhenThePodGoes) {
  cluster_.Put(MakePod("p").Request("cpu", "1").Label("app", "web"));
  const PodRecord retained = cluster_.Retain(Find("p"));
  RemovePod("p");
  // The pod's own label set and class would be given to others now.
  for (int i = 0; i < 2000; ++i) {
    const std::string name = std::to_string(i);
    cluster_.Put(MakePod(name).Priority(i).Label("app", name));
    cluster_.Remove<api::Pod>({"default", name});
  }
  EXPECT_EQ(cluster_.class_of(retained).requests.milli_cpu, 1000);
  EXPECT_EQ(FindLabel(cluster_.labels_of(retained), cluster_.symbols().Find("app")),
            cluster_.symbols().Find("web"));
  cluster_.Release(retained);
}

// A pod that does not want to be in one zone with pods of the given app.
api::Pod Shunning(const std::string& name, const std::string& app) {
  api::Pod pod = MakePod(name).On("n1");
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels["app"] = app;
  term.topology_key = "zone";
  pod.spec.affinity.emplace().pod_anti_affinity.emplace().required = {term};
  return pod;
}

TEST_F(ClusterTest, UnusedAffinityTermsAreReleasedEventually) {
  cluster_.Put(MakeNode("n1").Label("zone", "a"));
  cluster_.Put(MakePod("web").Label("app", "web"));
  auto put = [&](const std::string& name, const std::string& app) {
    cluster_.Put(std::make_shared<const api::Pod>(Shunning(name, app)));
  };
  put("stays", "web");
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "passing" + std::to_string(i);
    put(name, name);
    cluster_.Remove<api::Pod>({"default", name});
  }
  put("late", "web");
  const AffinityTerms& terms = cluster_.affinity_terms();
  const auto& matching = terms.Matching(Pod("web").labels);
  ASSERT_EQ(matching.size(), 1u);
  EXPECT_LT(terms.size(), 1500u);
  EXPECT_EQ(terms.term(matching[0]).in_domains, 2);
  RemovePod("stays");
  EXPECT_EQ(terms.term(terms.Matching(Pod("web").labels)[0]).in_domains, 1);
}

TEST_F(ClusterTest, PodsOfManyNamespacesShareATermThatSelectsNamespaces) {
  cluster_.Put(MakeNode("n1").Label("zone", "a"));
  for (const char* namespace_ : {"a", "b", "c"}) {
    api::Pod own = Shunning("own", "web");
    api::Pod all = Shunning("all", "web");
    own.metadata.namespace_ = all.metadata.namespace_ = namespace_;
    own.spec.node_name = all.spec.node_name = "n1";
    all.spec.affinity->pod_anti_affinity->required[0].namespace_selector.emplace();
    cluster_.Put(std::make_shared<const api::Pod>(own));
    cluster_.Put(std::make_shared<const api::Pod>(all));
  }
  EXPECT_EQ(cluster_.affinity_terms().size(), 4u);  // One each, and one that all have.
}

TEST_F(ClusterTest, PodThatTerminatesWhileItIsAssumedIsCountedAsSuch) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakePod("p"));
  api::PodAffinityTerm all;
  all.label_selector.emplace();
  SymbolHolder symbols(cluster_.mutable_symbols());
  const PodQuery living{{PodMatcher(all, "default", symbols)}, false, false};
  const auto counter = cluster_.CountPods(living, {});
  cluster_.Assume(Find("p"), Row("n1"));
  EXPECT_EQ(counter->per_node()[Row("n1").index()], 1);

  api::Pod ending = MakePod("p");
  ending.metadata.deletion_timestamp = Instant::FromUnixSeconds(1);
  cluster_.Put(std::make_shared<const api::Pod>(ending));
  EXPECT_EQ(counter->per_node()[Row("n1").index()], 0);
  RemovePod("p");
  EXPECT_EQ(counter->per_node()[Row("n1").index()], 0);
}

TEST_F(ClusterTest, HeldRowKeepsItsNameWhenAllElseIsGone) {
  cluster_.Put(MakeNode("n1"));
  const NodeRow row = Row("n1");
  cluster_.HoldRow(row);
  cluster_.HoldRow(row);
  RemoveNode("n1");
  EXPECT_EQ(cluster_.nodes().name(row), "n1");
  cluster_.ReleaseRow(row);
  cluster_.Put(MakeNode("n2"));
  EXPECT_NE(Row("n2"), row);
  EXPECT_EQ(Row("n1"), row);
  cluster_.ReleaseRow(row);
  EXPECT_FALSE(Row("n1").valid());
  cluster_.Put(MakeNode("n3"));
  EXPECT_EQ(Row("n3"), row);
}

TEST_F(ClusterTest, SumsThatOverflowSaturateAndRecover) {
  cluster_.Put(MakeNode("n1").Offer("example.com/gpu", "8"));
  const auto huge = [](const char* name) {
    return MakePod(name).On("n1").Request("memory", "9E").Request("example.com/gpu", "9E");
  };
  cluster_.Put(MakePod("small").On("n1").Request("memory", "5").Request("example.com/gpu", "3"));
  cluster_.Put(huge("one"));
  cluster_.Put(huge("two"));
  const size_t row = Row("n1").index();
  const NodeColumns& columns = cluster_.nodes().columns();
  const ScalarId gpu = cluster_.scalars().Find("example.com/gpu");
  const auto sums = [&] {
    return std::vector{columns.requested_memory[row], columns.nonzero_memory[row],
                       columns.scalar(gpu)->requested[row]};
  };
  EXPECT_EQ(sums(), std::vector<int64_t>(3, INT64_MAX));

  RemovePod("one");
  constexpr int64_t kHuge = 9'000'000'000'000'000'000;
  EXPECT_EQ(sums(), std::vector<int64_t>({kHuge + 5, kHuge + 5, kHuge + 3}));
  cluster_.TryAddPod(Pod("two"), Row("n1"));
  EXPECT_EQ(sums(), std::vector<int64_t>(3, INT64_MAX));
  cluster_.TryRemovePod(Pod("two"), Row("n1"));
  EXPECT_EQ(sums(), std::vector<int64_t>({kHuge + 5, kHuge + 5, kHuge + 3}));
  cluster_.Put(MakePod("two").On("n1").Request("memory", "7"));
  EXPECT_EQ(sums(), std::vector<int64_t>({12, 12, 3}));
}

TEST_F(ClusterTest, NewColumnCountsThePodsThatAreThere) {
  cluster_.Put(MakeNode("n1"));
  cluster_.Put(MakeNode("n2"));
  const api::Pod asks_two = MakePod("a").Request("example.com/fpga", "2");
  cluster_.Put(MakePod(asks_two).On("n1"));
  cluster_.Put(
      MakePod("b").Request("example.com/fpga", "3").Request("example.com/x", "9").On("n1"));
  cluster_.Put(MakePod("c").Request("example.com/fpga", "4"));
  cluster_.Assume(Find("c"), Row("n2"));
  cluster_.Put(MakePod("pending").Request("example.com/fpga", "5"));
  EXPECT_TRUE(cluster_.nodes().columns().listed.empty());

  cluster_.Put(MakeNode("n3").Offer("example.com/fpga", "8"));
  const NodeColumns& columns = cluster_.nodes().columns();
  ASSERT_EQ(columns.listed.size(), 1u);
  const NodeColumns::Scalar& column = *columns.scalar(columns.listed[0]);
  EXPECT_EQ(column.requested[Row("n1").index()], 5);
  EXPECT_EQ(column.requested[Row("n2").index()], 4);
  EXPECT_EQ(column.requested[Row("n3").index()], 0);
  EXPECT_EQ(column.allocatable[Row("n3").index()], 8);
  cluster_.Forget(Find("c"));
  EXPECT_EQ(column.requested[Row("n2").index()], 0);
}

TEST_F(ClusterTest, ResourcesThatNoNodeListsCostNoNodeAnything) {
  for (int i = 0; i < 10; ++i) cluster_.Put(MakeNode("n" + std::to_string(i)));
  for (int i = 0; i < 2000; ++i) {
    MakePod pod("p");
    for (int j = 0; j < 10; ++j) pod.Request("example.com/" + std::to_string(10 * i + j), "1");
    cluster_.Put(pod.On("n1"));
    EXPECT_TRUE(cluster_.nodes().columns().scalars.empty());
    EXPECT_TRUE(RemovePod("p"));
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
