#include "base/go_duration.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(GoDuration, ParsesAndFormats) {
  const struct {
    const char* text;
    int64_t nanos;
    const char* printed;
  } cases[] = {
      {"0", 0, "0s"},
      {"-0", 0, "0s"},
      {"0s", 0, "0s"},
      {"15s", 15'000'000'000, "15s"},
      {"+5s", 5'000'000'000, "5s"},
      {"1m30.5s", 90'500'000'000, "1m30.5s"},
      {"90s", 90'000'000'000, "1m30s"},
      {"1h", 3'600'000'000'000, "1h0m0s"},
      {"25h1ms", 90'000'001'000'000, "25h0m0.001s"},
      {"1500ms", 1'500'000'000, "1.5s"},
      {"999ms", 999'000'000, "999ms"},
      {"100us", 100'000, "100\u00b5s"},
      {"1.5\u00b5s", 1'500, "1.5\u00b5s"},
      {"1.5\u03bcs", 1'500, "1.5\u00b5s"},
      {"7ns", 7, "7ns"},
      {".5s", 500'000'000, "500ms"},
      {"1.s", 1'000'000'000, "1s"},
      {"-1ms", -1'000'000, "-1ms"},
      {"1s1s", 2'000'000'000, "2s"},
      {"0.3333333333333333333h", 1'200'000'000'000, "20m0s"},
      {"9223372036854775807ns", INT64_MAX, "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", INT64_MIN, "-2562047h47m16.854775808s"},
  };
  for (const auto& c : cases) {
    const auto duration = ParseGoDuration(c.text);
    ASSERT_TRUE(duration.has_value()) << c.text << ": " << duration.error().message;
    EXPECT_EQ(duration->nanos, c.nanos) << c.text;
    EXPECT_EQ(FormatGoDuration(*duration), c.printed);
  }
}

TEST(GoDuration, FailsWithGosErrors) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"", R"(time: invalid duration "")"},
      {"-", R"(time: invalid duration "-")"},
      {".s", R"(time: invalid duration ".s")"},
      {"s", R"(time: invalid duration "s")"},
      {"--1s", R"(time: invalid duration "--1s")"},
      {"15", R"(time: missing unit in duration "15")"},
      {"1.5", R"(time: missing unit in duration "1.5")"},
      {"3d", R"(time: unknown unit "d" in duration "3d")"},
      {"1S", R"(time: unknown unit "S" in duration "1S")"},
      {"5 s", R"(time: unknown unit " s" in duration "5 s")"},
      {"9223372036854775808ns", R"(time: invalid duration "9223372036854775808ns")"},
      {"99999999999999999999999s", R"(time: invalid duration "99999999999999999999999s")"},
      {"3000000h", R"(time: invalid duration "3000000h")"},
      {"2562047h2562047h", R"(time: invalid duration "2562047h2562047h")"},
  };
  for (const auto& c : cases) {
    const auto duration = ParseGoDuration(c.text);
    ASSERT_FALSE(duration.has_value()) << c.text;
    EXPECT_EQ(duration.error().message, c.want);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
