#include "net/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

namespace berth::net {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

TEST(EventLoopTest, RunInOrderUnlessCancelled) {
  EventLoop loop;
  std::vector<std::string> story;
  std::promise<void> end;
  loop.Post([&] {
    story.push_back("posted");
    loop.After(Duration::Millis(3), [&] {
      story.push_back("last");
      end.set_value();
    });
    const auto never = loop.After(Duration::Millis(1), [&] { story.push_back("never"); });
    loop.After(Duration::Millis(2), [&] { story.push_back("first"); });
    loop.Post([&] { story.push_back("posted later"); });
    loop.Cancel(never);
    loop.Cancel(0);
    loop.Cancel(12345);
  });
  EXPECT_FALSE(loop.stopped());
  const Instant before = loop.Now();
  loop.Start();
  end.get_future().get();
  EXPECT_GE(loop.Now() - before, Duration::Millis(3));
  EXPECT_THAT(story, ElementsAre("posted", "posted later", "first", "last"));
  loop.Stop();
  EXPECT_TRUE(loop.stopped());
}

TEST(EventLoopTest, ATimerMayCancelOneThatIsDueAsWell) {
  EventLoop loop;
  std::vector<int> ran;
  std::promise<void> end;
  Executor::TimerId second = 0;
  loop.Post([&] {
    loop.After({}, [&] {
      ran.push_back(1);
      loop.Cancel(second);
      loop.After(Duration::Millis(1), [&] { end.set_value(); });
    });
    second = loop.After({}, [&] { ran.push_back(2); });
  });
  loop.Start();
  end.get_future().get();
  loop.Stop();
  EXPECT_THAT(ran, ElementsAre(1));
}

TEST(EventLoopTest, DispatchesAtOnceOnItsOwnThreadOnly) {
  EventLoop loop;
  std::vector<std::string> story;
  std::promise<void> end;
  loop.Dispatch([&] {
    story.push_back("posted");
    EXPECT_TRUE(loop.RunsHere());
    loop.Dispatch([&] { story.push_back("at once"); });
    story.push_back("after");
    end.set_value();
  });
  EXPECT_FALSE(loop.RunsHere());
  loop.Start();
  end.get_future().get();
  RunAndWait(loop, [&] { story.push_back("waited for"); });
  EXPECT_THAT(story, ElementsAre("posted", "at once", "after", "waited for"));
}

TEST(EventLoopTest, AStoppedLoopDropsTimers) {
  bool called = false;
  {
    EventLoop loop;
    loop.Post([&] { loop.After(Duration::Seconds(3600), [&] { called = true; }); });
    loop.Start();
    RunAndWait(loop, [] {});
  }
  EXPECT_FALSE(called);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
