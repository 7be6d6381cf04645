#include "scheduler/model/pod_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

TEST(PodTable, FindsPodsByNamespaceAndName) {
  PodTable pods;
  const PodId a = pods.Add(MakePod("p").Namespace("a")).id;
  const PodId b = pods.Add(MakePod("p").Namespace("b")).id;
  EXPECT_EQ(pods.Find("a", "p"), a);
  EXPECT_EQ(pods.Find("b", "p"), b);
  EXPECT_FALSE(pods.Find("c", "p").valid());
  EXPECT_EQ(pods.size(), 2u);
  EXPECT_EQ(pods.Get(b).key().ToString(), "b/p");
  EXPECT_EQ(pods.Get(b).state, PodState::kPending);
}

TEST(PodTable, FindsPodsWithLongAndOddNames) {
  PodTable pods;
  const std::string long_name(1'000, 'x');
  const PodId a = pods.Add(MakePod(long_name).Namespace("a")).id;
  const PodId b = pods.Add(MakePod(long_name).Namespace("b")).id;
  // The separator is part of neither in valid objects.
  const PodId c = pods.Add(MakePod("y/z").Namespace("x")).id;
  const PodId d = pods.Add(MakePod("z").Namespace("x/y")).id;
  EXPECT_EQ(pods.Find("a", long_name), a);
  EXPECT_EQ(pods.Find("b", long_name), b);
  EXPECT_EQ(pods.Find("x", "y/z"), c);
  EXPECT_EQ(pods.Find("x/y", "z"), d);
  EXPECT_FALSE(pods.Find("", "").valid());
  pods.Remove(c);
  EXPECT_FALSE(pods.Find("x", "y/z").valid());
  EXPECT_EQ(pods.Find("x/y", "z"), d);
  EXPECT_EQ(pods.size(), 3u);
}

TEST(PodTable, IdsAreUsedAgain) {
  PodTable pods;
  const PodId a = pods.Add(MakePod("a")).id;
  const PodId b = pods.Add(MakePod("b")).id;
  pods.Get(a).state = PodState::kBound;
  pods.Remove(a);
  EXPECT_FALSE(pods.Contains(a));
  EXPECT_TRUE(pods.Contains(b));
  EXPECT_FALSE(pods.Contains(PodId{77}));
  EXPECT_FALSE(pods.Find("default", "a").valid());
  PodRecord& c = pods.Add(MakePod("c"));
  EXPECT_EQ(c.id, a);
  EXPECT_EQ(c.state, PodState::kPending);
}

TEST(PodTable, WalksThePodsThatAreThere) {
  PodTable pods;
  for (const char* name : {"a", "b", "c"}) pods.Add(MakePod(name));
  pods.Remove(pods.Find("default", "b"));
  std::vector<std::string> names;
  pods.ForEach([&](const PodRecord& pod) { names.push_back(pod.object->metadata.name); });
  EXPECT_EQ(names, (std::vector<std::string>{"a", "c"}));
}

TEST(PodTable, RecordsDoNotMoveWhenOthersCome) {
  PodTable pods;
  const PodRecord* first = &pods.Add(MakePod("first"));
  for (int i = 0; i < 1000; ++i) pods.Add(MakePod(std::to_string(i)));
  EXPECT_EQ(&pods.Get(first->id), first);
}

TEST(PodTable, ListsPodsByLabels) {
  constexpr LabelSetId kWeb{0}, kApi{5};
  PodTable pods;
  for (const char* name : {"a", "b", "c"}) pods.SetLabels(pods.Add(MakePod(name)), kWeb);
  const auto names = [&](LabelSetId labels) {
    std::set<std::string> found;
    pods.ForEachWith(labels,
                     [&](const PodRecord& pod) { found.insert(pod.object->metadata.name); });
    return found;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(names(kWeb), (Names{"a", "b", "c"}));
  EXPECT_EQ(names(kApi), Names{});
  pods.SetLabels(pods.Get(pods.Find("default", "b")), kApi);
  EXPECT_EQ(names(kWeb), (Names{"a", "c"}));
  EXPECT_EQ(names(kApi), (Names{"b"}));
  pods.SetLabels(pods.Get(pods.Find("default", "b")), kApi);
  pods.Remove(pods.Find("default", "c"));
  EXPECT_EQ(names(kWeb), (Names{"a"}));
  pods.SetLabels(pods.Add(MakePod("d")), kWeb);
  pods.Remove(pods.Find("default", "a"));
  EXPECT_EQ(names(kWeb), (Names{"d"}));
  pods.Remove(pods.Find("default", "d"));
  pods.Remove(pods.Find("default", "b"));
  EXPECT_EQ(names(kWeb), Names{});
  EXPECT_EQ(names(kApi), Names{});
}

TEST(PodRecord, IsTerminatingOnceItHasADeletionTimestamp) {
  PodTable pods;
  api::Pod pod = MakePod("p");
  EXPECT_FALSE(pods.Add(MakePod("alive")).terminating());
  pod.metadata.deletion_timestamp = Instant::FromUnixSeconds(1);
  EXPECT_TRUE(pods.Add(std::make_shared<const api::Pod>(pod)).terminating());
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

using Pods = std::vector<PodId>;

constexpr PodId kA{1}, kB{2}, kC{3};

class NominationsTest : public testing::Test {
 protected:
  SymbolTable symbols_;
  SymbolHolder holder_{symbols_};
  const Symbol node_ = holder_.Intern("node"), other_ = holder_.Intern("other");
  Nominations nominations_{symbols_};
};

TEST_F(NominationsTest, ListPodsInOrderOfNomination) {
  EXPECT_TRUE(nominations_.empty());
  nominations_.Set(kC, node_);
  nominations_.Set(kA, node_);
  nominations_.Set(kB, other_);
  EXPECT_EQ(nominations_.PodsOn(node_), Pods({kC, kA}));
  EXPECT_EQ(nominations_.PodsOn(other_), Pods({kB}));
  EXPECT_EQ(nominations_.NodeOf(kC), node_);
  EXPECT_EQ(nominations_.by_node().size(), 2u);
}

TEST_F(NominationsTest, NewOneReplacesTheOld) {
  nominations_.Set(kA, node_);
  nominations_.Set(kB, node_);
  nominations_.Set(kA, other_);
  EXPECT_EQ(nominations_.PodsOn(node_), Pods({kB}));
  EXPECT_EQ(nominations_.NodeOf(kA), other_);
  nominations_.Set(kA, node_);
  EXPECT_EQ(nominations_.PodsOn(node_), Pods({kB, kA}));
  EXPECT_TRUE(nominations_.PodsOn(other_).empty());
}

TEST_F(NominationsTest, HoldTheNamesOfNodes) {
  nominations_.Set(kA, node_);
  nominations_.Set(kB, other_);
  holder_.Clear();
  nominations_.Set(kA, node_);
  EXPECT_EQ(symbols_.Text(node_), "node");
  nominations_.Set(kA, other_);
  EXPECT_FALSE(symbols_.Find("node").valid());
  nominations_.Clear(kA);
  nominations_.Clear(kB);
  EXPECT_EQ(symbols_.size(), 0u);
}

TEST_F(NominationsTest, ClearLeavesNothing) {
  nominations_.Set(kA, node_);
  nominations_.Clear(kA);
  nominations_.Clear(kB);
  EXPECT_FALSE(nominations_.NodeOf(kA).valid());
  EXPECT_TRUE(nominations_.PodsOn(node_).empty());
  EXPECT_TRUE(nominations_.empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
