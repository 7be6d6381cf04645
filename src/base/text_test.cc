#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(Shorten, TruncatesBetweenCharactersAndReplacesControls) {
  EXPECT_EQ(Shorten("short"), "short");
  EXPECT_EQ(Shorten("a\nb\tc"), "a?b?c");
  EXPECT_EQ(Shorten("abcdef", 3), "abc...");
  EXPECT_EQ(Shorten("ab\u00e9\u00e9", 3), "ab...");
  EXPECT_EQ(Shorten(std::string(1000, 'x')).size(), 63u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
