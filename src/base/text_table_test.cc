#include "base/text_table.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

using Align = TextTable::Align;

TEST(TextTable, PadsEachColumnButTheLast) {
  TextTable table;
  table.Add({"POD", "NODE", "MESSAGE"});
  table.Add({"default/web", "a", "ok"});
  table.Add({"x", "node-10", ""});
  EXPECT_EQ(table.ToString(),
            "POD          NODE     MESSAGE\n"
            "default/web  a        ok\n"
            "x            node-10\n");
}

TEST(TextTable, AlignsNumbersToTheRightAndIndents) {
  TextTable table("  ", {Align::kLeft, Align::kRight});
  table.Add({"NODE", "TOTAL"});
  table.Add({"a", "7"});
  table.Add({"b", "1234567"});
  EXPECT_EQ(table.ToString(),
            "  NODE    TOTAL\n"
            "  a           7\n"
            "  b     1234567\n");
}

TEST(TextTable, RowsMayBeShort) {
  TextTable table;
  table.Add({"a"});
  table.Add({"long", "b"});
  EXPECT_EQ(table.ToString(), "a\nlong  b\n");
}

TEST(TextTable, CountsCodePointsNotBytes) {
  TextTable table;
  table.Add({"zürich", "x"});
  table.Add({"berlin", "y"});
  EXPECT_EQ(table.ToString(), "zürich  x\nberlin  y\n");
  EXPECT_EQ(DisplayWidth("→ä€"), 3U);
}

TEST(TextTable, WideCellsStickOut) {
  TextTable table;
  table.set_widest(4);
  table.Add({"abc", "1"});
  table.Add({"abcdefgh", "2"});
  EXPECT_EQ(table.ToString(), "abc  1\nabcdefgh  2\n");
}

TEST(TextTable, NoRowsGiveNothing) { EXPECT_EQ(TextTable("  ").ToString(), ""); }

}  // namespace BERTH_TEST_FILE
}  // namespace berth
