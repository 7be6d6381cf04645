#include "apiserver/store/log_row.h"

#include <gtest/gtest.h>

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

TEST(LogRowTest, ListsRoundTrip) {
  const std::vector<std::vector<std::string>> lists = {
      {}, {""}, {"", ""}, {"a"}, {"3:abc,", ","}, {std::string("\0x", 2), "\xff"}};
  for (const auto& list : lists) EXPECT_EQ(ReadList(WriteList(list)), list);
}

TEST(LogTotalsTest, DependOnTheRowsAndNotOnTheirOrder) {
  LogTotals one, other;
  one.Add(1, 100);
  one.Add(2, 200);
  other.Add(2, 200);
  other.Add(3, 300);
  EXPECT_NE(one, other);
  other.Remove(3, 300);
  EXPECT_NE(one, other);
  other.Add(1, 100);
  EXPECT_EQ(one, other);
  LogTotals swapped;
  swapped.Add(1, 200);
  swapped.Add(2, 100);
  EXPECT_NE(one, swapped) << "the checksums belong to other versions";
}

TEST(LogRowTest, RejectsMalformedLists) {
  for (const char* bad : {"x", "1", "1:", "1:a", "2:a,", "1:ab", "-1:a,", "1a,", ":,",
                          "99999999999999999999:a,", "18446744073709551615:a,", "1:a,x"}) {
    EXPECT_EQ(ReadList(bad), std::nullopt) << bad;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
