// How victims leave the node that was chosen for a more important pod.
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
    story_->Start().Put(MakeNode("n1").Cpu("1"));
    for (MakePod victim : victims) (*story_)->Put(victim.On("n1").Request("cpu", "500m"));
    (*story_)->Put(MakePod("high").Priority(10).Request("cpu", cpu));
    (*story_)->Schedule();
    (*story_)->Decisions();
  }
  void Restart() {
    story_ = std::make_unique<ScriptedEngine>();
    told_.clear();
  }
  // Takes the commands; events and the status of "high" end well at once.
  Lines Asked() {
    std::vector<Command> all;
    story_->Asked(&all);
    Lines lines;
    commands_.clear();
    for (const Command& command : all) {
      const std::string line = ScriptedEngine::Describe(command.write);
      if (line.starts_with("high") || line.starts_with("event")) {
        told_.push_back(command);
        (*story_)->End(command);
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
    for (const Command& command : told_) {
      const auto* event = std::get_if<framework::RecordEvent>(&command.write);
      if (event == nullptr || event->reason != "Preempted") continue;
      EXPECT_EQ(event->type, "Normal");
      EXPECT_EQ(event->action, "Preempting");
      notes.push_back(event->pod.name + ": " + event->note);
    }
    return notes;
  }

  std::unique_ptr<ScriptedEngine> story_ = std::make_unique<ScriptedEngine>();
  std::vector<Command> commands_;
  std::vector<Command> told_;
};

TEST_F(EvictionTest, VictimIsMarkedThenDeletedThenReported) {
  MakePod low("low");
  low.object.metadata.generation = 4;
  Start({low});
  ASSERT_EQ(Asked(), Lines({"low condition DisruptionTarget"}));
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
  (*story_)->End(commands_[0]);
  ASSERT_EQ(Asked(), Lines({"delete low"}));
  EXPECT_EQ(std::get<framework::DeletePod>(commands_[0].write).uid, "uid-of-low");
  EXPECT_EQ(Notes(), Lines());
  (*story_)->End(commands_[0]);
  EXPECT_EQ(Asked(), Lines());
  EXPECT_EQ(Notes(), Lines({"low: Preempted by pod uid-of-high on node n1"}));

  (*story_)->Remove(MakePod("low").On("n1").Request("cpu", "500m"));
  (*story_)->Schedule();
  EXPECT_EQ((*story_)->Decisions(), Lines({"high -> n1"}));
}

TEST_F(EvictionTest, LastVictimGoesWhenTheOthersAreOnTheirWay) {
  Start({MakePod("a").Priority(2), MakePod("b").Priority(1)});
  ASSERT_EQ(Asked(), Lines({"a condition DisruptionTarget"}));
  (*story_)->End(commands_[0]);
  ASSERT_EQ(Asked(), Lines({"delete a"}));
  (*story_)->End(commands_[0]);
  ASSERT_EQ(Asked(), Lines({"b condition DisruptionTarget"}));
  (*story_)->End(commands_[0]);
  ASSERT_EQ(Asked(), Lines({"delete b"}));
  (*story_)->End(commands_[0]);
  Asked();
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
  EXPECT_EQ(Asked(), Lines({"delete low"}));
}

TEST_F(EvictionTest, MarkOfSomeoneElseIsReplacedButKeepsItsTime) {
  MakePod low("low");
  low.object.status.conditions = {{.type = "DisruptionTarget",
                                   .status = "True",
                                   .reason = "EvictionByEvictionAPI",
                                   .last_transition_time = Instant::FromUnixSeconds(5)}};
  Start({low});
  ASSERT_EQ(Asked(), Lines({"low condition DisruptionTarget"}));
  EXPECT_EQ(std::get<framework::PatchPodStatus>(commands_[0].write).condition->last_transition_time,
            Instant::FromUnixSeconds(5));
}

TEST_F(EvictionTest, VictimThatIsGoneIsAsGoodAsEvicted) {
  for (const bool at_delete : {false, true}) {
    SCOPED_TRACE(at_delete);
    Restart();
    Start({MakePod("low")});
    Asked();
    if (at_delete) {
      (*story_)->End(commands_[0]);
      Asked();
    }
    (*story_)->End(commands_[0], {Kind::kNotFound, "gone"});
    EXPECT_EQ(Asked(), Lines());
    EXPECT_EQ(Notes(), Lines()) << "nobody was preempted";
    EXPECT_FALSE((*story_)->cluster().preemptions().UnderWay("uid-of-high"));
    EXPECT_EQ((*story_)->Schedule(), 0u) << "it waits for the pod to be gone";
  }
}

TEST_F(EvictionTest, MarkIsTriedAgainWhileTheApiIsBusy) {
  Start({MakePod("low")});
  Asked();
  (*story_)->End(commands_[0], {Kind::kConflict, "busy"});
  EXPECT_EQ(Asked(), Lines());
  (*story_)->Pass(Duration::Millis(10));
  (*story_)->Schedule();
  EXPECT_EQ(Asked(), Lines({"low condition DisruptionTarget"}));
}

TEST_F(EvictionTest, FailedEvictionLetsThePodTryAgain) {
  Start({MakePod("a").Priority(2), MakePod("b").Priority(1)});
  Asked();
  (*story_)->End(commands_[0], {Kind::kRejected, "not allowed"});
  EXPECT_EQ(Asked(), Lines()) << "the last victim stays";
  EXPECT_EQ((*story_)->Queue(), "1/0/0/0");
  EXPECT_FALSE((*story_)->cluster().preemptions().UnderWay("uid-of-high"));
  EXPECT_EQ((*story_)->Schedule(), 1u);
  EXPECT_EQ(Asked(), Lines({"a condition DisruptionTarget"})) << "it begins again";
}

TEST_F(EvictionTest, PodIsHeldBackUntilItsLastVictimIsOnItsWay) {
  Start({MakePod("a").Priority(2), MakePod("b").Priority(1)});
  Asked();
  EXPECT_TRUE((*story_)->cluster().preemptions().UnderWay("uid-of-high"));
  (*story_)->Remove(MakePod("a").Priority(2).On("n1").Request("cpu", "500m"));
  EXPECT_EQ((*story_)->Queue(), "0/0/0/1") << "gated: the first victim alone does not help";
  EXPECT_EQ((*story_)->Schedule(), 0u);
  (*story_)->End(commands_[0], {Kind::kNotFound, "gone"});
  ASSERT_EQ(Asked(), Lines({"b condition DisruptionTarget"}));
  (*story_)->End(commands_[0]);
  Asked();
  (*story_)->Remove(MakePod("b").Priority(1).On("n1").Request("cpu", "500m"));
  (*story_)->Schedule();
  EXPECT_EQ((*story_)->Decisions(), Lines({"high -> n1"}));
}

TEST_F(EvictionTest, LessImportantPodsLoseTheirPromise) {
  story_->Start().Put(MakeNode("n1").Cpu("1"));
  (*story_)->Put(MakePod("low").On("n1").Request("cpu", "1"));
  (*story_)->Put(MakePod("middle").Priority(5).Request("cpu", "1").Nominated("n1"));
  (*story_)->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  (*story_)->Schedule(1);
  const Lines asked = Asked();
  EXPECT_EQ(asked, Lines({"middle nominated "}));
  (*story_)->End(commands_[0]);
  EXPECT_EQ(Asked(), Lines({"low condition DisruptionTarget"}));
}

TEST_F(EvictionTest, TerminatingVictimsAreLeftAlone) {
  Start({Terminating(MakePod("low"))});
  EXPECT_EQ(Asked(), Lines());
  EXPECT_EQ(Notes(), Lines());
  const model::PodId high = (*story_)->Find("high");
  EXPECT_EQ((*story_)->cluster().symbols().Text((*story_)->cluster().nominations().NodeOf(high)),
            "n1");
}

TEST_F(EvictionTest, PodThatWaitsAtPermitIsEvictedWithoutTheApi) {
  story_->AddPermit("Gang", [](framework::Cycle& cycle, framework::WaitingPods&) {
    return cycle.pod().object->priority() > 0 ? framework::PermitResult{} : Wait(60);
  });
  story_->Start().Put(MakeNode("n1").Cpu("1"));
  (*story_)->Put(MakePod("low").Request("cpu", "1"));
  (*story_)->Schedule();
  story_->EndAnnouncement();
  (*story_)->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  (*story_)->Decisions();
  (*story_)->Schedule();
  const Lines decisions = (*story_)->Decisions();
  ASSERT_EQ(decisions.size(), 3u);
  EXPECT_TRUE(decisions[0].starts_with("high: 0/1") || decisions[1].starts_with("high: 0/1"));
  EXPECT_EQ(decisions.back(), "high -> n1") << "at once: no write had to end";
  EXPECT_EQ(Asked(), Lines({"bind high to n1", "low condition PodScheduled nominated "}));
  EXPECT_EQ(Notes(),
            Lines({"low: Preempted by pod uid-of-high on node n1 (in kube-scheduler memory)."}));
  EXPECT_EQ((*story_)->Where("low"), "pending");
  EXPECT_EQ((*story_)->Queue(), "0/1/0/0");
}

// A new pod of the preemptor's name is not activated in its place.
TEST_F(EvictionTest, EndOfAnEvictionDoesNotTouchANewPodOfTheSameName) {
  Start({MakePod("low")});
  Asked();
  (*story_)->Remove(MakePod("high").Priority(10).Request("cpu", "1"));
  (*story_)->Put(MakePod("high").Uid("another").Request("cpu", "4"));
  (*story_)->Schedule();
  EXPECT_EQ((*story_)->Queue(), "0/0/1/0");
  (*story_)->End(commands_[0], {Kind::kRejected, "no"});
  EXPECT_EQ((*story_)->Queue(), "0/0/1/0");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
