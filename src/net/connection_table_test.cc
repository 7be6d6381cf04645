#include "net/connection_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::net {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;
using enum ConnectionUse;

// Connections are named by the letter of their client and their number: "a1".
class ConnectionTableTest : public testing::Test {
 protected:
  // Adds a connection that was last used at `since`; returns whether it was admitted.
  bool Add(const std::string& client, ConnectionUse use = kNew, int since = 0) {
    const uint64_t number = table_.NextNumber();
    const std::string name = client + std::to_string(number);
    const auto record = std::make_shared<ConnectionRecord>(
        number, client, [this, name] { closed_.push_back(name); }, SteadyTime());
    record->Note(use, SteadyTime(std::chrono::seconds(since)));
    if (!table_.Add(record)) return false;
    records_.push_back(record);
    return true;
  }
  std::vector<std::string> Closed() { return std::exchange(closed_, {}); }

  ConnectionTable table_{4};
  std::vector<std::shared_ptr<ConnectionRecord>> records_;
  std::vector<std::string> closed_;
};

TEST_F(ConnectionTableTest, ANewConnectionReplacesTheLeastUsed) {
  Add("a", kBusy, 1);
  Add("a", kIdle, 3);
  Add("a", kIdle, 2);
  Add("a", kNew, 4);
  EXPECT_THAT(Closed(), IsEmpty());
  EXPECT_TRUE(Add("a", kNew, 5));
  EXPECT_THAT(Closed(), ElementsAre("a4"));
  EXPECT_TRUE(Add("a", kBusy, 6));
  EXPECT_THAT(Closed(), ElementsAre("a5"));
  EXPECT_TRUE(Add("a", kBusy, 7));
  EXPECT_TRUE(Add("a", kBusy, 8));
  EXPECT_THAT(Closed(), ElementsAre("a3", "a2"));
  // All are busy.
  EXPECT_FALSE(Add("a", kNew, 9));
  EXPECT_THAT(Closed(), IsEmpty());
}

TEST_F(ConnectionTableTest, TheClientWithTheMostConnectionsGivesOneUp) {
  Add("b", kNew, 1);
  for (int i = 0; i < 3; ++i) Add("a", kBusy, 2);
  EXPECT_TRUE(Add("b", kNew, 3));
  EXPECT_THAT(Closed(), ElementsAre("a2"));
  // Now each has two. A third one of either costs it one of its own, unless all of them are busy.
  EXPECT_FALSE(Add("a", kNew, 4));
  EXPECT_TRUE(Add("b", kNew, 4));
  EXPECT_THAT(Closed(), ElementsAre("b1"));
  EXPECT_TRUE(Add("c", kNew, 5));
  EXPECT_THAT(Closed(), ElementsAre("b5"));
}

TEST_F(ConnectionTableTest, AStrangerWithAllConnectionsKeepsNobodyOut) {
  for (int i = 0; i < 4; ++i) Add("stranger", kBusy, 1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(Add("prober", kNew, 2));
    table_.Remove(records_.back());
    for (int more = 0; more < 3; ++more) Add("stranger", kBusy, 1);
  }
  EXPECT_EQ(Closed().size(), 100U);
}

TEST_F(ConnectionTableTest, ClosedConnectionsCountUntilTheyAreRemoved) {
  for (int i = 0; i < 5; ++i) Add("a", kNew, i);
  EXPECT_THAT(Closed(), ElementsAre("a1"));
  EXPECT_EQ(table_.open(), 5U);
  for (const auto& record : records_) table_.Remove(record);
  EXPECT_EQ(table_.open(), 0U);
  EXPECT_TRUE(table_.WaitForNone(std::chrono::milliseconds(0)));
}

TEST_F(ConnectionTableTest, ForLackOfDescriptorsOneIsClosedUnlessAllAreBusy) {
  Add("a", kBusy, 1);
  table_.CloseOne();
  EXPECT_THAT(Closed(), IsEmpty());
  Add("a", kIdle, 2);
  Add("b", kNew, 1);
  table_.CloseOne();
  EXPECT_THAT(Closed(), ElementsAre("a2"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
