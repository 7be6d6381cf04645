// Eviction of the victims of a preemption: marking, deleting, reporting, and failures of each.
#include "scheduler/engine/eviction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/scripted_engine.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;
using Kind = framework::WriteResult::Kind;

class EvictionTest : public testing::Test {
 protected:
  // A node full of `victims`, each with half a cpu, and the pod "high" that needs all of it.
  void Start(const std::vector<MakePod>& victims, const std::string& cpu = "1") {
    scripted_->Start().Put(MakeNode("n1").Cpu("1"));
    for (MakePod victim : victims) (*scripted_)->Put(victim.On("n1").Request("cpu", "500m"));
    (*scripted_)->Put(MakePod("high").Priority(10).Request("cpu", cpu));
    (*scripted_)->Schedule();
    (*scripted_)->Decisions();
  }
  void Restart() {
    scripted_ = std::make_unique<ScriptedEngine>();
    completed_.clear();
  }
  // Takes the commands. Events and status patches of "high" succeed at once.
  Lines TakeWrites() {
    std::vector<Command> all;
    scripted_->Commands(&all);
    Lines lines;
    commands_.clear();
    for (const Command& command : all) {
      const std::string line = ScriptedEngine::Describe(command.write);
      if (line.starts_with("high") || line.starts_with("event")) {
        completed_.push_back(command);
        (*scripted_)->End(command);
      } else {
        lines.push_back(line);
        commands_.push_back(command);
      }
    }
    return lines;
  }
  // The notes of the Preempted events so far.
  Lines Notes() {
    Lines notes;
    for (const Command& command : completed_) {
      const auto* event = std::get_if<framework::RecordEvent>(&command.write);
      if (event == nullptr || event->reason != "Preempted") continue;
      EXPECT_EQ(event->type, "Normal");
      EXPECT_EQ(event->action, "Preempting");
      notes.push_back(event->pod.name + ": " + event->note);
    }
    return notes;
  }

  // Without the feature SchedulerAsyncPreemption.
  void Synchronously() { scripted_->features.scheduler_async_preemption = false; }

  std::unique_ptr<ScriptedEngine> scripted_ = std::make_unique<ScriptedEngine>();
  std::vector<Command> commands_;
  std::vector<Command> completed_;
};

TEST_F(EvictionTest, VictimIsMarkedThenDeletedThenReported) {
  MakePod low("low");
  low.object.metadata.generation = 4;
  Start({low});
  ASSERT_EQ(TakeWrites(), Lines({"low condition DisruptionTarget"}));
  const auto& patch = std::get<framework::PatchPodStatus>(commands_[0].write);
  EXPECT_EQ(patch.uid, "uid-of-low");
  EXPECT_EQ(*patch.condition,
            (api::PodCondition{
                .type = "DisruptionTarget",
                .status = "True",
                .reason = "PreemptionByScheduler",
                .message = "default-scheduler: preempting to accommodate a higher priority pod",
                .last_transition_time = patch.condition->last_transition_time,
                .observed_generation = 4}));
  EXPECT_TRUE(patch.condition->last_transition_time.has_value());
  (*scripted_)->End(commands_[0]);
  ASSERT_EQ(TakeWrites(), Lines({"delete low"}));
  EXPECT_EQ(std::get<framework::DeletePod>(commands_[0].write).uid, "uid-of-low");
  EXPECT_EQ(Notes(), Lines());
  (*scripted_)->End(commands_[0]);
  EXPECT_EQ(TakeWrites(), Lines());
  EXPECT_EQ(Notes(), Lines({"low: Preempted by pod uid-of-high on node n1"}));

  (*scripted_)->Remove(MakePod("low").On("n1").Request("cpu", "500m"));
  (*scripted_)->Schedule();
  EXPECT_EQ((*scripted_)->Decisions(), Lines({"high -> n1"}));
}

TEST_F(EvictionTest, LastVictimIsEvictedAfterTheOthers) {
  Start({MakePod("a").Priority(2), MakePod("b").Priority(1)});
  ASSERT_EQ(TakeWrites(), Lines({"a condition DisruptionTarget"}));
  (*scripted_)->End(commands_[0]);
  ASSERT_EQ(TakeWrites(), Lines({"delete a"}));
  (*scripted_)->End(commands_[0]);
  ASSERT_EQ(TakeWrites(), Lines({"b condition DisruptionTarget"}));
  (*scripted_)->End(commands_[0]);
  ASSERT_EQ(TakeWrites(), Lines({"delete b"}));
  (*scripted_)->End(commands_[0]);
  TakeWrites();
  EXPECT_EQ(Notes(), Lines({"a: Preempted by pod uid-of-high on node n1",
                            "b: Preempted by pod uid-of-high on node n1"}));
}

TEST_F(EvictionTest, MarkIsNotWrittenTwice) {
  MakePod low("low");
  low.object.status.conditions = {
      {.type = "DisruptionTarget",
       .status = "True",
       .reason = "PreemptionByScheduler",
       .message = "default-scheduler: preempting to accommodate a higher priority pod"}};
  Start({low});
  EXPECT_EQ(TakeWrites(), Lines({"delete low"}));
}

TEST_F(EvictionTest, ExistingConditionIsReplacedButKeepsItsTransitionTime) {
  MakePod low("low");
  low.object.status.conditions = {{.type = "DisruptionTarget",
                                   .status = "True",
                                   .reason = "EvictionByEvictionAPI",
                                   .last_transition_time = Instant::FromUnixSeconds(5)}};
  Start({low});
  ASSERT_EQ(TakeWrites(), Lines({"low condition DisruptionTarget"}));
  EXPECT_EQ(std::get<framework::PatchPodStatus>(commands_[0].write).condition->last_transition_time,
            Instant::FromUnixSeconds(5));
}

TEST_F(EvictionTest, DeletedVictimCountsAsEvicted) {
  for (const bool at_delete : {false, true}) {
    SCOPED_TRACE(at_delete);
    Restart();
    Start({MakePod("low")});
    TakeWrites();
    if (at_delete) {
      (*scripted_)->End(commands_[0]);
      TakeWrites();
    }
    (*scripted_)->End(commands_[0], {Kind::kNotFound, "gone"});
    EXPECT_EQ(TakeWrites(), Lines());
    EXPECT_EQ(Notes(), Lines()) << "no pod was preempted";
    EXPECT_FALSE((*scripted_)->cluster().preemptions().UnderWay("uid-of-high"));
    EXPECT_EQ((*scripted_)->Schedule(), 0u) << "it waits for the pod to be gone";
  }
}

TEST_F(EvictionTest, MarkIsTriedAgainWhileTheApiIsBusy) {
  Start({MakePod("low")});
  TakeWrites();
  (*scripted_)->End(commands_[0], {Kind::kConflict, "busy"});
  EXPECT_EQ(TakeWrites(), Lines());
  (*scripted_)->Pass(Duration::Millis(10));
  (*scripted_)->Schedule();
  EXPECT_EQ(TakeWrites(), Lines({"low condition DisruptionTarget"}));
}

TEST_F(EvictionTest, FailedEvictionLetsThePodTryAgain) {
  Start({MakePod("a").Priority(2), MakePod("b").Priority(1)});
  TakeWrites();
  (*scripted_)->End(commands_[0], {Kind::kRejected, "not allowed"});
  EXPECT_EQ(TakeWrites(), Lines()) << "the last victim stays";
  EXPECT_EQ((*scripted_)->Queue(), "1/0/0/0");
  EXPECT_FALSE((*scripted_)->cluster().preemptions().UnderWay("uid-of-high"));
  EXPECT_EQ((*scripted_)->Schedule(), 1u);
  EXPECT_EQ(TakeWrites(), Lines({"a condition DisruptionTarget"})) << "it begins again";
}

TEST_F(EvictionTest, PreemptorIsHeldBackUntilItsLastVictimIsEvicted) {
  Start({MakePod("a").Priority(2), MakePod("b").Priority(1)});
  TakeWrites();
  EXPECT_TRUE((*scripted_)->cluster().preemptions().UnderWay("uid-of-high"));
  (*scripted_)->Remove(MakePod("a").Priority(2).On("n1").Request("cpu", "500m"));
  EXPECT_EQ((*scripted_)->Queue(), "0/0/0/1") << "gated: the first victim alone does not help";
  EXPECT_EQ((*scripted_)->Schedule(), 0u);
  (*scripted_)->End(commands_[0], {Kind::kNotFound, "gone"});
  ASSERT_EQ(TakeWrites(), Lines({"b condition DisruptionTarget"}));
  (*scripted_)->End(commands_[0]);
  TakeWrites();
  (*scripted_)->Remove(MakePod("b").Priority(1).On("n1").Request("cpu", "500m"));
  (*scripted_)->Schedule();
  EXPECT_EQ((*scripted_)->Decisions(), Lines({"high -> n1"}));
}

TEST_F(EvictionTest, LowerPriorityPodsLoseTheirNomination) {
  scripted_->Start().Put(MakeNode("n1").Cpu("1"));
  (*scripted_)->Put(MakePod("low").On("n1").Request("cpu", "1"));
  (*scripted_)->Put(MakePod("middle").Priority(5).Request("cpu", "1").Nominated("n1"));
  (*scripted_)->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  (*scripted_)->Schedule(1);
  const Lines writes = TakeWrites();
  EXPECT_EQ(writes, Lines({"middle nominated "}));
  (*scripted_)->End(commands_[0]);
  EXPECT_EQ(TakeWrites(), Lines({"low condition DisruptionTarget"}));
}

TEST_F(EvictionTest, TerminatingVictimsAreNotEvictedAgain) {
  Start({Terminating(MakePod("low"))});
  EXPECT_EQ(TakeWrites(), Lines());
  EXPECT_EQ(Notes(), Lines());
  const model::PodId high = (*scripted_)->Find("high");
  EXPECT_EQ(
      (*scripted_)->cluster().symbols().Text((*scripted_)->cluster().nominations().NodeOf(high)),
      "n1");
}

TEST_F(EvictionTest, PodThatWaitsAtPermitIsEvictedWithoutTheApi) {
  scripted_->AddPermit("Gang", [](framework::Cycle& cycle, framework::WaitingPods&) {
    return cycle.pod().object->priority() > 0 ? framework::PermitResult{} : Wait(60);
  });
  scripted_->Start().Put(MakeNode("n1").Cpu("1"));
  (*scripted_)->Put(MakePod("low").Request("cpu", "1"));
  (*scripted_)->Schedule();
  scripted_->EndAnnouncement();
  (*scripted_)->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  (*scripted_)->Decisions();
  (*scripted_)->Schedule();
  const Lines decisions = (*scripted_)->Decisions();
  ASSERT_EQ(decisions.size(), 3u);
  EXPECT_TRUE(decisions[0].starts_with("high: 0/1") || decisions[1].starts_with("high: 0/1"));
  EXPECT_EQ(decisions.back(), "high -> n1") << "at once: no write had to end";
  EXPECT_EQ(TakeWrites(), Lines({"bind high to n1", "low condition PodScheduled nominated "}));
  EXPECT_EQ(Notes(),
            Lines({"low: Preempted by pod uid-of-high on node n1 (in kube-scheduler memory)."}));
  EXPECT_EQ((*scripted_)->Where("low"), "pending");
  EXPECT_EQ((*scripted_)->Queue(), "0/1/0/0");
}

// A new pod of the preemptor's name is not activated in its place.
TEST_F(EvictionTest, EndOfAnEvictionDoesNotTouchANewPodOfTheSameName) {
  Start({MakePod("low")});
  TakeWrites();
  (*scripted_)->Remove(MakePod("high").Priority(10).Request("cpu", "1"));
  (*scripted_)->Put(MakePod("high").Uid("another").Request("cpu", "4"));
  (*scripted_)->Schedule();
  EXPECT_EQ((*scripted_)->Queue(), "0/0/1/0");
  (*scripted_)->End(commands_[0], {Kind::kRejected, "no"});
  EXPECT_EQ((*scripted_)->Queue(), "0/0/1/0");
}

// --- without the feature SchedulerAsyncPreemption ---

TEST_F(EvictionTest, SynchronouslyTheCycleLastsUntilAllVictimsAreDeleted) {
  Synchronously();
  scripted_->Start().Put(MakeNode("n1").Cpu("1"));
  for (const char* name : {"a", "b"})
    (*scripted_)->Put(MakePod(name).On("n1").Request("cpu", "500m"));
  (*scripted_)->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  (*scripted_)->Put(MakePod("other").Priority(1));
  EXPECT_EQ((*scripted_)->Schedule(), 1u);
  EXPECT_EQ((*scripted_)->Decisions(), Lines()) << "the cycle has not ended";
  ASSERT_EQ(TakeWrites(), Lines({"a condition DisruptionTarget", "b condition DisruptionTarget"}));
  const std::vector<Command> marks = commands_;
  (*scripted_)->End(marks[0]);
  EXPECT_EQ((*scripted_)->Schedule(), 0u) << "no other pod is tried meanwhile";
  ASSERT_EQ(TakeWrites(), Lines({"delete a"}));
  const Command deletion = commands_[0];
  (*scripted_)->End(marks[1]);
  ASSERT_EQ(TakeWrites(), Lines({"delete b"}));
  (*scripted_)->End(commands_[0]);
  EXPECT_EQ((*scripted_)->Decisions(), Lines());
  (*scripted_)->End(deletion);
  EXPECT_EQ((*scripted_)->Decisions(),
            Lines({"high: 0/1 nodes are available: 1 Insufficient cpu."}));
  EXPECT_EQ((*scripted_)->Queue(), "1/0/1/0") << "it waits ungated, and the other is ready";
  EXPECT_EQ(TakeWrites(), Lines());
  EXPECT_EQ(Notes(), Lines({"b: Preempted by pod uid-of-high on node n1",
                            "a: Preempted by pod uid-of-high on node n1"}));
  const auto& nominations = (*scripted_)->cluster().nominations();
  EXPECT_TRUE(nominations.NodeOf((*scripted_)->Find("high")).valid());
  (*scripted_)->Schedule();
  EXPECT_EQ((*scripted_)->Decisions().size(), 1u);
}

TEST_F(EvictionTest, SynchronouslyEventsOfTheCycleRequeueThePreemptor) {
  Synchronously();
  Start({MakePod("low")});
  ASSERT_EQ(TakeWrites(), Lines({"low condition DisruptionTarget"}));
  (*scripted_)->End(commands_[0]);
  ASSERT_EQ(TakeWrites(), Lines({"delete low"}));
  // The API shows the deletion before it answers.
  (*scripted_)->Remove(MakePod("low").On("n1").Request("cpu", "500m"));
  (*scripted_)->End(commands_[0]);
  EXPECT_EQ((*scripted_)->Queue(), "0/1/0/0");
  (*scripted_)->Decisions();
  (*scripted_)->Schedule();
  EXPECT_EQ((*scripted_)->Decisions(), Lines({"high -> n1"}));
}

TEST_F(EvictionTest, SynchronouslyAFailureEndsTheCycleWithoutANomination) {
  Synchronously();
  Start({MakePod("a").Priority(2), MakePod("b").Priority(1)});
  ASSERT_EQ(TakeWrites(), Lines({"a condition DisruptionTarget", "b condition DisruptionTarget"}));
  const std::vector<Command> marks = commands_;
  (*scripted_)->End(marks[0], {Kind::kRejected, "not allowed"});
  (*scripted_)->End(marks[1]);
  EXPECT_EQ((*scripted_)->Decisions(),
            Lines({"high: 0/1 nodes are available: 1 Insufficient cpu. preemption: not allowed"}));
  EXPECT_EQ(TakeWrites(), Lines()) << "nothing is deleted after the failure";
  const auto& nominations = (*scripted_)->cluster().nominations();
  EXPECT_FALSE(nominations.NodeOf((*scripted_)->Find("high")).valid());
  EXPECT_EQ((*scripted_)->Queue(), "0/0/1/0");
}

TEST_F(EvictionTest, SynchronouslyLowerPriorityPodsLoseTheirNominationAfterwards) {
  Synchronously();
  scripted_->Start().Put(MakeNode("n1").Cpu("1"));
  (*scripted_)->Put(MakePod("low").On("n1").Request("cpu", "1"));
  (*scripted_)->Put(MakePod("waits").Priority(1).Request("cpu", "1").Nominated("n1"));
  (*scripted_)->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  (*scripted_)->Schedule(1);
  ASSERT_EQ(TakeWrites(), Lines({"low condition DisruptionTarget"}));
  (*scripted_)->End(commands_[0]);
  ASSERT_EQ(TakeWrites(), Lines({"delete low"}));
  (*scripted_)->End(commands_[0]);
  ASSERT_EQ(TakeWrites(), Lines({"waits nominated "}));
  // A failure here does not matter.
  (*scripted_)->End(commands_[0], {Kind::kRejected, "not allowed"});
  EXPECT_EQ((*scripted_)->Decisions().size(), 1u);
  const auto& nominations = (*scripted_)->cluster().nominations();
  EXPECT_FALSE(nominations.NodeOf((*scripted_)->Find("waits")).valid());
  EXPECT_TRUE(nominations.NodeOf((*scripted_)->Find("high")).valid());
}

TEST_F(EvictionTest, SynchronouslyAPreemptorThatIsDeletedMeanwhileIsForgotten) {
  Synchronously();
  Start({MakePod("low")});
  ASSERT_EQ(TakeWrites(), Lines({"low condition DisruptionTarget"}));
  (*scripted_)->Remove(MakePod("high").Priority(10).Request("cpu", "1"));
  (*scripted_)->End(commands_[0]);
  ASSERT_EQ(TakeWrites(), Lines({"delete low"}));
  (*scripted_)->End(commands_[0]);
  EXPECT_EQ((*scripted_)->Queue(), "0/0/0/0");
  EXPECT_EQ((*scripted_)->engine().queue().sizes().in_flight, 0u);
  EXPECT_EQ((*scripted_)->Schedule(), 0u);
}

TEST_F(EvictionTest, SynchronouslyAMarkIsRetriedWhileTimePasses) {
  Synchronously();
  Start({MakePod("low")});
  ASSERT_EQ(TakeWrites(), Lines({"low condition DisruptionTarget"}));
  (*scripted_)->End(commands_[0], {Kind::kUnavailable, "busy"});
  EXPECT_EQ(TakeWrites(), Lines());
  (*scripted_)->Pass(Duration::Seconds(1));
  EXPECT_EQ((*scripted_)->Schedule(), 0u);
  EXPECT_EQ(TakeWrites(), Lines({"low condition DisruptionTarget"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
