#include "runtime/engine_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "runtime/connection.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"
#include "testing/await.h"
#include "testing/engine_harness.h"
#include "testing/require.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A connection whose API is the test. May be read on any thread.
class PlayedConnection final : public Connection {
 public:
  explicit PlayedConnection(std::function<void()> wake) : mailbox(std::move(wake)) {}

  bool Read(std::vector<scheduler::engine::Event>& events) override { return mailbox.Take(events); }
  size_t capacity() const override {
    const std::lock_guard lock(mutex_);
    return limit_ - std::min(limit_, executing_.size());
  }
  void Execute(scheduler::engine::Command command) override {
    const std::lock_guard lock(mutex_);
    // The engine does not wait for events.
    if (scheduler::framework::LaneOf(command.write) != scheduler::framework::WriteLane::kBind) {
      return mailbox.Post(scheduler::engine::WriteDone{command.id, {}});
    }
    executing_.push_back(std::move(command));
    changed_.notify_all();
  }
  bool DoIdleWork(bool) override { return false; }
  void Count(DriverSnapshot& snapshot) const override { snapshot.binds = 7; }

  void SetLimit(size_t limit) { limit_ = limit; }
  // Waits until `count` binds are being executed; returns them as "web -> a".
  std::vector<std::string> WaitForBinds(size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(Await(changed_, lock, [&] { return executing_.size() >= count; }));
    return Lines();
  }
  std::vector<std::string> Binds() {
    const std::lock_guard lock(mutex_);
    return Lines();
  }
  // Completes all accepted writes successfully.
  void EndAll() { EndAll({}); }
  void FailAll() { EndAll({scheduler::framework::WriteResult::Kind::kConflict, "taken"}); }

  Mailbox mailbox;

 private:
  void EndAll(const scheduler::framework::WriteResult& result) {
    std::vector<scheduler::engine::Command> ended;
    {
      const std::lock_guard lock(mutex_);
      ended.swap(executing_);
    }
    for (const scheduler::engine::Command& command : ended)
      mailbox.Post(scheduler::engine::WriteDone{command.id, result});
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const scheduler::engine::Command& command : executing_) {
      const auto& bind = std::get<scheduler::framework::BindPod>(command.write);
      lines.push_back(fmt::format("{} -> {}", bind.pod.name, bind.node));
    }
    return lines;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<scheduler::engine::Command> executing_;
  size_t limit_ = SIZE_MAX;
};

class EngineDriverTest : public testing::Test {
 protected:
  void Make(EngineDriverOptions options = {}) {
    options.engine.profiles = {DefaultProfile()};
    const auto connect = [this](std::function<void()> wake) {
      auto made = std::make_unique<PlayedConnection>(std::move(wake));
      connection_ = made.get();
      return made;
    };
    const Clock& clock =
        options.wall_clock != nullptr ? static_cast<const Clock&>(steady_clock_) : real_clock_;
    driver_ = Require(EngineDriver::Make(connect, clock, std::move(options),
                                         scheduler::plugins::InTreeRegistry()));
    connection_->mailbox.Post(
        scheduler::engine::ObjectPut{MakeNode("a").Cpu("8").Memory("8Gi").Pods("10")});
  }
  void Pod(const std::string& name) {
    connection_->mailbox.Post(scheduler::engine::ObjectPut{MakePod(name)});
  }

  SystemClock real_clock_;
  // Of tests that set the wall clock.
  SimClock steady_clock_{Instant::FromUnixSeconds(1'767'225'600)};
  SimClock wall_clock_{Instant::FromUnixSeconds(1'767'225'600)};
  PlayedConnection* connection_ = nullptr;
  std::unique_ptr<EngineDriver> driver_;
};

TEST_F(EngineDriverTest, TakesNoMoreCommandsThanTheConnectionHasCapacityFor) {
  Make();
  connection_->SetLimit(1);
  Pod("one");
  Pod("two");
  driver_->RunUntilIdle();
  EXPECT_THAT(connection_->Binds(), ElementsAre("one -> a"));
  connection_->EndAll();
  driver_->RunUntilIdle();
  EXPECT_THAT(connection_->Binds(), ElementsAre("two -> a"));
  EXPECT_EQ(driver_->snapshot()->placed, 2);
  EXPECT_EQ(driver_->snapshot()->binds, 7);
}

TEST_F(EngineDriverTest, SchedulesOnlyWhileItLeads) {
  Make({.leads = false});
  Pod("web");
  driver_->RunUntilIdle();
  EXPECT_THAT(connection_->Binds(), IsEmpty());
  EXPECT_EQ(driver_->engine().queue().sizes().active, 1);
  driver_->Lead(true);
  driver_->RunUntilIdle();
  EXPECT_THAT(connection_->Binds(), ElementsAre("web -> a"));
}

TEST_F(EngineDriverTest, CommandsFailOnceItDoesNotLead) {
  Make();
  connection_->SetLimit(1);
  Pod("one");
  Pod("two");
  driver_->RunUntilIdle();
  EXPECT_THAT(connection_->Binds(), ElementsAre("one -> a"));
  EXPECT_EQ(driver_->engine().bindings_under_way(), 2);
  driver_->Lead(false);
  driver_->RunUntilIdle();
  EXPECT_EQ(driver_->engine().bindings_under_way(), 1) << "the second bind was not dropped";
  connection_->EndAll();
  driver_->RunUntilIdle();
  EXPECT_THAT(connection_->Binds(), IsEmpty());
  EXPECT_EQ(driver_->engine().bindings_under_way(), 0);
}

TEST_F(EngineDriverTest, StoppingFailsWhatWasNotBegun) {
  Make();
  connection_->SetLimit(1);
  driver_->Start();
  Pod("one");
  Pod("two");
  size_t bindings = 0;
  const auto look = [&](const scheduler::engine::Engine& engine) {
    bindings = engine.bindings_under_way();
  };
  while (bindings < 2) ASSERT_TRUE(driver_->RunBetweenSteps(look));
  EXPECT_THAT(connection_->WaitForBinds(1), ElementsAre("one -> a"));
  driver_->Stop(Duration::Millis(1));
  EXPECT_THAT(connection_->Binds(), ElementsAre("one -> a"));
  EXPECT_EQ(driver_->engine().bindings_under_way(), 1) << "the second bind was not dropped";
}

TEST_F(EngineDriverTest, AWallClockThatIsSetBackProlongsNoBackoff) {
  Make({.wall_clock = &wall_clock_});
  Pod("web");
  driver_->RunUntilIdle();
  wall_clock_.Advance(Duration::Seconds(-3600));
  connection_->FailAll();
  driver_->RunUntilIdle();
  EXPECT_EQ(driver_->engine().queue().sizes().backoff, 1);
  steady_clock_.Advance(Duration::Seconds(3));
  driver_->RunUntilIdle();
  EXPECT_THAT(connection_->Binds(), ElementsAre("web -> a"));
}

TEST_F(EngineDriverTest, VisitorsSeeTheEngineBetweenSteps) {
  Make();
  size_t nodes = 0;
  const auto look = [&](const scheduler::engine::Engine& engine) {
    nodes = engine.cluster().nodes().present_count();
  };
  EXPECT_FALSE(driver_->RunBetweenSteps(look)) << "it does not run yet";
  driver_->Start();
  Pod("web");
  EXPECT_THAT(connection_->WaitForBinds(1), ElementsAre("web -> a"));
  EXPECT_TRUE(driver_->RunBetweenSteps(look));
  EXPECT_EQ(nodes, 1);
  connection_->EndAll();
  driver_->Stop();
  EXPECT_FALSE(driver_->RunBetweenSteps(look)) << "it runs no more";
}

TEST_F(EngineDriverTest, VisitorsBlockNoOtherThread) {
  Make();
  driver_->Start();
  std::future<bool> other;
  std::future_status seen = std::future_status::deferred;
  driver_->RunBetweenSteps([&](const scheduler::engine::Engine&) {
    other = std::async(std::launch::async, [this] { return driver_->snapshot() != nullptr; });
    seen = other.wait_for(std::chrono::seconds(5));
  });
  EXPECT_EQ(seen, std::future_status::ready) << "snapshot() waits for the visitor";
  EXPECT_TRUE(other.get());
  driver_->Stop();
}

TEST_F(EngineDriverTest, StoppingWaitsForWhatWasBegun) {
  Make();
  driver_->Start();
  Pod("web");
  connection_->WaitForBinds(1);
  std::thread api([this] { connection_->EndAll(); });
  driver_->Stop(Duration::Seconds(60));
  api.join();
  EXPECT_EQ(driver_->engine().bindings_under_way(), 0);
}

TEST_F(EngineDriverTest, StoppingDoesNotWaitForEver) {
  Make();
  driver_->Start();
  Pod("web");
  connection_->WaitForBinds(1);
  driver_->Stop(Duration::Millis(1));
  EXPECT_EQ(driver_->engine().bindings_under_way(), 1);
}

// Holds all events back until a given time.
class HoldingFilter final : public EventFilter {
 public:
  HoldingFilter(PassEvent pass, Instant until) : pass_(std::move(pass)), until_(until) {}
  void Take(const scheduler::engine::Event& event, const Now&) override { held_.push_back(event); }
  void Advance(const Now& now) override {
    if (now.steady >= until_) Finish(now);
  }
  std::optional<Instant> next_wake() const override {
    return held_.empty() ? std::nullopt : std::optional(until_);
  }
  void Finish(const Now&) override {
    for (const auto& event : std::exchange(held_, {})) pass_(event);
  }

 private:
  const PassEvent pass_;
  const Instant until_;
  std::vector<scheduler::engine::Event> held_;
};

TEST_F(EngineDriverTest, AFilterDelaysEvents) {
  const Instant end = steady_clock_.Now() + Duration::Seconds(5);
  Make({.wall_clock = &wall_clock_, .make_filter = [&](auto&, PassEvent pass) {
          return std::make_unique<HoldingFilter>(std::move(pass), end);
        }});
  Pod("web");
  driver_->RunUntilIdle();
  EXPECT_EQ(driver_->engine().cluster().nodes().present_count(), 0);
  steady_clock_.Advance(Duration::Seconds(5));
  driver_->RunUntilIdle();
  EXPECT_EQ(driver_->engine().cluster().nodes().present_count(), 1);
  EXPECT_THAT(connection_->Binds(), ElementsAre("web -> a"));
}

// Without another event.
TEST_F(EngineDriverTest, AFilterWakesTheDriver) {
  Make({.make_filter = [&](auto&, PassEvent pass) {
    return std::make_unique<HoldingFilter>(std::move(pass),
                                           real_clock_.Now() + Duration::Millis(20));
  }});
  Pod("web");
  driver_->Start();
  EXPECT_THAT(connection_->WaitForBinds(1), ElementsAre("web -> a"));
}

TEST_F(EngineDriverTest, NoEventIsHeldAtTheEnd) {
  Make({.make_filter = [&](auto&, PassEvent pass) {
    return std::make_unique<HoldingFilter>(std::move(pass),
                                           real_clock_.Now() + Duration::Seconds(3600));
  }});
  driver_->Start();
  driver_->Stop();
  EXPECT_EQ(driver_->engine().cluster().nodes().present_count(), 1);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
