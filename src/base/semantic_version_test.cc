#include "base/semantic_version.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(SemanticVersion, ParsesNumbersAndIdentifiers) {
  const auto version = SemanticVersion::Parse("1.36.2-rc.1+build-7.x");
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ(*version, (SemanticVersion{1, 36, 2, {"rc", "1"}}));
  for (const char* text : {"0.0.0", "1.2.3", "1.2.3-0", "1.2.3-a-b.c", "1.2.3+01"}) {
    EXPECT_TRUE(SemanticVersion::Parse(text).has_value()) << text;
  }
  for (const char* text :
       {"", "1", "1.36", "1.2.3.4", "v1.2.3", "1.2.x", "1.02.3", "1.2.3-", "1.2.3-a..b", "1.2.3-01",
        "1.2.3+", "1.2.3-ä", " 1.2.3", "1..3", "99999999999999999999.0.0", "1.2.-3"}) {
    EXPECT_FALSE(SemanticVersion::Parse(text).has_value()) << text;
  }
}

TEST(SemanticVersion, IsOrderedAsSemverOrdersIt) {
  const char* ascending[] = {"0.9.9",       "1.0.0-1",       "1.0.0-2",       "1.0.0-10",
                             "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.b", "1.0.0-beta",
                             "1.0.0",       "1.0.1",         "1.9.0",         "1.36.0",
                             "2.0.0"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t j = 0; j < std::size(ascending); ++j) {
      const auto a = *SemanticVersion::Parse(ascending[i]);
      const auto b = *SemanticVersion::Parse(ascending[j]);
      EXPECT_EQ(a <=> b, i <=> j) << ascending[i] << " " << ascending[j];
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
