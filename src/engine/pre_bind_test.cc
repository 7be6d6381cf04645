// PreBind plugins that take their time: side by side, one after the other, and cut short.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/story_world.h"

namespace berth {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

class PreBindTest : public testing::Test {
 protected:
  void Start() {
    story_.Start().Put(MakeNode("n1").Cpu("1"));
    story_->Put(MakePod("low").Request("cpu", "1"));
    story_->Schedule();
    story_.EndAnnouncement();
    story_->Decisions();
  }
  void PassSeconds(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      story_->Pass(Duration::Seconds(1));
      story_->Schedule();
    }
  }

  StoryWorld story_;
};

TEST_F(PreBindTest, ThoseThatMayRunSideBySide) {
  story_.AddPreBind("A", {.seconds = 3});
  story_.AddPreBind("B", {.seconds = 2});
  Start();
  EXPECT_EQ(*story_.log, Lines({"A begins", "B begins"}));
  PassSeconds(3);
  EXPECT_EQ(*story_.log, Lines({"A begins", "B begins", "B ends", "A ends"}));
  EXPECT_EQ(story_.Asked(), Lines({"bind low to n1"}));
}

TEST_F(PreBindTest, OthersRunAloneAndInOrder) {
  story_.AddPreBind("A", {.seconds = 1});
  story_.AddPreBind("B", {.seconds = 1, .in_parallel = false});
  story_.AddPreBind("C", {.seconds = 2});
  story_.AddPreBind("D", {.seconds = 1});
  Start();
  PassSeconds(4);
  EXPECT_EQ(*story_.log, Lines({"A begins", "A ends", "B begins", "B ends", "C begins", "D begins",
                                "D ends", "C ends"}));
}

TEST_F(PreBindTest, ThoseWithNothingToDoArePassedOver) {
  story_.AddPreBind("A", {.seconds = 1});
  story_.AddPreBind("Idle", {.in_parallel = false, .plan = Verdict::Skip()});
  story_.AddPreBind("B", {.seconds = 1});
  Start();
  EXPECT_EQ(*story_.log, Lines({"A begins", "B begins"}));
}

// The first failure is the answer, and the others need not go on.
TEST_F(PreBindTest, FailureOfOneStopsTheOthers) {
  story_.AddPreBind("Slow", {.seconds = 600});
  story_.AddPreBind("Broken", {.seconds = 2, .answer = Verdict::Error("disk on fire")});
  story_.AddPreBind("Later", {.seconds = 1, .in_parallel = false});
  Start();
  PassSeconds(3);
  EXPECT_EQ(*story_.log, Lines({"Slow begins", "Broken begins", "Broken ends", "Slow gives up"}));
  EXPECT_EQ(story_->Decisions(),
            Lines({"low failed: running PreBind plugin \"Broken\": disk on fire"}));
  EXPECT_EQ(story_->Where("low"), "pending");
  EXPECT_EQ(story_->engine().bindings_under_way(), 0u);
}

TEST_F(PreBindTest, MoreImportantPodCutsItShort) {
  story_.AddPreBind("Slow", {.seconds = 600});
  story_.AddPreBind("Later", {.seconds = 1, .in_parallel = false});
  Start();
  story_->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  story_->Schedule();
  EXPECT_EQ(story_.Asked(), Lines({"high condition PodScheduled nominated n1",
                                   "event low Preempted", "event high FailedScheduling"}));
  story_->Decisions();
  PassSeconds(1);
  EXPECT_EQ(*story_.log, Lines({"Slow begins", "Slow gives up"}));
  EXPECT_EQ(story_->Decisions(),
            Lines({"low failed: preempted by DefaultPreemption", "high -> n1"}));
  EXPECT_EQ(story_->Queue(), "0/1/0/0");
}

// The victim is cancelled already: nothing is to be deleted for the second pod either.
TEST_F(PreBindTest, SecondPreemptorFindsItCutShortAlready) {
  story_.AddPreBind("Slow", {.seconds = 600});
  Start();
  story_->Put(MakePod("high").Priority(10).Request("cpu", "1"));
  story_->Schedule();
  story_->Put(MakePod("higher").Priority(20).Request("cpu", "1"));
  story_->Schedule();
  for (const std::string& line : story_.Asked()) EXPECT_NE(line, "delete low");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
