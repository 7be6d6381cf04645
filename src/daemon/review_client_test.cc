#include "daemon/review_client.h"

#include <gtest/gtest.h>

#include <future>

#include "testing/await.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

TEST(LoopTimerTest, CallsOnTheLoop) {
  net::EventLoop loop;
  loop.Start();
  std::promise<std::thread::id> called;
  TimerOn(loop)(Duration::Millis(1), [&] { called.set_value(std::this_thread::get_id()); });
  EXPECT_NE(Await(called), std::this_thread::get_id());
}

TEST(LoopTimerTest, AStoppedLoopDropsCalls) {
  bool called = false;
  {
    net::EventLoop loop;
    TimerOn(loop)(Duration::Seconds(3600), [&] { called = true; });
  }
  EXPECT_FALSE(called);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
