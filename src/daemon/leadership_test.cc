#include "daemon/leadership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "runtime/runtime_testing.h"
#include "testing/engine_harness.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A lease on a server that responds at once, or when the test requests it.
class FakeLock final : public client::ElectionLock {
 public:
  void Get(Read read) override {
    get = [this, read = std::move(read)] {
      if (record) return read(*record);
      read(std::unexpected(client::LockFailure{true, "none"}));
    };
    if (!delayed) std::exchange(get, nullptr)();
  }
  void Create(const client::LeaderRecord& wanted, Written written) override {
    Update(wanted, std::move(written));
  }
  void Update(const client::LeaderRecord& wanted, Written written) override {
    if (down) return written(std::unexpected(client::LockFailure{false, "down"}));
    record = wanted;
    if (wanted.holder.empty() && on_release) on_release();
    written({});
  }
  void Cancel() override {}
  std::string name() const override { return "n/l"; }

  std::optional<client::LeaderRecord> record;
  std::function<void()> get;  // The pending Get.
  std::function<void()> on_release;
  bool delayed = false;
  bool down = false;
};

class LeadershipTest : public testing::Test {
 protected:
  void Make(LeadershipOptions options, bool elects = true) {
    runtime::SchedulerOptions scheduling;
    scheduling.engine.profiles = {DefaultProfile()};
    scheduling.lease_clock = &server_.executor.clock();
    scheduler_ = *runtime::Scheduler::MakeOn(runtime::FakeClients(server_), std::move(scheduling),
                                             scheduler::plugins::InTreeRegistry());
    options.on_lost = [this] { story_.push_back("lost"); };
    options.on_end_of_term = [this] { story_.push_back("end of term"); };
    leadership_ = std::make_unique<Leadership>(*scheduler_, server_.executor, std::move(options));
    if (!elects) return;
    client::ElectionCallbacks callbacks;
    callbacks.on_started_leading = [this] {
      story_.push_back(leadership_->ending() ? "started while ending" : "started");
    };
    callbacks.on_stopped_leading = [this] { story_.push_back("stopped"); };
    leadership_->Elect(lock_, server_.executor.clock(),
                       {.identity = "me", .coordinated = coordinated_}, std::move(callbacks));
  }
  // Reports whether the driver runs.
  bool runs() {
    return scheduler_->driver().RunBetweenSteps([](const scheduler::engine::Engine&) {});
  }
  // Calls Stop on another thread, while this one is the executor's.
  void Stop(const std::function<void()>& once_begun = [] {}) {
    const size_t posts = server_.executor.posts();
    auto stopped =
        std::async(std::launch::async, [this] { leadership_->Stop(Duration::Seconds(5)); });
    while (server_.executor.posts() == posts) std::this_thread::yield();
    once_begun();
    while (stopped.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      server_.executor.Run();
    }
  }

  client::FakeApiServer server_;
  FakeLock lock_;
  bool coordinated_ = false;
  std::vector<std::string> story_;
  std::unique_ptr<runtime::Scheduler> scheduler_;
  std::unique_ptr<Leadership> leadership_;
};

TEST_F(LeadershipTest, LeadsWithoutALeaseWhenEverythingIsListed) {
  Make({}, false);
  leadership_->Start();
  EXPECT_FALSE(leadership_->leads());
  runtime::RespondToLists(server_);
  server_.executor.Run();
  EXPECT_TRUE(leadership_->leads());
  Stop();
  EXPECT_FALSE(runs());
}

TEST_F(LeadershipTest, CampaignsWhenEverythingIsListed) {
  Make({});
  leadership_->Start();
  server_.executor.Run();
  EXPECT_THAT(story_, IsEmpty());
  runtime::RespondToLists(server_);
  server_.executor.Run();
  EXPECT_THAT(story_, ElementsAre("started"));
  EXPECT_TRUE(leadership_->leads());
  Stop();
}

TEST_F(LeadershipTest, ShadowsNeverLead) {
  Make({.shadow = true}, false);
  leadership_->Start();
  runtime::RespondToLists(server_);
  server_.executor.Run();
  EXPECT_FALSE(leadership_->leads());
  Stop();
}

TEST_F(LeadershipTest, ReleasesTheLeaseAfterTheSchedulerHasStopped) {
  Make({});
  leadership_->Start();
  runtime::RespondToLists(server_);
  server_.executor.Run();
  ASSERT_TRUE(runs());
  lock_.on_release = [this] { story_.push_back(runs() ? "released while it runs" : "released"); };
  Stop();
  EXPECT_THAT(story_, ElementsAre("started", "released", "stopped"));
  EXPECT_TRUE(leadership_->ending());
  EXPECT_FALSE(leadership_->lost());
}

TEST_F(LeadershipTest, DelaysTheSchedulerUntilItLeads) {
  Make({.delay_cache_until_active = true});
  lock_.delayed = true;
  leadership_->Start();
  server_.executor.Run();
  EXPECT_THAT(server_.Lines(), IsEmpty());
  EXPECT_FALSE(runs());
  std::exchange(lock_.get, nullptr)();
  EXPECT_TRUE(runs());
  lock_.delayed = false;
  Stop();
  EXPECT_FALSE(runs());
}

// The lease is acquired at the moment in which Stop begins.
TEST_F(LeadershipTest, ALateLeaseDoesNotOutliveTheEnd) {
  Make({.delay_cache_until_active = true});
  lock_.delayed = true;
  leadership_->Start();
  server_.executor.Run();
  Stop([this] {
    lock_.delayed = false;
    std::exchange(lock_.get, nullptr)();
  });
  EXPECT_THAT(story_, ElementsAre("started", "stopped"));
  EXPECT_FALSE(runs()) << "the scheduler runs although the lease is released";
  EXPECT_EQ(lock_.record->holder, "");
}

TEST_F(LeadershipTest, AcquiresNoLeaseOnceTheEndHasBegun) {
  Make({.delay_cache_until_active = true});
  lock_.delayed = true;
  leadership_->Start();
  server_.executor.Run();
  Stop();
  if (lock_.get) std::exchange(lock_.get, nullptr)();
  EXPECT_FALSE(lock_.record.has_value());
  EXPECT_THAT(story_, IsEmpty());
  EXPECT_FALSE(runs());
}

TEST_F(LeadershipTest, ALostLeaseIsReportedAndEndsLeading) {
  Make({});
  leadership_->Start();
  runtime::RespondToLists(server_);
  server_.executor.Run();
  ASSERT_TRUE(leadership_->leads());
  lock_.down = true;
  server_.executor.Advance(Duration::Seconds(60));
  EXPECT_THAT(story_, ElementsAre("started", "stopped", "lost"));
  EXPECT_FALSE(leadership_->leads());
  EXPECT_TRUE(leadership_->lost());
  Stop();
  EXPECT_EQ(lock_.record->holder, "me") << "a lost lease is not ours to release";
}

TEST(GraceWithin, EndsBeforeTheLeaseDoes) {
  const Duration five = Duration::Seconds(5);
  EXPECT_EQ(GraceWithin(Duration::Seconds(3), five), Duration::Millis(1500));
  EXPECT_EQ(GraceWithin(Duration::Seconds(60), five), five);
  EXPECT_EQ(GraceWithin(Duration::Seconds(-1), five), Duration());
}

TEST_F(LeadershipTest, ReleasesTheLeaseForThePreferredHolderAfterTheSchedulerHasStopped) {
  coordinated_ = true;
  lock_.record = client::LeaderRecord{.holder = "me", .lease_duration_seconds = 5};
  Make({});
  leadership_->Start();
  runtime::RespondToLists(server_);
  server_.executor.Run();
  ASSERT_TRUE(leadership_->leads());
  lock_.record->preferred_holder = "you";
  server_.executor.Advance(Duration::Seconds(60));
  EXPECT_THAT(story_, ElementsAre("started", "end of term"));
  EXPECT_FALSE(leadership_->leads());
  EXPECT_TRUE(leadership_->lost());
  EXPECT_EQ(lock_.record->holder, "me");
  lock_.on_release = [this] { story_.push_back(runs() ? "released while it runs" : "released"); };
  Stop();
  EXPECT_THAT(story_, ElementsAre("started", "end of term", "released", "stopped"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
