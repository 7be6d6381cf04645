#include "scheduler/framework/waiting_pods.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

class WaitingTest : public testing::Test {
 protected:
  void Add(const std::string& uid, const std::map<std::string, Duration, std::less<>>& timeouts) {
    pods_.Add(uid, {"default", uid}, "n1", timeouts, now_);
  }
  void Pass(Duration time) {
    now_ = now_ + time;
    pods_.PassTime(now_);
  }
  // "a: ok", or "a: <code> by <plugin>: <message>".
  Lines Resolved() {
    Lines lines;
    for (const auto& [uid, verdict] : pods_.TakeResolved()) {
      lines.push_back(verdict.ok() ? uid + ": ok"
                                   : fmt::format("{}: {} by {}: {}", uid, ToString(verdict.code()),
                                                 verdict.plugin(), verdict.Message()));
    }
    return lines;
  }

  Instant now_ = Instant::FromUnixSeconds(1000);
  WaitingPods pods_;
};

constexpr Duration kMinute = Duration::Seconds(60);

TEST_F(WaitingTest, PodIsAllowedWhenEachPluginHasAllowedIt) {
  Add("a", {{"Gang", kMinute}, {"Quota", kMinute}});
  EXPECT_TRUE(pods_.Waits("a"));
  EXPECT_TRUE(pods_.Allow("a", "Gang"));
  EXPECT_TRUE(pods_.Allow("a", "Gang"));
  EXPECT_TRUE(pods_.Allow("a", "Nobody"));
  EXPECT_EQ(Resolved(), Lines());
  EXPECT_TRUE(pods_.Waits("a"));
  EXPECT_TRUE(pods_.Allow("a", "Quota"));
  EXPECT_FALSE(pods_.Waits("a"));
  EXPECT_EQ(Resolved(), Lines({"a: ok"}));
  EXPECT_EQ(Resolved(), Lines());
  EXPECT_TRUE(pods_.all().empty());
}

TEST_F(WaitingTest, OnePluginMayReject) {
  Add("a", {{"Gang", kMinute}, {"Quota", kMinute}});
  EXPECT_TRUE(pods_.Reject("a", "Quota", "too much"));
  EXPECT_EQ(Resolved(), Lines({"a: Unschedulable by Quota: too much"}));
}

TEST_F(WaitingTest, PreemptionIsAnError) {
  Add("a", {{"Gang", kMinute}});
  EXPECT_TRUE(pods_.Preempt("a"));
  EXPECT_EQ(Resolved(), Lines({"a: Error by : preempted"}));
}

TEST_F(WaitingTest, FirstOutcomeStands) {
  Add("a", {{"Gang", kMinute}});
  EXPECT_TRUE(pods_.Allow("a", "Gang"));
  EXPECT_FALSE(pods_.Reject("a", "Gang", "no"));
  EXPECT_FALSE(pods_.Preempt("a"));
  EXPECT_FALSE(pods_.Allow("a", "Gang"));
  Pass(kMinute);
  EXPECT_EQ(Resolved(), Lines({"a: ok"}));
  EXPECT_FALSE(pods_.Allow("a", "Gang")) << "it is forgotten";
}

TEST_F(WaitingTest, PodsThatDoNotWaitCannotBeResolved) {
  EXPECT_FALSE(pods_.Allow("a", "Gang"));
  EXPECT_FALSE(pods_.Reject("a", "Gang", "no"));
  EXPECT_FALSE(pods_.Preempt("a"));
  EXPECT_FALSE(pods_.Waits("a"));
  EXPECT_EQ(pods_.next_wake(), std::nullopt);
}

TEST_F(WaitingTest, OutcomesComeInTheOrderInWhichTheyWereReached) {
  for (const char* uid : {"a", "b", "c"}) Add(uid, {{"Gang", kMinute}});
  pods_.Allow("c", "Gang");
  pods_.Reject("a", "Gang", "no");
  pods_.Allow("b", "Gang");
  EXPECT_EQ(Resolved(), Lines({"c: ok", "a: Unschedulable by Gang: no", "b: ok"}));
}

struct TimeoutCase {
  const char* name;
  Duration timeout;
  Duration until;
  const char* want;
};

TEST_F(WaitingTest, TimeoutNamesDurationAndPlugin) {
  const TimeoutCase cases[] = {
      {"Minutes", Duration::Seconds(90), Duration::Seconds(90),
       "rejected due to timeout after waiting 1m30s at plugin Gang"},
      {"Millis", Duration::Millis(250), Duration::Millis(250),
       "rejected due to timeout after waiting 250ms at plugin Gang"},
      {"AtMostAQuarterOfAnHour", Duration::Seconds(7200), Duration::Seconds(900),
       "rejected due to timeout after waiting 15m0s at plugin Gang"},
      {"AtOnce", {}, {}, "rejected due to timeout after waiting 0s at plugin Gang"},
  };
  for (const TimeoutCase& c : cases) {
    SCOPED_TRACE(c.name);
    Add("a", {{"Gang", c.timeout}});
    EXPECT_EQ(pods_.next_wake(), now_ + c.until);
    if (c.until.nanos > 0) {
      Pass({c.until.nanos - 1});
      EXPECT_EQ(Resolved(), Lines());
      Pass({1});
    } else {
      Pass({});
    }
    EXPECT_EQ(Resolved(), Lines({std::string("a: Unschedulable by Gang: ") + c.want}));
    EXPECT_EQ(pods_.next_wake(), std::nullopt);
  }
}

TEST_F(WaitingTest, ShortestTimeoutOfThePendingPluginsCounts) {
  Add("a", {{"Long", Duration::Seconds(60)}, {"Short", Duration::Seconds(10)}});
  EXPECT_EQ(pods_.next_wake(), now_ + Duration::Seconds(10));
  pods_.Allow("a", "Short");
  EXPECT_EQ(pods_.next_wake(), now_ + Duration::Seconds(60));
  Pass(Duration::Seconds(59));
  EXPECT_EQ(Resolved(), Lines());
  Pass(Duration::Seconds(1));
  EXPECT_EQ(Resolved(), Lines({"a: Unschedulable by Long: rejected due to timeout after waiting "
                               "1m0s at plugin Long"}));
}

// The time-out of an earlier wait does not cut a later one short.
TEST_F(WaitingTest, RequeuedPodStartsANewTimeout) {
  Add("a", {{"Gang", kMinute}});
  pods_.Reject("a", "Gang", "not yet");
  Resolved();
  Pass(Duration::Seconds(20));
  Add("a", {{"Gang", kMinute}});
  EXPECT_EQ(pods_.next_wake(), now_ + kMinute);
  Pass(Duration::Seconds(40));
  EXPECT_EQ(Resolved(), Lines());
  EXPECT_TRUE(pods_.Waits("a"));
  Pass(Duration::Seconds(20));
  EXPECT_EQ(Resolved(), Lines({"a: Unschedulable by Gang: rejected due to timeout after waiting "
                               "1m0s at plugin Gang"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
