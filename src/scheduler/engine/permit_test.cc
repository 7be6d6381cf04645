// Pods that Permit plugins hold back, let go or turn down.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/framework/waiting_pods.h"
#include "scheduler/queue/scheduling_queue.h"
#include "testing/scripted_engine.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

class PermitTest : public testing::Test {
 protected:
  // The plugin "Gang" holds all pods back for a minute.
  void StartHolding() {
    scripted_.AddPermit("Gang",
                        [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
    Start();
  }
  void Start() {
    scripted_.Start().Put(MakeNode("n1").Cpu("1"));
    scripted_->Put(MakePod("web").Request("cpu", "1"));
    scripted_->Schedule();
  }

  ScriptedEngine scripted_;
};

TEST_F(PermitTest, PodWaitsUntilItIsAllowed) {
  StartHolding();
  EXPECT_EQ(scripted_->Decisions(), Lines({"web -> n1"}));
  EXPECT_EQ(scripted_->engine().waiting_pods().all().size(), 1u);
  const Command announcement = scripted_->TheCommand();
  EXPECT_EQ(ScriptedEngine::Describe(announcement.write), "web nominated n1");
  scripted_->End(announcement);
  EXPECT_TRUE(scripted_->Commands().empty());
  EXPECT_EQ(scripted_->Where("web"), "assumed on n1");

  scripted_.Speak("uid-of-web", "Gang", true);
  const Command bind = scripted_->TheCommand();
  EXPECT_EQ(ScriptedEngine::Describe(bind.write), "bind web to n1");
  scripted_->End(bind);
  EXPECT_EQ(scripted_->Reports(),
            Lines({"web: Scheduled: Successfully assigned default/web to n1"}));
  EXPECT_TRUE(scripted_->engine().waiting_pods().all().empty());
  EXPECT_EQ(scripted_->engine().next_wake(), std::nullopt) << "the time-out is forgotten";
}

TEST_F(PermitTest, AnotherPodsPermitMayAllowIt) {
  scripted_.AddPermit("Gang", [](framework::Cycle&, framework::WaitingPods& waiting) {
    if (waiting.all().empty()) return Wait(60);
    for (const auto& [uid, pod] : waiting.all()) waiting.Allow(uid, "Gang");
    return framework::PermitResult{};
  });
  Start();
  scripted_.EndAnnouncement();
  scripted_->Put(MakeNode("n2").Cpu("1"));
  scripted_->Put(MakePod("second").Request("cpu", "1"));
  scripted_->Schedule();
  EXPECT_EQ(scripted_.Commands(), Lines({"bind second to n2", "bind web to n1"}));
}

TEST_F(PermitTest, PermissionMayComeBeforeTheAnnouncementHasEnded) {
  StartHolding();
  const Command announcement = scripted_->TheCommand();
  scripted_.Speak("uid-of-web", "Gang", true);
  EXPECT_TRUE(scripted_->Commands().empty());
  scripted_->End(announcement, {framework::WriteResult::Kind::kNotFound, "who cares"});
  EXPECT_EQ(scripted_.Commands(), Lines({"bind web to n1"}));
}

TEST_F(PermitTest, NodeThatThePodHasAlreadyIsNotAnnounced) {
  scripted_.AddPermit("Gang", [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
  scripted_.Start().Put(MakeNode("n1"));
  scripted_->Put(MakePod("web").Nominated("n1"));
  scripted_->Schedule();
  EXPECT_TRUE(scripted_->Commands().empty());
  EXPECT_EQ(scripted_->Where("web"), "assumed on n1");
}

TEST_F(PermitTest, AnnouncementIsTriedAgainWhileTheApiIsBusy) {
  StartHolding();
  const Command announcement = scripted_->TheCommand();
  scripted_->End(announcement, {framework::WriteResult::Kind::kUnavailable, "busy"});
  EXPECT_TRUE(scripted_->Commands().empty());
  scripted_->Pass(Duration::Millis(10));
  scripted_->Schedule();
  scripted_.EndAnnouncement();
}

TEST_F(PermitTest, RejectedPodIsRequeuedWithoutNomination) {
  scripted_.AddReserve("First");
  scripted_.AddReserve("Second");
  StartHolding();
  scripted_.EndAnnouncement();
  scripted_->Decisions();
  scripted_.log->clear();
  scripted_.Speak("uid-of-web", "Gang", false, "no quota");
  EXPECT_EQ(scripted_->Decisions(), Lines({"web failed: 0/1 nodes are available: 1 no quota."}));
  EXPECT_EQ(*scripted_.log, Lines({"Second-web", "First-web"}));
  EXPECT_EQ(scripted_->Where("web"), "pending");
  EXPECT_EQ(scripted_->CpuOn("n1"), 0);
  EXPECT_EQ(scripted_->Queue(), "0/0/1/0") << "its own capacity is no reason to try again";
  // Though the API has not shown the announcement yet.
  EXPECT_EQ(scripted_.Commands(),
            Lines({"web condition PodScheduled nominated ", "event web FailedScheduling"}));
  EXPECT_EQ(scripted_->Schedule(), 0u);
  scripted_->Put(MakeNode("n2"));
  EXPECT_EQ(scripted_->Schedule(), 1u);
}

TEST_F(PermitTest, TimeoutRejects) {
  StartHolding();
  const Instant start = scripted_->now();
  scripted_.EndAnnouncement();
  scripted_->Decisions();
  EXPECT_EQ(scripted_->engine().next_wake(), start + Duration::Seconds(60));
  scripted_->Pass(Duration::Seconds(59));
  scripted_->Schedule();
  EXPECT_EQ(scripted_->Where("web"), "assumed on n1");
  scripted_->Pass(Duration::Seconds(1));
  scripted_->Schedule();
  EXPECT_EQ(scripted_->Decisions(),
            Lines({"web failed: 0/1 nodes are available: 1 rejected due to timeout after waiting "
                   "1m0s at plugin Gang."}));
  EXPECT_EQ(scripted_->Queue(), "0/0/1/0");
}

TEST_F(PermitTest, CapacityOfARejectedPodIsOfferedToOthers) {
  StartHolding();
  scripted_.EndAnnouncement();
  scripted_->Put(MakePod("next").Request("cpu", "1"));
  scripted_->Schedule();
  EXPECT_EQ(scripted_->Queue(), "0/0/1/0");
  scripted_->Decisions();
  scripted_.Speak("uid-of-web", "Gang", false, "no quota");
  scripted_->Decisions();
  scripted_->Schedule();
  EXPECT_EQ(scripted_->Decisions(), Lines({"next -> n1"}));
}

TEST_F(PermitTest, PodDeletedWhileItWaitsLeavesNothing) {
  for (const bool announced : {false, true}) {
    SCOPED_TRACE(announced);
    ScriptedEngine scripted;
    scripted.AddPermit("Gang", [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
    scripted.Start().Put(MakeNode("n1").Cpu("1"));
    scripted->Put(MakePod("web").Request("cpu", "1"));
    scripted->Schedule();
    const Command announcement = scripted->TheCommand();
    if (announced) scripted->End(announcement);
    scripted->Remove(MakePod("web"));
    EXPECT_EQ(scripted->CpuOn("n1"), 0);
    if (!announced) scripted->End(announcement, {framework::WriteResult::Kind::kNotFound, "gone"});
    EXPECT_EQ(scripted->Where("web"), "unknown");
    EXPECT_EQ(scripted->engine().bindings_under_way(), 0u);
    EXPECT_EQ(scripted->engine().queue().sizes().in_flight, 0u);
    EXPECT_EQ(scripted->Queue(), "0/0/0/0");
    EXPECT_EQ(scripted->Reports(),
              Lines({"web is Unschedulable: 0/1 nodes are available: 1 removed.",
                     "web: FailedScheduling: 0/1 nodes are available: 1 removed."}));
  }
}

struct AnswerCase {
  const char* name;
  framework::PermitResult first;
  framework::PermitResult second;
  const char* want;
  const char* queue;
};

TEST_F(PermitTest, ResultsOfSeveralPluginsAreCombined) {
  const framework::PermitResult no{framework::Verdict(framework::Code::kUnschedulable, "no quota"),
                                   {}};
  const AnswerCase cases[] = {
      {"Both", {}, {}, "web -> n1", "0/0/0/0"},
      {"Rejected", no, {}, "web: 0/1 nodes are available: 1 no quota.", "0/0/1/0"},
      {"RejectedAfterAll", Wait(60), no, "web: 0/1 nodes are available: 1 no quota.", "0/0/1/0"},
      {"Error",
       Wait(60),
       {framework::Verdict::Error("on fire"), {}},
       "web failed: running Permit plugin \"Second\": on fire",
       "0/1/0/0"},
      {"Nonsense",
       {framework::Verdict(framework::Code::kSkip, "what?"), {}},
       {},
       "web failed: running Permit plugin \"First\": what?",
       "0/1/0/0"},
  };
  for (const AnswerCase& c : cases) {
    SCOPED_TRACE(c.name);
    ScriptedEngine scripted;
    scripted.AddReserve("Reserve");
    scripted.AddPermit("First",
                       [&](framework::Cycle&, framework::WaitingPods&) { return c.first; });
    scripted.AddPermit("Second",
                       [&](framework::Cycle&, framework::WaitingPods&) { return c.second; });
    scripted.Start().Put(MakeNode("n1"));
    scripted->Put(MakePod("web"));
    scripted->Schedule();
    EXPECT_EQ(scripted->Decisions(), Lines({c.want}));
    EXPECT_EQ(scripted->Queue(), c.queue);
    const bool placed = scripted->Where("web") == "assumed on n1";
    EXPECT_EQ(scripted.log->back(), placed ? "Reserve+web" : "Reserve-web");
    EXPECT_TRUE(scripted->engine().waiting_pods().all().empty());
  }
}

TEST_F(PermitTest, PodIsBoundWhenTheLastOfSeveralPluginsAllowsIt) {
  scripted_.AddPermit("First", [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
  scripted_.AddPermit("Second",
                      [](framework::Cycle&, framework::WaitingPods&) { return Wait(30); });
  Start();
  scripted_.EndAnnouncement();
  scripted_.Speak("uid-of-web", "Second", true);
  EXPECT_TRUE(scripted_->Commands().empty());
  scripted_->Pass(Duration::Seconds(45));
  scripted_->Schedule();
  EXPECT_EQ(scripted_->Where("web"), "assumed on n1")
      << "the second's time-out is over, but it agreed";
  scripted_.Speak("uid-of-web", "First", true);
  EXPECT_EQ(scripted_.Commands(), Lines({"bind web to n1"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
