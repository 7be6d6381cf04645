#include "scheduler/model/pod_labels.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

using ThingId = Id<struct ThingTag>;
using Things = SharedTable<std::string, ThingId, std::hash<std::string>>;

TEST(SharedTable, EqualValuesShareAnId) {
  Things things;
  const ThingId a = things.Acquire("a");
  const ThingId b = things.Acquire("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(things.Acquire("a"), a);
  EXPECT_EQ(things.Get(a), "a");
  EXPECT_EQ(things.Get(b), "b");
  EXPECT_EQ(things.holders(a), 2u);
  EXPECT_EQ(things.size(), 2u);
}

TEST(SharedTable, ValueStaysUntilTheLastHolderLetsGo) {
  Things things;
  const ThingId a = things.Acquire("a");
  things.Retain(a);
  things.Release(a);
  EXPECT_EQ(things.Acquire("a"), a);
  things.Release(a);
  things.Release(a);
  EXPECT_EQ(things.size(), 0u);
}

TEST(SharedTable, FreeIdsAreUsedAgain) {
  Things things;
  const ThingId a = things.Acquire("a");
  const ThingId b = things.Acquire("b");
  things.Release(a);
  EXPECT_EQ(things.Acquire("c"), a);
  EXPECT_EQ(things.Get(a), "c");
  EXPECT_EQ(things.Get(b), "b");
  EXPECT_EQ(things.holders(a), 1u);
}

TEST(SharedTable, ValuesDoNotMoveWhenOthersCome) {
  Things things;
  const ThingId first = things.Acquire("first");
  const std::string* place = &things.Get(first);
  for (int i = 0; i < 1000; ++i) things.Acquire(std::to_string(i));
  EXPECT_EQ(&things.Get(first), place);
}

TEST(MatchLists, StartOverWhenTheyAreTooLarge) {
  MatchLists lists;
  size_t tried = 0;
  auto matches = [&](size_t) { return ++tried > 0; };
  constexpr size_t kEntries = size_t{1} << 20;
  for (uint32_t id = 0; id < 9; ++id) {
    EXPECT_EQ(lists.For(LabelSetId{id}, 1, kEntries, matches).size(), kEntries);
  }
  EXPECT_EQ(tried, 9 * kEntries);
  EXPECT_EQ(lists.For(LabelSetId{0}, 1, kEntries, matches).size(), kEntries);
  EXPECT_EQ(tried, 10 * kEntries);
  EXPECT_EQ(lists.For(LabelSetId{0}, 1, kEntries, matches).size(), kEntries);
  EXPECT_EQ(tried, 10 * kEntries);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
