#include "daemon/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Duration kSecond = Duration::Seconds(1);

class WatchdogTest : public testing::Test {
 protected:
  void LookFor(int64_t seconds) {
    for (int64_t i = 0; i < seconds; ++i) watchdog_.Look(kSecond);
  }

  std::vector<std::string> stuck_;  // At the last look that found any.
  Watchdog watchdog_{{.stuck_after = Duration::Seconds(10), .on_stuck = [this](const auto& stuck) {
                        stuck_.clear();
                        for (const Watchdog::Loop& loop : stuck) stuck_.push_back(loop.name);
                      }}};
};

TEST_F(WatchdogTest, NamesTheLoopThatDoesNotEndItsWork) {
  const auto driver = std::make_shared<Heartbeat>();
  const auto other = std::make_shared<Heartbeat>();
  watchdog_.Watch("driver", driver, true);
  watchdog_.Watch("other", other, true);
  driver->Wake();
  LookFor(10);
  EXPECT_TRUE(watchdog_.Check(0).has_value());
  EXPECT_THAT(stuck_, IsEmpty());
  LookFor(2);
  EXPECT_EQ(watchdog_.Check(0).error().message, "the driver has not ended what it does for 11s");
  EXPECT_TRUE(watchdog_.Check(1).has_value());
  EXPECT_THAT(stuck_, ElementsAre("driver"));
  driver->Rest();
  LookFor(1);
  EXPECT_TRUE(watchdog_.Check(0).has_value());
}

TEST_F(WatchdogTest, LongWorkThatBeatsIsNotStuck) {
  const auto driver = std::make_shared<Heartbeat>();
  watchdog_.Watch("driver", driver, true);
  driver->Wake();
  for (int i = 0; i < 100; ++i) {
    driver->Beat();
    LookFor(1);
  }
  EXPECT_THAT(stuck_, IsEmpty());
}

// The clock goes on while the process is stopped; its threads do not.
TEST_F(WatchdogTest, ALookThatCameLateCountsLittle) {
  const auto driver = std::make_shared<Heartbeat>();
  watchdog_.Watch("driver", driver, true);
  driver->Wake();
  LookFor(2);
  watchdog_.Look(Duration::Seconds(3600));
  EXPECT_THAT(stuck_, IsEmpty());
}

TEST_F(WatchdogTest, AsksEventLoops) {
  std::vector<std::function<void()>> posted;
  bool runs = true;
  watchdog_.Watch(
      "write loop",
      Watchdog::Asked{[&] { return runs; }, [&](auto work) { posted.push_back(std::move(work)); }},
      true);
  LookFor(6);
  ASSERT_EQ(posted.size(), 1u) << "once in half of the time";
  posted.back()();
  LookFor(5);
  ASSERT_EQ(posted.size(), 2u);
  LookFor(8);
  EXPECT_THAT(stuck_, IsEmpty());
  LookFor(2);
  EXPECT_THAT(stuck_, ElementsAre("write loop"));
  EXPECT_EQ(posted.size(), 2u) << "one question at a time";
  posted.back()();
  LookFor(1);
  EXPECT_TRUE(watchdog_.Check(0).has_value());
  LookFor(9);
  EXPECT_EQ(posted.size(), 3u);
  runs = false;
  stuck_.clear();
  LookFor(60);
  EXPECT_THAT(stuck_, IsEmpty()) << "it was stopped before it could answer";
  EXPECT_EQ(posted.size(), 3u);
}

TEST_F(WatchdogTest, LoopsThatAreNotVitalOnlyFailTheirCheck) {
  const auto api = std::make_shared<Heartbeat>();
  watchdog_.Watch("API thread", api, false, 6);
  api->Wake();
  LookFor(59);
  EXPECT_TRUE(watchdog_.Check(0).has_value()) << "it has six times as long";
  LookFor(3);
  EXPECT_FALSE(watchdog_.Check(0).has_value());
  EXPECT_THAT(stuck_, IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
