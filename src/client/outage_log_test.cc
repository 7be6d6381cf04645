#include "client/outage_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::client {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class OutageLogTest : public ::testing::Test {
 protected:
  static Instant At(double seconds) {
    return Instant::FromUnixSeconds(1000) + Duration::Millis(static_cast<int64_t>(seconds * 1000));
  }

  std::vector<std::string> lines_;
  OutageLog outage_{[this](const std::string& line) { lines_.push_back(line); }};
};

TEST_F(OutageLogTest, LogsTheFirstFailureAndASummary) {
  for (int i = 0; i < 15; ++i) outage_.Failed("pods: connection refused", At(0.1 * i));
  EXPECT_THAT(lines_, ElementsAre("pods: connection refused"));
  outage_.Responded(At(1.9));
  outage_.Responded(At(15));
  EXPECT_THAT(lines_, ElementsAre("pods: connection refused",
                                  "the API server responds again after 1.9 s; 15 requests "
                                  "failed"));
}

TEST_F(OutageLogTest, RemindsEverMoreRarely) {
  for (int second = 0; second < 14; ++second) outage_.Failed("pods: refused", At(second));
  EXPECT_THAT(lines_, ElementsAre("pods: refused",
                                  "pods: refused (the API server has not responded for 2 s; 3 "
                                  "requests failed)",
                                  "pods: refused (the API server has not responded for 6 s; 7 "
                                  "requests failed)"));
}

TEST_F(OutageLogTest, OneFailureNeedsNoSummary) {
  outage_.Responded(At(0));
  EXPECT_THAT(lines_, IsEmpty());
  outage_.Failed("pods: reset by peer", At(1));
  outage_.Responded(At(2));
  EXPECT_THAT(lines_, ElementsAre("pods: reset by peer"));
}

TEST_F(OutageLogTest, RemindsOfALongOutageEveryTenMinutes) {
  for (int second = 0; second < 7200; ++second) outage_.Failed("pods: refused", At(second));
  lines_.clear();
  for (int second = 7200; second < 7800; ++second) outage_.Failed("pods: refused", At(second));
  EXPECT_EQ(lines_.size(), 1U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
