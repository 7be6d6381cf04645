#include "base/semantic_version.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace BERTH_TEST_FILE {

std::string ParsedOrError(std::string_view text) {
  const auto version = SemanticVersion::Parse(text);
  return version ? version->ToString() : version.error().message;
}

TEST(SemanticVersion, ParsesStrictly) {
  EXPECT_EQ(ParsedOrError("1.2.3-rc.1+build.5"), "1.2.3-rc.1+build.5");
  EXPECT_EQ(ParsedOrError("1.2.3+a-b"), "1.2.3+a-b");
  EXPECT_EQ(ParsedOrError(""), "Version string empty");
  EXPECT_EQ(ParsedOrError("1.2"), "No Major.Minor.Patch elements found");
  EXPECT_EQ(ParsedOrError("v1.2.3"), "Invalid character(s) found in major number \"v1\"");
  EXPECT_EQ(ParsedOrError("1.02.3"), "Minor number must not contain leading zeroes \"02\"");
  EXPECT_EQ(ParsedOrError("1.2.3.4"), "Invalid character(s) found in patch number \"3.4\"");
  EXPECT_EQ(ParsedOrError("1..3"), "strconv.ParseUint: parsing \"\": invalid syntax");
  EXPECT_EQ(ParsedOrError("1.2.3-"), "Prerelease is empty");
  EXPECT_EQ(ParsedOrError("1.2.3-a..b"), "Prerelease is empty");
  EXPECT_EQ(ParsedOrError("1.2.3-01"),
            "Numeric PreRelease version must not contain leading zeroes \"01\"");
  EXPECT_EQ(ParsedOrError("1.2.3-a_b"), "Invalid character(s) found in prerelease \"a_b\"");
  EXPECT_EQ(ParsedOrError("1.2.3+"), "Build meta data is empty");
  EXPECT_EQ(ParsedOrError("99999999999999999999.0.0"),
            "strconv.ParseUint: parsing \"99999999999999999999\": value out of range");
}

TEST(SemanticVersion, Normalizes) {
  EXPECT_EQ(*SemanticVersion::Normalize("v1"), "1.0.0");
  EXPECT_EQ(*SemanticVersion::Normalize("01.002.00"), "1.2.0");
  EXPECT_EQ(*SemanticVersion::Normalize("1.2.003-rc"), "1.2.3-rc");
  EXPECT_EQ(*SemanticVersion::Normalize("1.2.0-rc"), "1.2.0-rc");
  EXPECT_EQ(*SemanticVersion::Normalize("1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(SemanticVersion::Normalize("1.2-rc").error().message,
            "short version cannot contain PreRelease/Build meta data");
}

TEST(SemanticVersion, OrdersByPrecedence) {
  const char* const ascending[] = {"0.9.9",         "1.0.0-2",       "1.0.0-10",   "1.0.0-alpha",
                                   "1.0.0-alpha.1", "1.0.0-alpha.a", "1.0.0-beta", "1.0.0",
                                   "1.0.1",         "1.1.0",         "2.0.0"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(*SemanticVersion::Parse(ascending[i]) <=> *SemanticVersion::Parse(ascending[j]),
                i <=> j)
          << ascending[i] << ' ' << ascending[j];
    }
  }
  EXPECT_EQ(*SemanticVersion::Parse("1.0.0+a"), *SemanticVersion::Parse("1.0.0+b"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
