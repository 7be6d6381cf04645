#include "base/terminal.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(Terminal, TextForPeopleRemains) {
  for (const char* text : {"", "pods \"a\"\n\tb\\c", "größer — 大 🚢"})
    EXPECT_EQ(Visible(text), text);
}

TEST(Terminal, WhatDrivesATerminalIsShown) {
  EXPECT_EQ(Visible("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(Visible("over\rwritten\b\x7f"), "over\\x0dwritten\\x08\\x7f");
  EXPECT_EQ(Visible(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(Visible("\u009b2J"), "\\u009b2J") << "the control sequence introducer of C1";
}

TEST(Terminal, WhatReordersTextIsShown) {
  EXPECT_EQ(Visible("a\u202eb\u2066c\u200fd\u061ce\u2028f"),
            "a\\u202eb\\u2066c\\u200fd\\u061ce\\u2028f");
}

TEST(Terminal, BytesThatAreNotUtf8AreShown) {
  EXPECT_EQ(Visible("\x9b\xff a\xc3"), "\\x9b\\xff a\\xc3");
  EXPECT_EQ(Visible("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80"),
            "\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80")
      << "overlong, a surrogate, beyond the last";
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
