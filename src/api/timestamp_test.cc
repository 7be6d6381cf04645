#include "api/timestamp.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace BERTH_TEST_FILE {

struct ParseCase {
  const char* text;
  int64_t nanos;
};

class ParseTimestampTest : public testing::TestWithParam<ParseCase> {};

TEST_P(ParseTimestampTest, ReturnsTheInstant) {
  const auto instant = ParseTimestamp(GetParam().text);
  ASSERT_TRUE(instant.has_value()) << instant.error().message;
  EXPECT_EQ(instant->nanos, GetParam().nanos);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ParseTimestampTest,
    testing::Values(ParseCase{"1970-01-01T00:00:00Z", 0},
                    ParseCase{"2026-03-01T08:00:04Z", 1'772'352'004'000'000'000},
                    ParseCase{"2024-02-29T12:00:00Z", 1'709'208'000'000'000'000},
                    ParseCase{"1970-01-01T00:00:01.5Z", 1'500'000'000},
                    ParseCase{"1970-01-01T00:00:00.000000001Z", 1},
                    ParseCase{"1970-01-01T00:00:00.1234567899Z", 123'456'789},
                    ParseCase{"1970-01-01T02:00:00+02:00", 0},
                    ParseCase{"1969-12-31T18:30:00-05:30", 0},
                    ParseCase{"1969-12-31T23:59:59Z", -1'000'000'000}));

TEST(ParseTimestamp, RejectsInvalidTimes) {
  for (const char* text : {"",
                           "yesterday",
                           "2026-03-01",
                           "2026-03-01T08:00:04",
                           "2026-03-01 08:00:04Z",
                           "2026-03-01t08:00:04z",
                           "2026-13-01T00:00:00Z",
                           "2025-02-29T00:00:00Z",
                           "2026-00-10T00:00:00Z",
                           "2026-03-32T00:00:00Z",
                           "2026-03-01T24:00:00Z",
                           "2026-03-01T08:60:00Z",
                           "2026-03-01T08:00:60Z",
                           "2026-03-01T08:00:04.Z",
                           "2026-03-01T08:00:04+0200",
                           "2026-03-01T08:00:04+24:00",
                           "2026-03-01T08:00:04Z ",
                           "26-03-01T08:00:04Z",
                           "+026-03-01T08:00:04Z",
                           "12026-03-01T08:00:04Z"}) {
    EXPECT_FALSE(ParseTimestamp(text).has_value()) << text;
  }
}

TEST(ParseTimestamp, SaturatesBeyondTheRangeOfAnInstant) {
  for (const char* text : {"0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1677-12-31T23:59:59Z",
                           "1678-01-01T00:00:00Z"}) {
    EXPECT_EQ(FormatTimestamp(ParseTimestamp(text).value()), "1678-01-01T00:00:00Z") << text;
  }
  for (const char* text : {"9999-12-31T23:59:59Z", "2311-06-01T00:00:00Z", "2262-01-01T00:00:00Z",
                           "2261-12-31T23:59:59.999999999Z"}) {
    EXPECT_EQ(FormatTimestamp(ParseTimestamp(text).value()), "2261-12-31T23:59:59.999999999Z")
        << text;
  }
}

TEST(FormatTimestamp, SaturatesLikewise) {
  EXPECT_EQ(FormatTimestamp({INT64_MIN}), "1678-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime({INT64_MIN}), "1678-01-01T00:00:00Z");
  EXPECT_EQ(FormatMicroTime({INT64_MAX}), "2261-12-31T23:59:59.999999Z");
}

TEST(FormatTimestamp, WritesAFractionOnlyIfItIsNotZero) {
  EXPECT_EQ(FormatTimestamp({0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTimestamp({1'772'352'004'000'000'000}), "2026-03-01T08:00:04Z");
  EXPECT_EQ(FormatTimestamp({1'500'000'000}), "1970-01-01T00:00:01.5Z");
  EXPECT_EQ(FormatTimestamp({-1}), "1969-12-31T23:59:59.999999999Z");
}

TEST(FormatTime, WritesWholeSeconds) {
  EXPECT_EQ(FormatTime({1'767'225'600'123'456'789}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime({-1}), "1969-12-31T23:59:59Z");
}

TEST(FormatMicroTime, AlwaysWritesSixDecimals) {
  EXPECT_EQ(FormatMicroTime({0}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatMicroTime({1'767'225'600'123'456'789}), "2026-01-01T00:00:00.123456Z");
  EXPECT_EQ(FormatMicroTime({-1}), "1969-12-31T23:59:59.999999Z");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
