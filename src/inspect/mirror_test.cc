#include "inspect/mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "inspect/inspector_testing.h"
#include "testing/cluster_dump.h"

namespace berth::inspect {
namespace BERTH_TEST_FILE {

using ::testing::IsEmpty;

class MirrorTest : public testing::Test {
 protected:
  MirrorTest() {
    scheduler::engine::EngineOptions options;
    options.profiles = {DefaultProfile()};
    mirror_ = std::make_unique<Mirror>(Mirror::Options{options, &registry_,
                                                       [this](const auto& work) {
                                                         ++visits_;
                                                         work(live_.engine());
                                                         return true;
                                                       }},
                                       live_.log());
  }
  void Sync() { Require(mirror_->Sync(live_.now()).has_value(), "the mirror does not follow"); }
  // Expects that both have the same model.
  void ExpectSame() {
    live_.engine().DropCaches();
    mirror_->engine().DropCaches();
    EXPECT_EQ(Dump(mirror_->engine().cluster()), Dump(live_.engine().cluster()));
  }
  int64_t CpuOn(const std::string& node) const {
    const auto& cluster = mirror_->engine().cluster();
    const auto row = cluster.nodes().Find(cluster.symbols().Find(node));
    return row.valid() ? cluster.nodes().columns().requested_cpu[row.index()] : -1;
  }

  const scheduler::framework::Registry registry_ = scheduler::plugins::InTreeRegistry();
  InspectedEngine live_;
  size_t visits_ = 0;
  std::unique_ptr<Mirror> mirror_;
};

TEST_F(MirrorTest, CopiesTheModelAndFollowsIt) {
  live_.Put(MakeNode("a").Zone("z1"));
  live_.Put(MakeNode("b"));
  live_.Put(MakePod("bound").Request("cpu", "1").On("a"));
  live_.Put(MakePod("pending").Request("cpu", "9"));
  live_.Put(MakeObject<api::Namespace>("shop"));
  live_.Put(MakeObject<api::StorageClass>("fast"));
  Sync();
  ExpectSame();
  live_.Put(MakeNode("c"));
  live_.Remove(MakeNode("b"));
  live_.Put(MakePod("late").On("c"));
  live_.Remove(MakePod("bound").On("a"));
  live_.Put(MakePod("pending").Uid("another").Request("cpu", "2"));
  live_.Remove(MakeObject<api::StorageClass>("fast"));
  Sync();
  ExpectSame();
}

TEST_F(MirrorTest, ShowsAssumedPodsOnTheirNodes) {
  live_.Put(MakeNode("a"));
  live_.Put(MakePod("web").Request("cpu", "1"));
  Sync();
  EXPECT_EQ(CpuOn("a"), 0);
  live_.Schedule();
  Sync();
  EXPECT_EQ(CpuOn("a"), 1000);
  EXPECT_EQ(mirror_->assumed().at("a"), 1U);
  EXPECT_EQ(mirror_->pending().at({"default", "web"}).assumed_node, "a");
  live_.EndBinds(true);
  Sync();
  EXPECT_EQ(CpuOn("a"), 1000);
  EXPECT_THAT(mirror_->assumed(), IsEmpty());
  EXPECT_THAT(mirror_->pending(), IsEmpty());
  ExpectSame();
}

TEST_F(MirrorTest, PodsStayOnTheirNodesWhateverTheyWereNominatedTo) {
  live_.Put(MakeNode("a"));
  live_.Put(MakePod("web").Request("cpu", "1").Nominated("b").On("a"));
  Sync();
  EXPECT_EQ(CpuOn("a"), 1000);
  EXPECT_THAT(mirror_->pending(), IsEmpty());
}

TEST_F(MirrorTest, ShowsNominationsThatAreNotWrittenYet) {
  live_.Put(MakeNode("a").Cpu("1"));
  live_.Put(MakePod("low").Request("cpu", "1").On("a"));
  live_.Put(MakePod("high").Request("cpu", "1").Priority(5));
  live_.Schedule();
  Sync();
  EXPECT_EQ(mirror_->pending().at({"default", "high"}).nominated_node, "a");
  const auto& cluster = mirror_->engine().cluster();
  EXPECT_EQ(cluster.nominations().PodsOn(cluster.symbols().Find("a")).size(), 1U);
}

TEST_F(MirrorTest, ForgetsAssumedPodsWhoseBindFails) {
  live_.Put(MakeNode("a"));
  live_.Put(MakePod("web").Request("cpu", "1"));
  live_.Schedule();
  Sync();
  EXPECT_EQ(CpuOn("a"), 1000);
  live_.EndBinds(false);
  Sync();
  EXPECT_EQ(CpuOn("a"), 0);
  EXPECT_EQ(mirror_->pending().at({"default", "web"}).assumed_node, "");
}

TEST_F(MirrorTest, CopiesAgainIfItCouldNotFollow) {
  live_.Put(MakeNode("a"));
  Sync();
  for (size_t i = 0; i <= ChangeLog::kMaxChanges; ++i) live_.Put(MakePod("web"));
  EXPECT_FALSE(live_.log().Take().has_value());
  live_.Put(MakeNode("b"));
  Sync();
  ExpectSame();
}

TEST_F(MirrorTest, ReadsLittleBetweenTwoSteps) {
  live_.Put(MakeNode("a").Pods("10000"));
  for (size_t i = 0; i < 2 * Mirror::kPerVisit + 1; ++i) {
    live_.Put(MakePod("web-" + std::to_string(i)).On("a"));
  }
  Sync();
  const size_t to_copy = visits_;
  // The nodes, 18 other kinds, the pods in three slices, and their states in three.
  EXPECT_EQ(to_copy, 1U + 18U + 3U + 3U);
  Sync();
  EXPECT_EQ(visits_, to_copy);
  live_.Put(MakePod("web-1").On("a").Label("a", "b"));
  Sync();
  EXPECT_EQ(visits_, to_copy + 1);
}

TEST_F(MirrorTest, GenerationsChangeWithWhatTheMapShows) {
  live_.Put(MakeNode("a"));
  Sync();
  const uint64_t first = mirror_->generation();
  live_.Put(MakePod("web").On("a"));
  live_.Put(MakeNode("a").Cordoned());
  Sync();
  EXPECT_EQ(mirror_->generation(), first);
  live_.Put(MakeNode("a").Label("a", "b"));
  Sync();
  EXPECT_EQ(mirror_->generation(), first + 1);
  live_.Remove(MakeNode("a"));
  Sync();
  EXPECT_EQ(mirror_->generation(), first + 2);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::inspect
