#include "api/cron_schedule.h"

#include <gtest/gtest.h>

#include <string>

#include "api/timestamp.h"
#include "testing/require.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

std::string Next(std::string_view schedule, std::string_view after, const TimeZone& zone = {}) {
  const auto parsed = CronSchedule::Parse(schedule);
  if (!parsed) return parsed.error().message;
  const auto next = parsed->Next(Require(ParseTimestamp(after)), zone);
  return next ? FormatTime(*next) : "never";
}

struct NextCase {
  const char* schedule;
  const char* after;
  const char* want;
};

class CronScheduleTest : public testing::TestWithParam<NextCase> {};

TEST_P(CronScheduleTest, FindsTheNextTime) {
  EXPECT_EQ(Next(GetParam().schedule, GetParam().after), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, CronScheduleTest,
    testing::Values(
        NextCase{"* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"},
        NextCase{"* * * * *", "2026-01-01T00:00:59.5Z", "2026-01-01T00:01:00Z"},
        NextCase{"*/15 * * * *", "2026-01-01T00:45:00Z", "2026-01-01T01:00:00Z"},
        NextCase{"5/20 * * * *", "2026-01-01T00:05:00Z", "2026-01-01T00:25:00Z"},
        NextCase{"30 6-16/4 * * 1-5", "2026-01-02T14:30:00Z", "2026-01-05T06:30:00Z"},
        NextCase{"0 0 1,15 * *", "2026-01-01T00:00:00Z", "2026-01-15T00:00:00Z"},
        NextCase{"0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},
        NextCase{"0 0 13 * *", "2026-01-01T00:00:00Z", "2026-01-13T00:00:00Z"},
        NextCase{"0 0 * * SUN", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
        NextCase{"0 0 */2 * 1", "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"},
        NextCase{"0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"},
        NextCase{"59 23 31 2 *", "2026-01-01T00:00:00Z", "never"},
        NextCase{", * * * *", "2026-01-01T00:00:00Z", "never"},
        NextCase{"0 0 1 Jan-Mar ?", "2026-03-01T00:00:00Z", "2027-01-01T00:00:00Z"},
        NextCase{"@hourly", "2026-01-01T00:00:01Z", "2026-01-01T01:00:00Z"},
        NextCase{"@daily", "2026-01-01T00:00:01Z", "2026-01-02T00:00:00Z"},
        NextCase{"@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
        NextCase{"@monthly", "2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"},
        NextCase{"@yearly", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
        NextCase{"@every 1h30m", "2026-01-01T00:00:01.5Z", "2026-01-01T01:30:01Z"},
        NextCase{"@every 10ms", "2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"},
        NextCase{" 0\t 0  1 * * ", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
        NextCase{"", "2026-01-01T00:00:00Z", "empty spec string"},
        NextCase{"* * * *", "2026-01-01T00:00:00Z",
                 "expected exactly 5 fields, found 4: [* * * *]"},
        NextCase{"60 * * * *", "2026-01-01T00:00:00Z", "end of range (60) above maximum (59): 60"},
        NextCase{"* * 0 * *", "2026-01-01T00:00:00Z",
                 "beginning of range (0) below minimum (1): 0"},
        NextCase{"* * * * 7", "2026-01-01T00:00:00Z", "end of range (7) above maximum (6): 7"},
        NextCase{"5-3 * * * *", "2026-01-01T00:00:00Z",
                 "beginning of range (5) beyond end of range (3): 5-3"},
        NextCase{"*/0 * * * *", "2026-01-01T00:00:00Z",
                 "step of range should be a positive number: */0"},
        NextCase{"1-2-3 * * * *", "2026-01-01T00:00:00Z", "too many hyphens: 1-2-3"},
        NextCase{"1/2/3 * * * *", "2026-01-01T00:00:00Z", "too many slashes: 1/2/3"},
        NextCase{"x * * * *", "2026-01-01T00:00:00Z",
                 "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
        NextCase{"@often", "2026-01-01T00:00:00Z", "unrecognized descriptor: @often"},
        NextCase{"@every x", "2026-01-01T00:00:00Z",
                 "failed to parse duration @every x: time: invalid duration \"x\""}));

// A TZif file without transitions, whose rule holds for all times.
TimeZone ZoneOf(std::string_view rule) {
  const auto number = [](uint32_t value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16),
                       static_cast<char>(value >> 8), static_cast<char>(value)};
  };
  const std::string header = "TZif2" + std::string(15, '\0') + number(0) + number(0) + number(0) +
                             number(0) + number(1) + number(1);
  const std::string body = std::string(6, '\0') + std::string(1, '\0');
  return Require(TimeZone::Parse(header + body + header + body + "\n" + std::string(rule) + "\n"));
}

TEST(TimeZone, FollowsItsRule) {
  const TimeZone berlin = ZoneOf("CET-1CEST,M3.5.0,M10.5.0/3");
  const auto offset = [](const TimeZone& zone, std::string_view at) {
    return zone.OffsetAt(Require(ParseTimestamp(at)).unix_seconds());
  };
  EXPECT_EQ(offset(berlin, "2026-01-01T00:00:00Z"), 3600);
  EXPECT_EQ(offset(berlin, "2026-03-29T00:59:59Z"), 3600);
  EXPECT_EQ(offset(berlin, "2026-03-29T01:00:00Z"), 7200);
  EXPECT_EQ(offset(berlin, "2026-10-25T00:59:59Z"), 7200);
  EXPECT_EQ(offset(berlin, "2026-10-25T01:00:00Z"), 3600);
  const TimeZone sydney = ZoneOf("AEST-10AEDT,M10.1.0,M4.1.0/3");
  EXPECT_EQ(offset(sydney, "2026-01-01T00:00:00Z"), 39600);
  EXPECT_EQ(offset(sydney, "2026-07-01T00:00:00Z"), 36000);
  EXPECT_EQ(offset(ZoneOf("<+0545>-5:45"), "2026-07-01T00:00:00Z"), 20700);
  EXPECT_EQ(offset(ZoneOf("XXX0YYY-1,J60,300"), "2028-03-01T02:00:00Z"), 3600);
  EXPECT_EQ(offset({}, "2026-07-01T00:00:00Z"), 0);
}

TEST(TimeZone, RejectsOtherFiles) {
  EXPECT_FALSE(TimeZone::Parse(""));
  EXPECT_FALSE(TimeZone::Parse("TZif2"));
  EXPECT_FALSE(TimeZone::Parse(std::string("TZif2") + std::string(200, '\xff')));
}

TEST(CronSchedule, FollowsTheTimeZone) {
  const TimeZone berlin = ZoneOf("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(Next("0 6 * * *", "2026-01-01T00:00:00Z", berlin), "2026-01-01T05:00:00Z");
  EXPECT_EQ(Next("0 6 * * *", "2026-07-01T00:00:00Z", berlin), "2026-07-01T04:00:00Z");
  EXPECT_EQ(Next("0 0 1 * *", "2026-01-15T00:00:00Z", berlin), "2026-01-31T23:00:00Z");
  // 02:30 does not exist on March 29, and exists twice on October 25.
  EXPECT_EQ(Next("30 2 * * *", "2026-03-28T12:00:00Z", berlin), "2026-03-30T00:30:00Z");
  EXPECT_EQ(Next("30 2 * * *", "2026-10-24T12:00:00Z", berlin), "2026-10-25T00:30:00Z");
  EXPECT_EQ(Next("30 2 * * *", "2026-10-25T00:30:00Z", berlin), "2026-10-25T01:30:00Z");
  // A zone in which midnight is skipped.
  const TimeZone beirut = ZoneOf("EET-2EEST,M3.5.0/0,M10.5.0/0");
  EXPECT_EQ(Next("0 0 * * *", "2026-03-28T12:00:00Z", beirut), "2026-03-29T21:00:00Z");
  EXPECT_EQ(Next("0 5 29 3 *", "2026-03-28T12:00:00Z", beirut), "2026-03-29T02:00:00Z");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
