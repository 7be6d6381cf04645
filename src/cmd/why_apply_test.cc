#include "cmd/why_apply.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::cmd {
namespace BERTH_TEST_FILE {

// What is printed while the numbers of running pods are those of `seen`, and the error, if any.
struct Watched {
  std::string printed;
  std::string error;
  size_t looks = 0;
  Duration waited = {};
};

Watched Watch(const std::vector<RunningPods>& seen) {
  Watched watched;
  testing::internal::CaptureStdout();
  const Status status = WatchUntilRunning(
      [&]() -> Result<RunningPods> {
        const size_t look = watched.looks++;
        return seen[std::min(look, seen.size() - 1)];
      },
      [&](Duration wait) { watched.waited += wait; });
  watched.printed = testing::internal::GetCapturedStdout();
  if (!status) watched.error = status.error().message;
  return watched;
}

TEST(WatchTest, EndsWhenAllPodsRun) {
  const Watched watched = Watch({{0, 2}, {1, 2}, {1, 2}, {2, 2}});
  EXPECT_EQ(watched.error, "");
  EXPECT_EQ(watched.printed, "0 of 2 pods run\n1 of 2 pods run\n2 of 2 pods run\n");
  EXPECT_EQ(watched.looks, 4U);
  EXPECT_EQ(watched.waited, Duration::Seconds(6));
}

TEST(WatchTest, WaitsForAPodThatIsCreatedAgain) {
  const Watched watched = Watch({{0, 0}, {0, 1}, {1, 1}});
  EXPECT_EQ(watched.error, "");
  EXPECT_EQ(watched.looks, 3U);
}

TEST(WatchTest, GivesUpAfterTwoMinutes) {
  const Watched watched = Watch({{1, 2}});
  EXPECT_EQ(watched.error, "not all pods run after two minutes");
  EXPECT_EQ(watched.printed, "1 of 2 pods run\n");
  EXPECT_EQ(watched.waited, Duration::Seconds(118));
}

TEST(WatchTest, FailsAsTheLookDoes) {
  const Status status = WatchUntilRunning(
      []() -> Result<RunningPods> { return Fail("connection refused"); }, [](Duration) {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "connection refused");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
