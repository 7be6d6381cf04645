#include "scheduler/model/pod_counters.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/model/cluster.h"
#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

TEST(IndexedCounts, FewCountsTakeLittleMemory) {
  IndexedCounts counts;
  for (size_t index = 1000; index < 1010; ++index) counts.Add(1000 * index, 1);
  EXPECT_LE(counts.bytes(), 512u);
  EXPECT_EQ(counts[1'000'000], 1);
  EXPECT_EQ(counts[999'999], 0);
  EXPECT_TRUE(counts.has_others());
  EXPECT_EQ(counts.Highest(), 1);
  for (size_t index = 1000; index < 1010; ++index) counts.Add(1000 * index, -1);
  EXPECT_FALSE(counts.AnyPositive());
  EXPECT_FALSE(counts.has_others());
}

TEST(IndexedCounts, AreAsLargeAsWhatIsNotZero) {
  IndexedCounts counts;
  for (size_t i = 0; i < 5'000; ++i) counts.Add(i * 200, 1);
  EXPECT_LE(counts.bytes(), 256u << 10);
  EXPECT_EQ(counts.not_zero(), 5'000u);
  EXPECT_EQ(counts[999'800], 1);
  IndexedCounts far;
  far.Add(1'000'000, 1);
  far.Add(5, 1);
  EXPECT_LE(far.bytes(), 512u);
}

TEST(IndexedCounts, ManyAreDense) {
  IndexedCounts counts;
  for (size_t index = 0; index < 5000; ++index) counts.Add(index, static_cast<int32_t>(index));
  EXPECT_GE(counts.dense().size(), 4980u);
  EXPECT_EQ(counts[4979], 4979);
  EXPECT_EQ(counts[4999], 4999);
  EXPECT_EQ(counts.Highest(), 4999);
}

RC_GTEST_PROP(IndexedCountsProperty, CountLikeAMap, ()) {
  IndexedCounts counts;
  std::map<size_t, int32_t> wanted;
  for (const uint32_t step : *rc::gen::arbitrary<std::vector<uint32_t>>()) {
    const size_t index = step % 3 == 0 ? step % 50 : step % 3000;
    const int32_t delta = step % 5 == 0 ? -1 : 1;
    counts.Add(index, delta);
    wanted[index] += delta;
  }
  std::map<size_t, int32_t> visited;
  counts.ForEach([&](size_t index, int32_t count) {
    if (count != 0) RC_ASSERT(visited.emplace(index, count).second);
  });
  int32_t highest = 0;
  std::erase_if(wanted, [](const auto& entry) { return entry.second == 0; });
  for (const auto& [index, count] : wanted) {
    RC_ASSERT(counts[index] == count);
    highest = std::max(highest, count);
  }
  RC_ASSERT(visited == wanted);
  visited.clear();
  counts.ForEachNotZero([&](size_t index, int32_t count) {
    RC_ASSERT(visited.emplace(index, count).second);
  });
  RC_ASSERT(visited == wanted);
  RC_ASSERT(counts.not_zero() == wanted.size());
  RC_ASSERT(counts.Highest() == highest);
  RC_ASSERT(counts.AnyPositive() == (highest > 0));
}

class PodCountersTest : public testing::Test {
 protected:
  PodCountersTest() {
    cluster_.Put(MakeNode("n1").Label("zone", "a").Label("rack", "r"));
    cluster_.Put(MakePod("p").Label("app", "web").On("n1"));
  }
  // Counts the pods with app=`app` by the topology key `key`.
  std::shared_ptr<const PodCounter> Count(const char* app, const char* key) {
    api::PodAffinityTerm term;
    term.label_selector.emplace().match_labels["app"] = app;
    SymbolHolder symbols(cluster_.mutable_symbols());
    const PodQuery query{{PodMatcher(term, "default", symbols)}, false, false};
    const Topology::KeyRef keys[] = {cluster_.UseTopologyKey(key)};
    return cluster_.CountPods(query, keys);
  }

  Cluster cluster_;
};

TEST_F(PodCountersTest, SumsGoWithTheirLastUser) {
  const auto by_zone = Count("web", "zone");
  const size_t bytes = by_zone->bytes();
  for (int i = 0; i < 100; ++i) {
    const auto by_rack = Count("web", "rack");
    EXPECT_EQ(by_rack.get(), by_zone.get());
    EXPECT_EQ(by_rack->PerDomain(*cluster_.UseTopologyKey("rack"))[0], 1);
    EXPECT_EQ(cluster_.nodes().topology().keys().size(), 2u);
  }
  EXPECT_EQ(cluster_.nodes().topology().keys().size(), 1u);
  EXPECT_EQ(by_zone->bytes(), bytes);
  EXPECT_EQ(by_zone->PerDomain(*cluster_.UseTopologyKey("zone"))[0], 1);
}

TEST_F(PodCountersTest, EqualQueriesShareACounter) {
  std::vector<std::shared_ptr<const PodCounter>> counters;
  for (const char* app : {"web", "api", "db"}) counters.push_back(Count(app, "zone"));
  EXPECT_EQ(Count("api", "zone").get(), counters[1].get());
  EXPECT_EQ(cluster_.counters().size(), 3u);
  counters[1].reset();
  counters[1] = Count("api", "zone");
  EXPECT_EQ(Count("api", "zone").get(), counters[1].get());
  EXPECT_EQ(cluster_.counters().size(), 3u);
}

TEST_F(PodCountersTest, WhatFindsCountersGoesWithThem) {
  const auto stays = Count("web", "zone");
  const size_t bytes = cluster_.counters().bytes();
  std::vector<std::shared_ptr<const PodCounter>> passing;
  for (int i = 0; i < 1000; ++i) passing.push_back(Count(std::to_string(i).c_str(), "zone"));
  EXPECT_GT(cluster_.counters().bytes(), 100 * bytes);
  passing.clear();
  EXPECT_EQ(cluster_.counters().size(), 1u);
  EXPECT_EQ(Count("web", "zone").get(), stays.get());
  EXPECT_EQ(cluster_.counters().bytes(), bytes);
  cluster_.Put(MakePod("q").Label("app", "web").On("n1"));
  EXPECT_EQ(stays->per_node()[0], 2);
}

TEST_F(PodCountersTest, CounterHoldsWhatItsQueryCompares) {
  const size_t symbols = cluster_.symbols().size();
  auto counter = Count("api", "zone");
  EXPECT_TRUE(cluster_.symbols().Find("api").valid());
  EXPECT_EQ(cluster_.counters().size(), 1u);
  counter.reset();
  EXPECT_EQ(cluster_.symbols().size(), symbols);
  EXPECT_EQ(cluster_.counters().size(), 0u);
  EXPECT_TRUE(cluster_.nodes().topology().keys().empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
