#include "ledger/node_rejections.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace berth::ledger {
namespace BERTH_TEST_FILE {
namespace {

constexpr uint16_t kNone = NodeVerdicts::kNone;

NodeVerdicts Search(std::vector<uint16_t> by_row, uint64_t next_serial = 100) {
  return {.by_row = std::move(by_row),
          .verdicts = {{"NodeResourcesFit", {"Insufficient cpu", "Insufficient memory"}},
                       {"TaintToleration", {"node(s) had untolerated taint(s)"}}},
          .absent = {"NodeAffinity", {"not in the list"}},
          .next_serial = next_serial};
}

TEST(NodeRejectionsTest, SumsUpWhatRejectedPodsOnANode) {
  NodeRejections rejections(1 << 20);
  rejections.Add(1, Search({0, 1, kNone}));
  rejections.Add(2, Search({0, 0, 0}));
  rejections.Count(1, Instant{10}, {"shop", "a"});
  rejections.Count(2, Instant{20}, {"shop", "b"});
  rejections.Count(2, Instant{30}, {"shop", "c"});
  rejections.Publish();

  const NodeRejections::Report first = rejections.Of({.row = 0, .serial = 0});
  ASSERT_EQ(first.rejections.size(), 2u);
  EXPECT_EQ(first.rejections[0], (Rejection{"NodeResourcesFit",
                                            "Insufficient cpu",
                                            3,
                                            Instant{30},
                                            {{"shop", "c"}, {"shop", "b"}, {"shop", "a"}}}));
  EXPECT_EQ(first.rejections[1].reason, "Insufficient memory");
  EXPECT_EQ(first.since, Instant{10});

  const NodeRejections::Report second = rejections.Of({.row = 1, .serial = 1});
  ASSERT_EQ(second.rejections.size(), 3u);
  EXPECT_EQ(second.rejections[0].attempts, 2u);
  EXPECT_EQ(
      second.rejections[2],
      (Rejection{
          "TaintToleration", "node(s) had untolerated taint(s)", 1, Instant{10}, {{"shop", "a"}}}));
  EXPECT_EQ(rejections.Of({.row = 2, .serial = 2}).rejections.back().plugin, "NodeAffinity");
}

TEST(NodeRejectionsTest, ANodeDoesNotInheritThoseOfItsRow) {
  NodeRejections rejections(1 << 20);
  rejections.Add(1, Search({0}, /*next_serial=*/5));
  rejections.Count(1, Instant{10}, {"shop", "a"});
  rejections.Publish();
  EXPECT_EQ(rejections.Of({.row = 0, .serial = 4}).rejections.size(), 2u);
  EXPECT_TRUE(rejections.Of({.row = 0, .serial = 5}).rejections.empty());
}

TEST(NodeRejectionsTest, ExamplesAreTheLastPodsEachOnce) {
  NodeRejections rejections(1 << 20);
  rejections.Add(1, Search({1}));
  for (int i = 0; i < 20; ++i) {
    rejections.Count(1, Instant{i}, {"shop", i % 2 == 0 ? "same" : std::to_string(i)});
    // Whether some of them are published before does not matter.
    if (i == 2 || i == 15 || i == 19) rejections.Publish();
  }
  const Rejection rejection = rejections.Of({}).rejections.at(0);
  EXPECT_EQ(rejection.attempts, 20u);
  EXPECT_EQ(
      rejection.examples,
      (std::vector<PodName>{{"shop", "19"}, {"shop", "same"}, {"shop", "17"}, {"shop", "15"}}));
}

TEST(NodeRejectionsTest, CountsWithoutALockUntilAnotherSearchFails) {
  NodeRejections rejections(1 << 20);
  rejections.Add(1, Search({1}));
  for (int i = 0; i < 7; ++i) rejections.Count(1, Instant{i}, {"shop", std::to_string(i)});
  EXPECT_TRUE(rejections.Of({}).rejections.empty());
  rejections.Add(2, Search({1}));
  rejections.Count(2, Instant{10}, {"shop", "other"});
  const NodeRejections::Report report = rejections.Of({});
  EXPECT_EQ(report.since, Instant{0});
  EXPECT_EQ(report.rejections.at(0).attempts, 7u);
  EXPECT_EQ(report.rejections[0].last, Instant{6});
  EXPECT_EQ(report.rejections[0].examples.front().name, "6");
  EXPECT_EQ(report.rejections[0].examples.back().name, "2");
}

TEST(NodeRejectionsTest, OldSearchesLeaveWhenTheMemoryIsFull) {
  constexpr size_t kMemory = 200'000;
  NodeRejections rejections(kMemory);
  const std::string long_name(100'000, 'x');
  for (uint64_t i = 1; i <= 1000; ++i) {
    rejections.Add(i, Search(std::vector<uint16_t>(1000, 0)));
    rejections.Count(i, Instant{static_cast<int64_t>(i)}, {long_name, long_name});
    ASSERT_LE(rejections.bytes(), kMemory);
  }
  rejections.Publish();
  const NodeRejections::Report report = rejections.Of({});
  EXPECT_GT(report.rejections.at(0).attempts, 10u);
  EXPECT_GT(report.since, Instant{900});
  EXPECT_EQ(report.rejections[0].examples[0].name.size(), kMaxNameBytes);
  rejections.Count(1, Instant{2000}, {"shop", "a"});                  // Has left.
  rejections.Add(2000, Search(std::vector<uint16_t>(1'000'000, 0)));  // Does not fit at all.
  rejections.Count(2000, Instant{2000}, {"shop", "a"});
  rejections.Publish();
  EXPECT_EQ(rejections.Of({}).rejections, report.rejections);
}

}  // namespace
}  // namespace BERTH_TEST_FILE
}  // namespace berth::ledger
