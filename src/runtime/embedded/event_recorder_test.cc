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
  void Record(std::string note, std::string reason = "FailedScheduling", std::string version = "") {
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
  void Pass(int64_t seconds) { cluster.clock.Advance(Duration::Seconds(seconds)); }

  EmbeddedCluster cluster;
  EventRecorder recorder{cluster.api, "here",
                         [this](const std::string& line) { cluster.log.push_back(line); }};
};

TEST_F(Recorder, WritesUpToTheLimit) {
  for (const char* note : {"a", "b", "c"}) {
    recorder.Add({.pod = {"default", "web"},
                  .uid = "u",
                  .type = "Normal",
                  .reason = "Scheduled",
                  .action = "Binding",
                  .note = note,
                  .scheduler_name = "s"});
  }
  EXPECT_THAT(cluster.EventsOf("web"), IsEmpty());
  recorder.Write(2);
  EXPECT_EQ(recorder.waiting(), 1U);
  EXPECT_THAT(cluster.EventsOf("web"), ElementsAre("Normal Scheduled: a", "Normal Scheduled: b"));
}

TEST_F(Recorder, ARepeatIsASeriesWhoseCountIsWrittenWhenItEnds) {
  Record("full");
  Pass(300);
  Record("full");
  EXPECT_THAT(cluster.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x2)"));
  Record("full");
  Record("full");
  EXPECT_THAT(cluster.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x2)"));
  Pass(420);
  EXPECT_EQ(recorder.waiting(), 1U);
  recorder.Write(1);
  EXPECT_THAT(cluster.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x4)"));
  Record("full");
  EXPECT_THAT(cluster.EventsOf("web"),
              ElementsAre("Warning FailedScheduling: full (x4)", "Warning FailedScheduling: full"));
}

TEST_F(Recorder, TheNoteIsIgnoredIfTheVersionOfThePodIsKnown) {
  Record("full", "FailedScheduling", "7");
  Record("fuller", "FailedScheduling", "7");
  Record("fuller", "FailedScheduling", "8");
  EXPECT_THAT(cluster.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x2)",
                                                   "Warning FailedScheduling: fuller"));
}

TEST_F(Recorder, ADifferentNoteIsADifferentEvent) {
  Record("full");
  Record("fuller");
  Record("full", "Other");
  EXPECT_EQ(cluster.EventsOf("web").size(), 3U);
}

TEST_F(Recorder, AnEventThatWasDeletedIsWrittenAnew) {
  Record("full");
  const auto events = api::scheme::KindOf("events").collection;
  const auto name = cluster.store->List(events, {}).objects.at(0)->key.name;
  cluster.Delete("events", name);
  Record("full");
  EXPECT_THAT(cluster.EventsOf("web"), ElementsAre("Warning FailedScheduling: full (x2)"));
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
  EXPECT_THAT(cluster.log, IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime::embedded
