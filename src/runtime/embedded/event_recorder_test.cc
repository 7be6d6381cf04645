#include <gmock/gmock.h>

#include "runtime/embedded/store_connection_testing.h"
#include "runtime/embedded/store_writer.h"
#include "scheduler/model/cluster.h"

namespace berth::runtime::embedded {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Recorder : public ::testing::Test {
 protected:
  void Tell(std::string note, std::string reason = "FailedScheduling", std::string version = "") {
    recorder.Add({.pod = {"default", "web"},
                  .uid = "u",
                  .type = "Warning",
                  .reason = std::move(reason),
                  .action = "Scheduling",
                  .note = std::move(note),
                  .scheduler_name = "default-scheduler",
                  .resource_version = std::move(version)});
    recorder.Write(1);
  }
  void Pass(int64_t seconds) { world.clock.Advance(Duration::Seconds(seconds)); }

  EmbeddedCluster world;
  EventRecorder recorder{world.api, "here",
                         [this](const std::string& line) { world.log.push_back(line); }};
};

TEST_F(Recorder, WritesWhenItIsToldTo) {
  for (const char* note : {"a", "b", "c"}) {
    recorder.Add({.pod = {"default", "web"},
                  .uid = "u",
                  .type = "Normal",
                  .reason = "Scheduled",
                  .action = "Binding",
                  .note = note,
                  .scheduler_name = "s"});
  }
  EXPECT_THAT(world.EventsOf("web"), IsEmpty());
  recorder.Write(2);
  EXPECT_EQ(recorder.waiting(), 1U);
  EXPECT_THAT(world.EventsOf("web"), ElementsAre("Normal Scheduled: a", "Normal Scheduled: b"));
}

TEST_F(Recorder, ARepeatIsASeriesWhoseCountIsWrittenWhenItEnds) {
  Tell("full");
  Pass(300);
  Tell("full");
  EXPECT_THAT(world.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x2)"));
  Tell("full");
  Tell("full");
  EXPECT_THAT(world.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x2)"));
  Pass(420);
  EXPECT_EQ(recorder.waiting(), 1U);
  recorder.Write(1);
  EXPECT_THAT(world.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x4)"));
  Tell("full");
  EXPECT_THAT(world.EventsOf("web"),
              ElementsAre("Warning FailedScheduling: full (x4)", "Warning FailedScheduling: full"));
}

TEST_F(Recorder, TheNoteDoesNotTellEventsApartWhereThePodsVersionIsKnown) {
  Tell("full", "FailedScheduling", "7");
  Tell("fuller", "FailedScheduling", "7");
  Tell("fuller", "FailedScheduling", "8");
  EXPECT_THAT(world.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x2)",
                                                 "Warning FailedScheduling: fuller"));
}

TEST_F(Recorder, AnotherSentenceIsAnotherEvent) {
  Tell("full");
  Tell("fuller");
  Tell("full", "Other");
  EXPECT_EQ(world.EventsOf("web").size(), 3U);
}

TEST_F(Recorder, AnEventThatWasDeletedIsWrittenAnew) {
  Tell("full");
  const auto events = api::scheme::KindOf("events").collection;
  const auto name = world.store->List(events, {}).objects.at(0)->key.name;
  world.Delete("events", name);
  Tell("full");
  EXPECT_THAT(world.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x2)"));
}

TEST_F(Recorder, NamespacesThatAreGoneTakeNone) {
  recorder.Add({.pod = {"gone", "web"},
                .uid = "u",
                .type = "Normal",
                .reason = "Scheduled",
                .action = "Binding",
                .note = "n",
                .scheduler_name = "s"});
  recorder.Write(1);
  EXPECT_THAT(world.log, IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime::embedded
