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
    story_.AddPermit("Gang", [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
    Start();
  }
  void Start() {
    story_.Start().Put(MakeNode("n1").Cpu("1"));
    story_->Put(MakePod("web").Request("cpu", "1"));
    story_->Schedule();
  }

  ScriptedEngine story_;
};

TEST_F(PermitTest, PodWaitsUntilItIsAllowed) {
  StartHolding();
  EXPECT_EQ(story_->Decisions(), Lines({"web -> n1"}));
  EXPECT_EQ(story_->engine().waiting_pods().all().size(), 1u);
  const Command announcement = story_->TheCommand();
  EXPECT_EQ(ScriptedEngine::Describe(announcement.write), "web nominated n1");
  story_->End(announcement);
  EXPECT_TRUE(story_->Commands().empty());
  EXPECT_EQ(story_->Where("web"), "assumed on n1");

  story_.Speak("uid-of-web", "Gang", true);
  const Command bind = story_->TheCommand();
  EXPECT_EQ(ScriptedEngine::Describe(bind.write), "bind web to n1");
  story_->End(bind);
  EXPECT_EQ(story_->Told(), Lines({"web: Scheduled: Successfully assigned default/web to n1"}));
  EXPECT_TRUE(story_->engine().waiting_pods().all().empty());
  EXPECT_EQ(story_->engine().next_wake(), std::nullopt) << "the time-out is forgotten";
}

TEST_F(PermitTest, AnotherPodsPermitMayLetItGo) {
  story_.AddPermit("Gang", [](framework::Cycle&, framework::WaitingPods& waiting) {
    if (waiting.all().empty()) return Wait(60);
    for (const auto& [uid, pod] : waiting.all()) waiting.Allow(uid, "Gang");
    return framework::PermitResult{};
  });
  Start();
  story_.EndAnnouncement();
  story_->Put(MakeNode("n2").Cpu("1"));
  story_->Put(MakePod("second").Request("cpu", "1"));
  story_->Schedule();
  EXPECT_EQ(story_.Asked(), Lines({"bind second to n2", "bind web to n1"}));
}

TEST_F(PermitTest, PermissionMayComeBeforeTheAnnouncementHasEnded) {
  StartHolding();
  const Command announcement = story_->TheCommand();
  story_.Speak("uid-of-web", "Gang", true);
  EXPECT_TRUE(story_->Commands().empty());
  story_->End(announcement, {framework::WriteResult::Kind::kNotFound, "who cares"});
  EXPECT_EQ(story_.Asked(), Lines({"bind web to n1"}));
}

TEST_F(PermitTest, NodeThatThePodHasAlreadyIsNotAnnounced) {
  story_.AddPermit("Gang", [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
  story_.Start().Put(MakeNode("n1"));
  story_->Put(MakePod("web").Nominated("n1"));
  story_->Schedule();
  EXPECT_TRUE(story_->Commands().empty());
  EXPECT_EQ(story_->Where("web"), "assumed on n1");
}

TEST_F(PermitTest, AnnouncementIsTriedAgainWhileTheApiIsBusy) {
  StartHolding();
  const Command announcement = story_->TheCommand();
  story_->End(announcement, {framework::WriteResult::Kind::kUnavailable, "busy"});
  EXPECT_TRUE(story_->Commands().empty());
  story_->Pass(Duration::Millis(10));
  story_->Schedule();
  story_.EndAnnouncement();
}

TEST_F(PermitTest, RejectedPodWaitsAndIsNominatedNoLonger) {
  story_.AddReserve("First");
  story_.AddReserve("Second");
  StartHolding();
  story_.EndAnnouncement();
  story_->Decisions();
  story_.log->clear();
  story_.Speak("uid-of-web", "Gang", false, "no quota");
  EXPECT_EQ(story_->Decisions(), Lines({"web failed: 0/1 nodes are available: 1 no quota."}));
  EXPECT_EQ(*story_.log, Lines({"Second-web", "First-web"}));
  EXPECT_EQ(story_->Where("web"), "pending");
  EXPECT_EQ(story_->CpuOn("n1"), 0);
  EXPECT_EQ(story_->Queue(), "0/0/1/0") << "its own room is no reason to try again";
  // Though the API has not shown the announcement yet.
  EXPECT_EQ(story_.Asked(),
            Lines({"web condition PodScheduled nominated ", "event web FailedScheduling"}));
  EXPECT_EQ(story_->Schedule(), 0u);
  story_->Put(MakeNode("n2"));
  EXPECT_EQ(story_->Schedule(), 1u);
}

TEST_F(PermitTest, TimeoutRejects) {
  StartHolding();
  const Instant start = story_->now();
  story_.EndAnnouncement();
  story_->Decisions();
  EXPECT_EQ(story_->engine().next_wake(), start + Duration::Seconds(60));
  story_->Pass(Duration::Seconds(59));
  story_->Schedule();
  EXPECT_EQ(story_->Where("web"), "assumed on n1");
  story_->Pass(Duration::Seconds(1));
  story_->Schedule();
  EXPECT_EQ(story_->Decisions(),
            Lines({"web failed: 0/1 nodes are available: 1 rejected due to timeout after waiting "
                   "1m0s at plugin Gang."}));
  EXPECT_EQ(story_->Queue(), "0/0/1/0");
}

TEST_F(PermitTest, RoomOfARejectedPodIsOfferedToOthers) {
  StartHolding();
  story_.EndAnnouncement();
  story_->Put(MakePod("next").Request("cpu", "1"));
  story_->Schedule();
  EXPECT_EQ(story_->Queue(), "0/0/1/0");
  story_->Decisions();
  story_.Speak("uid-of-web", "Gang", false, "no quota");
  story_->Decisions();
  story_->Schedule();
  EXPECT_EQ(story_->Decisions(), Lines({"next -> n1"}));
}

TEST_F(PermitTest, PodDeletedWhileItWaitsLeavesNothing) {
  for (const bool announced : {false, true}) {
    SCOPED_TRACE(announced);
    ScriptedEngine story;
    story.AddPermit("Gang", [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
    story.Start().Put(MakeNode("n1").Cpu("1"));
    story->Put(MakePod("web").Request("cpu", "1"));
    story->Schedule();
    const Command announcement = story->TheCommand();
    if (announced) story->End(announcement);
    story->Remove(MakePod("web"));
    EXPECT_EQ(story->CpuOn("n1"), 0);
    if (!announced) story->End(announcement, {framework::WriteResult::Kind::kNotFound, "gone"});
    EXPECT_EQ(story->Where("web"), "unknown");
    EXPECT_EQ(story->engine().bindings_under_way(), 0u);
    EXPECT_EQ(story->engine().queue().sizes().in_flight, 0u);
    EXPECT_EQ(story->Queue(), "0/0/0/0");
    EXPECT_EQ(story->Told(), Lines({"web is Unschedulable: 0/1 nodes are available: 1 removed.",
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

TEST_F(PermitTest, AnswersOfSeveralPluginsAddUp) {
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
    ScriptedEngine story;
    story.AddReserve("Reserve");
    story.AddPermit("First", [&](framework::Cycle&, framework::WaitingPods&) { return c.first; });
    story.AddPermit("Second", [&](framework::Cycle&, framework::WaitingPods&) { return c.second; });
    story.Start().Put(MakeNode("n1"));
    story->Put(MakePod("web"));
    story->Schedule();
    EXPECT_EQ(story->Decisions(), Lines({c.want}));
    EXPECT_EQ(story->Queue(), c.queue);
    const bool placed = story->Where("web") == "assumed on n1";
    EXPECT_EQ(story.log->back(), placed ? "Reserve+web" : "Reserve-web");
    EXPECT_TRUE(story->engine().waiting_pods().all().empty());
  }
}

TEST_F(PermitTest, PodGoesOnWhenTheLastOfSeveralPluginsAllowsIt) {
  story_.AddPermit("First", [](framework::Cycle&, framework::WaitingPods&) { return Wait(60); });
  story_.AddPermit("Second", [](framework::Cycle&, framework::WaitingPods&) { return Wait(30); });
  Start();
  story_.EndAnnouncement();
  story_.Speak("uid-of-web", "Second", true);
  EXPECT_TRUE(story_->Commands().empty());
  story_->Pass(Duration::Seconds(45));
  story_->Schedule();
  EXPECT_EQ(story_->Where("web"), "assumed on n1")
      << "the second's time-out is over, but it agreed";
  story_.Speak("uid-of-web", "First", true);
  EXPECT_EQ(story_.Asked(), Lines({"bind web to n1"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
