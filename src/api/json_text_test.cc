#include "api/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::api {
namespace BERTH_TEST_FILE {

TEST(IsJsonNumber, FollowsTheGrammar) {
  for (const char* text : {"0", "-0", "12", "1.5", "0.10", "1e3", "1E+3", "2.5e-3"}) {
    EXPECT_TRUE(IsJsonNumber(text)) << text;
  }
  for (const char* text :
       {"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x10", "1 ", "1_0", "NaN"}) {
    EXPECT_FALSE(IsJsonNumber(text)) << text;
  }
}

TEST(ParseJsonInteger, TakesWholeNumbersHoweverWritten) {
  struct Case {
    const char* text;
    int64_t value;
  };
  for (const Case& c :
       {Case{"0", 0}, Case{"-0", 0}, Case{"42", 42}, Case{"9223372036854775807", INT64_MAX},
        Case{"-9223372036854775808", INT64_MIN}, Case{"1e3", 1000}, Case{"2.0", 2},
        Case{"1.5e1", 15}, Case{"1200e-2", 12}, Case{"0.0e99999999999999999999", 0},
        Case{"-25e1", -250}, Case{"9.223372036854775807e18", INT64_MAX}}) {
    const auto number = ParseJsonInteger(c.text);
    ASSERT_TRUE(number.has_value()) << c.text;
    EXPECT_FALSE(number->overflow) << c.text;
    EXPECT_EQ(number->value, c.value) << c.text;
  }
}

TEST(ParseJsonInteger, TellsFractionsFromNumbersTooLarge) {
  for (const char* text : {"1.5", "1e-1", "0.001e2", "1e-99999999999999999999"}) {
    EXPECT_FALSE(ParseJsonInteger(text).has_value()) << text;
  }
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "1e19", "1e400",
                           "1e99999999999999999999", "123456789012345678901234567890"}) {
    const auto number = ParseJsonInteger(text);
    ASSERT_TRUE(number.has_value()) << text;
    EXPECT_TRUE(number->overflow) << text;
  }
}

TEST(Shorten, CutsBetweenCharactersAndHidesControls) {
  EXPECT_EQ(Shorten("short"), "short");
  EXPECT_EQ(Shorten("a\nb\tc"), "a?b?c");
  EXPECT_EQ(Shorten("abcdef", 3), "abc...");
  EXPECT_EQ(Shorten("ab\u00e9\u00e9", 3), "ab...");
  EXPECT_EQ(Shorten(std::string(1000, 'x')).size(), 63u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
