#include "base/task.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

// An awaitable that suspends tasks until the test resumes them.
class Gate {
 public:
  struct Wait {
    Gate& gate;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { gate.waiter_ = waiter; }
    int await_resume() const { return gate.value_; }
  };
  Wait operator co_await() { return {*this}; }

  void Open(int value) {
    value_ = value;
    std::exchange(waiter_, nullptr).resume();
  }

 private:
  std::coroutine_handle<> waiter_;
  int value_ = 0;
};

// Records its destruction.
struct Trace {
  std::vector<std::string>* log;
  std::string name;
  ~Trace() { log->push_back(name); }
};

Task<int> Give(int value) { co_return value; }

Task<int64_t> AddUp(int count) {
  int64_t sum = 0;
  for (int i = 1; i <= count; ++i) sum += co_await Give(i);
  co_return sum;
}

Task<int> WaitTwice(Gate& gate) {
  const int first = co_await gate;
  const int second = co_await gate;
  co_return first * 10 + second;
}

Task<int> Outer(Gate& gate) { co_return 1 + co_await WaitTwice(gate); }

TEST(Task, DoesNothingUntilItIsStarted) {
  bool ran = false;
  auto make = [&]() -> Task<int> {
    ran = true;
    co_return 1;
  };
  Task<int> task = make();
  EXPECT_FALSE(ran);
  EXPECT_FALSE(task.done());
  task.Start();
  EXPECT_TRUE(ran);
  EXPECT_TRUE(task.done());
  EXPECT_EQ(task.result(), 1);
}

TEST(Task, AwaitsOthers) {
  Task<int64_t> task = AddUp(4);
  task.Start();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), 10);
}

TEST(Task, AwaitingManyInTurnDoesNotDeepenTheStack) {
  Task<int64_t> task = AddUp(100'000);
  task.Start();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), 5'000'050'000);
}

TEST(Task, WaitsInTheInnermostAndResumesOutwards) {
  Gate gate;
  Task<int> task = Outer(gate);
  task.Start();
  EXPECT_FALSE(task.done());
  gate.Open(3);
  EXPECT_FALSE(task.done());
  gate.Open(4);
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), 35);
}

TEST(Task, GivesAMoveOnlyResult) {
  auto inner = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
  auto outer = [&]() -> Task<std::unique_ptr<int>> { co_return co_await inner(); };
  auto task = outer();
  task.Start();
  EXPECT_EQ(*task.result(), 7);
}

Task<int> TracedInner(Gate& gate, std::vector<std::string>& log) {
  const Trace trace{&log, "inner"};
  co_return co_await gate;
}

Task<int> TracedOuter(Gate& gate, std::vector<std::string>& log) {
  const Trace trace{&log, "outer"};
  co_return co_await TracedInner(gate, log);
}

TEST(Task, DestroyedWhileItWaitsDestroysWhatItWaitsInInnermostFirst) {
  Gate gate;
  std::vector<std::string> log;
  {
    Task<int> task = TracedOuter(gate, log);
    task.Start();
    EXPECT_TRUE(log.empty());
  }
  EXPECT_EQ(log, (std::vector<std::string>{"inner", "outer"}));
}

TEST(Task, DestroyedBeforeItStartsRunsNothing) {
  Gate gate;
  std::vector<std::string> log;
  { Task<int> task = TracedOuter(gate, log); }
  EXPECT_TRUE(log.empty());
}

TEST(Task, MovesTakeTheWorkAlong) {
  Gate gate;
  std::vector<std::string> log;
  Task<int> first = TracedOuter(gate, log);
  first.Start();
  Task<int> second = std::move(first);
  gate.Open(5);
  ASSERT_TRUE(second.done());
  EXPECT_EQ(second.result(), 5);

  Task<int> third = TracedOuter(gate, log);
  third.Start();
  log.clear();
  third = std::move(second);  // Destroys the suspended task it held.
  EXPECT_EQ(log, (std::vector<std::string>{"inner", "outer"}));
  EXPECT_EQ(third.result(), 5);
}

Task<int> Throw() {
  throw std::runtime_error("no answer");
  co_return 0;
}
Task<int> ThrowAfter(Gate& gate) {
  co_await gate;
  co_return co_await Throw();
}
Task<int> ThrowBelow(Gate& gate, std::vector<std::string>& log) {
  const Trace trace{&log, "gone"};
  co_return 1 + co_await ThrowAfter(gate);
}

TEST(Task, AnExceptionReachesWhoeverResumedTheTask) {
  Task<int> at_once = Throw();
  EXPECT_THROW(at_once.Start(), std::runtime_error);
  Gate gate;
  std::vector<std::string> log;
  {
    Task<int> later = ThrowBelow(gate, log);
    later.Start();
    EXPECT_THROW(gate.Open(1), std::runtime_error);
    EXPECT_FALSE(later.done()) << "it is never resumed";
  }
  EXPECT_EQ(log, std::vector<std::string>{"gone"});
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
