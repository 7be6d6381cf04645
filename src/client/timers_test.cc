#include "client/timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "testing/await.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

TEST(LoopTimersTest, RunInOrderUnlessCancelled) {
  net::EventLoop loop;
  LoopTimers timers(loop);
  std::vector<std::string> story;
  std::promise<void> end;
  timers.Post([&] {
    story.push_back("posted");
    timers.After(Duration::Millis(3), [&] {
      story.push_back("last");
      end.set_value();
    });
    const auto never = timers.After(Duration::Millis(1), [&] { story.push_back("never"); });
    timers.After(Duration::Millis(2), [&] { story.push_back("first"); });
    timers.Post([&] { story.push_back("posted later"); });
    timers.Cancel(never);
    timers.Cancel(0);
    timers.Cancel(12345);
  });
  EXPECT_FALSE(timers.stopped());
  const Instant before = timers.Now();
  loop.Start();
  Await(end);
  EXPECT_GE(timers.Now() - before, Duration::Millis(3));
  EXPECT_THAT(story, ElementsAre("posted", "posted later", "first", "last"));
  loop.Stop();
  EXPECT_TRUE(timers.stopped());
}

TEST(LoopTimersTest, ATimerMayCancelOneThatIsDueAsWell) {
  net::EventLoop loop;
  LoopTimers timers(loop);
  std::vector<int> ran;
  std::promise<void> end;
  Timers::TimerId second = 0;
  timers.Post([&] {
    timers.After({}, [&] {
      ran.push_back(1);
      timers.Cancel(second);
      timers.After(Duration::Millis(1), [&] { end.set_value(); });
    });
    second = timers.After({}, [&] { ran.push_back(2); });
  });
  loop.Start();
  Await(end);
  loop.Stop();
  EXPECT_THAT(ran, ElementsAre(1));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
