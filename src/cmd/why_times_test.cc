#include "cmd/why_times.h"

#include <gtest/gtest.h>

namespace berth::cmd {
namespace BERTH_TEST_FILE {

TEST(TimeTextTest, IsWhatPeopleSay) {
  struct Case {
    const char* timestamp;
    const char* want;
  };
  // 2026-01-01T00:00:00Z
  const TimeFormat format{Instant::FromUnixSeconds(1'767'225'600)};
  for (const Case& c :
       {Case{"2025-12-31T23:59:48.900000Z", "12 s ago"}, Case{"2025-12-31T23:57:00Z", "3 m ago"},
        Case{"2025-12-31T21:00:00Z", "3 h ago"}, Case{"2025-12-20T00:00:00Z", "12 d ago"},
        Case{"2026-01-01T00:00:00Z", "just now"}, Case{"2026-01-01T00:00:07Z", "in 7 s"},
        Case{"soon", "soon"}}) {
    EXPECT_EQ(TimeText(c.timestamp, format), c.want);
  }
}

TEST(TimeTextTest, IsExactInTheLocalZone) {
  const TimeFormat format{Instant::FromUnixSeconds(0), true};
  const std::string text = TimeText("2026-01-15T12:34:56Z", format);
  EXPECT_EQ(text.substr(0, 8), "2026-01-");
  EXPECT_NE(text.find(":56 "), std::string::npos) << text;
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
