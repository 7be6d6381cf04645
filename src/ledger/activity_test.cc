#include "ledger/activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace berth::ledger {
namespace BERTH_TEST_FILE {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr Instant kStart = Instant::FromUnixSeconds(1'700'000'000);
static_assert(kStart.since_epoch() % ActivityLog::kStep == Duration{});

Instant At(int64_t seconds) { return kStart + Duration::Seconds(seconds); }

const std::vector<uint32_t>& Decisions(const Activity& activity, Outcome outcome) {
  return activity.decisions[static_cast<size_t>(outcome)];
}

TEST(ActivityLogTest, CountsByStep) {
  ActivityLog log;
  log.CountDecision(At(0), Outcome::kAssumed, Duration{900}, 0);
  log.CountDecision(At(4), Outcome::kAssumed, Duration{1000}, 0);
  log.CountDecision(At(5), Outcome::kNominated, Duration::Seconds(1000), 3);
  log.CountBinding(At(6), true, Duration::Millis(1));
  log.CountBinding(At(14), false, {});
  log.CountCalls(At(14), ApiLane::kBind, 2);
  const Activity activity = log.Read(At(14), Duration::Seconds(15));
  EXPECT_EQ(activity.start, kStart);
  EXPECT_EQ(activity.step, ActivityLog::kStep);
  EXPECT_THAT(Decisions(activity, Outcome::kAssumed), ElementsAre(2, 0, 0));
  EXPECT_THAT(Decisions(activity, Outcome::kNominated), ElementsAre(0, 1, 0));
  EXPECT_THAT(activity.preemptions, ElementsAre(0, 1, 0));
  EXPECT_THAT(activity.victims, ElementsAre(0, 3, 0));
  EXPECT_THAT(activity.binds, ElementsAre(0, 1, 0));
  EXPECT_THAT(activity.bind_failures, ElementsAre(0, 0, 1));
  EXPECT_THAT(activity.api_calls[static_cast<size_t>(ApiLane::kBind)], ElementsAre(0, 0, 2));
  EXPECT_EQ(activity.attempt_latency[0][0], 1u);  // Below a microsecond.
  EXPECT_EQ(activity.attempt_latency[0][1], 1u);
  EXPECT_EQ(activity.attempt_latency[1][kLatencyBuckets - 1], 1u);
  EXPECT_EQ(activity.bound_latency[1][10], 1u);  // 512 to 1,023 µs.
  EXPECT_EQ(LatencyBound(10), Duration{1'024'000});
}

TEST(ActivityLogTest, WideStepsAreSums) {
  ActivityLog log;
  for (int64_t second = 0; second < 60; ++second)
    log.CountDecision(At(second), Outcome::kAssumed, {}, 0);
  EXPECT_THAT(
      Decisions(log.Read(At(59), Duration::Seconds(60), Duration::Seconds(18)), Outcome::kAssumed),
      ElementsAre(20, 20, 20));
}

TEST(ActivityLogTest, OldStepsAreForgotten) {
  ActivityLog log;
  log.CountDecision(At(0), Outcome::kAssumed, {}, 0);
  log.CountDecision(At(5 * ActivityLog::kSteps), Outcome::kError, {}, 0);
  const Activity activity = log.Read(At(5 * ActivityLog::kSteps), Duration::Seconds(100'000));
  EXPECT_EQ(activity.binds.size(), ActivityLog::kSteps);
  EXPECT_THAT(Decisions(activity, Outcome::kAssumed), Each(0));
  EXPECT_EQ(Decisions(activity, Outcome::kError).back(), 1u);
  // An idle scheduler: the last step lies before the window.
  EXPECT_THAT(Decisions(log.Read(At(100'000), Duration::Seconds(900)), Outcome::kError), Each(0));
}

TEST(ActivityLogTest, QueuesKeepTheirLengthUntilItChanges) {
  ActivityLog log;
  log.SetQueues(At(0), {.active = 5});
  log.SetQueues(At(3), {.active = 7, .gated = 1});
  log.CountDecision(At(11), Outcome::kAssumed, {}, 0);
  const Activity activity = log.Read(At(24), Duration::Seconds(20));
  EXPECT_THAT(activity.queues, Each(QueueLengths{.active = 7, .gated = 1}));
}

TEST(ActivityLogTest, ReasonsAreNamedAndLimited) {
  ActivityLog log;
  for (size_t i = 0; i < 1000; ++i) {
    const uint8_t number = log.ReasonNumber(At(0), "Plugin", "reason " + std::to_string(i));
    log.CountReason(At(0), number);
    if (i == 3) log.CountReason(At(5), number);
  }
  const Activity activity = log.Read(At(5), Duration::Seconds(10));
  ASSERT_EQ(activity.reasons.size(), ActivityLog::kReasons);
  EXPECT_EQ(activity.reasons[0].text, "other");
  EXPECT_THAT(activity.reasons[0].attempts, ElementsAre(1000 - ActivityLog::kReasons + 1, 0));
  EXPECT_EQ(activity.reasons[1].text, "Plugin: reason 3");
  EXPECT_THAT(activity.reasons[1].attempts, ElementsAre(1, 1));
}

TEST(ActivityLogTest, ReasonsThatNoStepHasMakeRoom) {
  ActivityLog log;
  for (size_t i = 0; i < ActivityLog::kReasons; ++i)
    log.CountReason(At(0), log.ReasonNumber(At(0), "P", std::to_string(i)));
  const uint64_t version = log.reasons_version();
  const Instant later = At(5 * ActivityLog::kSteps);
  log.CountReason(later, log.ReasonNumber(later, "P", "new"));
  EXPECT_NE(log.reasons_version(), version);
  const Activity activity = log.Read(later, Duration::Seconds(900));
  ASSERT_EQ(activity.reasons.size(), 1u);
  EXPECT_EQ(activity.reasons[0].text, "P: new");
}

TEST(ActivityLogTest, ReadersMeetTheWriter) {
  ActivityLog log;
  std::atomic<bool> ended = false;
  std::thread writer([&] {
    for (int64_t i = 0; i < 20'000; ++i) {
      log.CountDecision(At(i), Outcome::kAssumed, {}, 0);
      log.CountReason(At(i), log.ReasonNumber(At(i), "P", std::to_string(i / 50)));
      log.SetQueues(At(i), {.active = static_cast<uint32_t>(i)});
    }
    ended = true;
  });
  while (!ended) {
    const Activity activity = log.Read(At(10'000), Duration::Seconds(900));
    for (uint32_t count : Decisions(activity, Outcome::kAssumed)) EXPECT_LE(count, 5u);
  }
  writer.join();
}

}  // namespace
}  // namespace BERTH_TEST_FILE
}  // namespace berth::ledger
