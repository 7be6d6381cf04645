#include "scheduler/recording/replay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/engine/attempt_report.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/recording/recording_engine.h"
#include "scheduler/recording/recording_testing.h"
#include "testing/object_builders.h"
#include "testing/require.h"

namespace berth::scheduler::recording {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

constexpr Instant kNoon = Instant::FromUnixSeconds(1'767'268'800);

std::unique_ptr<engine::Engine> MakeEngine(const RecordingHeader& header) {
  return Require(engine::Engine::Make(Require(OptionsFor(header)), plugins::InTreeRegistry()));
}

// A short run: two nodes, three pods of which the last is too big, and a bind that fails.
std::string RecordARun() {
  std::string bytes;
  RecordWriter writer(DefaultHeader(), AppendTo(bytes));
  const auto engine = MakeEngine(DefaultHeader());
  RecordingEngine recording(*engine, &writer);
  Instant now = kNoon;
  auto handle = [&](engine::Event event) {
    now = now + Duration::Millis(1);
    recording.Handle(event, now);
  };
  handle(engine::ObjectPut{MakeNode("n1").Cpu("2").ref()});                // Record 1.
  handle(engine::ObjectPut{MakeNode("n2").Cpu("1").ref()});                // 2
  handle(engine::ObjectPut{MakePod("a").Request("cpu", "1500m").ref()});   // 3
  handle(engine::ObjectPut{MakePod("b").Request("cpu", "900m").ref()});    // 4
  handle(engine::ObjectPut{MakePod("c").Request("cpu", "8").ref()});       // 5
  EXPECT_EQ(recording.Schedule(now), 3u);                                  // 6; its result is 7.
  const std::vector<engine::Command> commands = recording.TakeCommands();  // 8
  EXPECT_GE(commands.size(), 2u);
  handle(engine::WriteDone{commands[0].id, {}});  // 9
  const framework::WriteResult conflict{framework::WriteResult::Kind::kConflict, "taken already"};
  handle(engine::WriteDone{commands[1].id, conflict});  // 10; the failed bind is reported in 11.
  recording.TakeCommands();                             // 12
  recording.TakeCommands();                             // Not recorded: without effect.
  writer.Close();
  return bytes;
}

// Notes the outcomes.
class Outcomes final : public engine::AttemptObserver {
 public:
  std::vector<std::string> lines;

  uint64_t OnAttempt(const engine::AttemptReport& report) override {
    lines.push_back(fmt::format("{} {}", report.pod.object->metadata.name, report.node));
    return lines.size();
  }
  void OnBindingEnd(const engine::BindingReport& report) override {
    lines.push_back(fmt::format("{} {}", report.attempt, report.bound ? "bound" : "not bound"));
  }
  void OnSizes(const Now&, const framework::EngineSizes&) override {}
  void OnCommand(const Now&, framework::WriteLane) override {}
};

ReplayReport MustReplay(const std::string& bytes) {
  const auto reader = MustOpen(bytes);
  return Require(Replay(*reader, plugins::InTreeRegistry(), {.paranoid = true}));
}

// Returns the same recording with record `number` changed.
std::string Tampered(const std::string& bytes, size_t number, auto change) {
  const auto reader = MustOpen(bytes);
  std::vector<Record> records = AllRecords(*reader);
  change(records.at(number - 1));
  return RecordingOf(records, reader->header());
}

TEST(ReplayTest, AnObserverLearnsAllAttempts) {
  Outcomes outcomes;
  const auto reader = MustOpen(RecordARun());
  Require(Replay(*reader, plugins::InTreeRegistry(), {.attempts = &outcomes}));
  EXPECT_EQ(outcomes.lines,
            std::vector<std::string>({"a n1", "b n2", "c ", "1 bound", "2 not bound"}));
}

TEST(Replay, OfAnUnchangedRecordingIsIdentical) {
  const ReplayReport report = MustReplay(RecordARun());
  EXPECT_TRUE(report.identical()) << report.mismatch->ToString();
  EXPECT_EQ(report.events, 7u);
  EXPECT_EQ(report.schedules, 1u);
  EXPECT_EQ(report.decisions, 4u);
  EXPECT_EQ(report.placed, 2u);
  EXPECT_EQ(report.end.kind, RecordingEnd::Kind::kClosed);
  EXPECT_EQ(report.end.records, 12u);
}

TEST(Replay, ReportsADifferentDecision) {
  const std::string bytes = Tampered(RecordARun(), 7, [](Record& record) {
    std::string& decision = std::get<DecisionsRecord>(record).decisions.at(1);
    decision.replace(decision.find("n2"), 2, "n1");
  });
  const ReplayReport report = MustReplay(bytes);
  ASSERT_FALSE(report.identical());
  EXPECT_EQ(report.mismatch->ToString(),
            "record 7: after schedule, at 2026-01-01T12:00:00.005Z\n"
            R"(  recorded: decision {"pod":"default/b","outcome":"placed","node":"n1"})"
            "\n"
            R"(  replayed: decision {"pod":"default/b","outcome":"placed","node":"n2"})");
}

TEST(Replay, ReportsAnAdditionalDecision) {
  const ReplayReport report = MustReplay(Tampered(RecordARun(), 7, [](Record& record) {
    std::get<DecisionsRecord>(record).decisions.emplace_back("one more");
  }));
  ASSERT_FALSE(report.identical());
  EXPECT_EQ(report.mismatch->record, 7u);
  EXPECT_EQ(report.mismatch->recorded, "decision one more");
  EXPECT_EQ(report.mismatch->replayed, "nothing");
}

TEST(Replay, ReportsADecisionOfAnEvent) {
  const ReplayReport report =
      MustReplay(Tampered(RecordARun(), 11, [](Record& record) { record = CommandsRecord{}; }));
  ASSERT_FALSE(report.identical());
  EXPECT_EQ(report.mismatch->record, 11u);
  EXPECT_EQ(report.mismatch->call,
            "end of write 1: conflict, taken already, at 2026-01-01T12:00:00.007Z");
  EXPECT_EQ(report.mismatch->recorded, "nothing");
  EXPECT_THAT(report.mismatch->replayed, HasSubstr(R"("pod":"default/b","outcome":"failed")"));
}

TEST(Replay, ReportsADifferentNumberOfPods) {
  const ReplayReport report = MustReplay(Tampered(
      RecordARun(), 7, [](Record& record) { std::get<DecisionsRecord>(record).tried = 4; }));
  ASSERT_FALSE(report.identical());
  EXPECT_EQ(report.mismatch->recorded, "4 pods tried");
  EXPECT_EQ(report.mismatch->replayed, "3 pods tried");
}

TEST(Replay, ReportsADifferentCommand) {
  const ReplayReport report = MustReplay(Tampered(RecordARun(), 8, [](Record& record) {
    std::string& command = std::get<CommandsRecord>(record).commands.at(0);
    command.replace(command.find("bind"), 4, "kind");
  }));
  ASSERT_FALSE(report.identical());
  EXPECT_EQ(report.mismatch->record, 8u);
  EXPECT_THAT(report.mismatch->recorded, HasSubstr(R"("write":"kind","pod":"default/a")"));
  EXPECT_THAT(report.mismatch->replayed, HasSubstr(R"("write":"bind","pod":"default/a")"));
}

TEST(Replay, ReportsAMissingResult) {
  const ReplayReport report =
      MustReplay(Tampered(RecordARun(), 7, [](Record& record) { record = CommandsRecord{}; }));
  ASSERT_FALSE(report.identical());
  EXPECT_EQ(report.mismatch->record, 7u);
  EXPECT_EQ(report.mismatch->recorded, "nothing");
  EXPECT_THAT(report.mismatch->replayed, HasSubstr("decision"));
}

// A changed event is only visible in a later result.
TEST(Replay, ReportsTheFirstResultThatAChangedEventAffects) {
  const ReplayReport report = MustReplay(Tampered(RecordARun(), 2, [](Record& record) {
    std::get<HandleCall>(record).event = engine::ObjectPut{MakeNode("n2").Cpu("500m").ref()};
  }));
  ASSERT_FALSE(report.identical());
  EXPECT_EQ(report.mismatch->record, 7u);
  EXPECT_THAT(report.mismatch->recorded, HasSubstr(R"("default/b","outcome":"placed")"));
  EXPECT_THAT(report.mismatch->replayed, HasSubstr(R"("default/b","outcome":"unschedulable")"));
}

TEST(Replay, ReplaysTheCompleteRecordsOfACutOffRecording) {
  const std::string bytes = RecordARun();
  const ReplayReport report = MustReplay(bytes.substr(0, bytes.size() - 12));
  EXPECT_TRUE(report.identical());
  EXPECT_EQ(report.end.kind, RecordingEnd::Kind::kCutOff);
  EXPECT_EQ(report.end.records, 11u);
  EXPECT_EQ(report.decisions, 4u);
}

TEST(Replay, ReportsItsProgress) {
  const auto reader = MustOpen(RecordARun());
  std::vector<uint64_t> reported;
  ReplayOptions options;
  options.progress = [&](const ReplayReport&, uint64_t records) { reported.push_back(records); };
  ASSERT_TRUE(Replay(*reader, plugins::InTreeRegistry(), options).has_value());
  EXPECT_THAT(reported, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
}

TEST(Replay, RequiresAValidConfiguration) {
  const auto unreadable = MustOpen(RecordingOf({}, {"p", "nonsense: 1\n", 0}));
  const auto report = Replay(*unreadable, plugins::InTreeRegistry());
  ASSERT_FALSE(report.has_value());
  EXPECT_THAT(report.error().message, HasSubstr("the recorded configuration: "));
  const auto reader = MustOpen(RecordingOf({}));
  EXPECT_FALSE(Replay(*reader, framework::Registry()).has_value());  // No plugins at all.
}

TEST(RecordingEngine, WithoutAWriterOnlyForwardsCalls) {
  const auto engine = MakeEngine(DefaultHeader());
  RecordingEngine recording(*engine);
  recording.Handle(engine::ObjectPut{MakeNode("n1").ref()}, kNoon);
  recording.Handle(engine::ObjectPut{MakePod("a").ref()}, kNoon);
  EXPECT_EQ(recording.Schedule(kNoon), 1u);
  EXPECT_EQ(recording.TakeCommands().size(), 1u);
  EXPECT_EQ(recording.engine().cluster().nodes().present_count(), 1u);
}

TEST(RecordingEngine, ForwardsDecisions) {
  struct Counter final : engine::DecisionObserver {
    void OnDecision(const engine::Decision&) override { ++count; }
    int count = 0;
  } counter;
  std::string bytes;
  RecordWriter writer(DefaultHeader(), AppendTo(bytes));
  const auto engine = MakeEngine(DefaultHeader());
  RecordingEngine recording(*engine, &writer);
  recording.Observe(&counter);
  recording.Handle(engine::ObjectPut{MakeNode("n1").ref()}, kNoon);
  recording.Handle(engine::ObjectPut{MakePod("a").ref()}, kNoon);
  recording.Schedule(kNoon);
  EXPECT_EQ(counter.count, 1);
}

// The recording of a program that crashes must end with the call at fault.
TEST(RecordingEngine, WritesACallBeforeItIsMade) {
  struct BytesObserver final : engine::DecisionObserver {
    void OnDecision(const engine::Decision&) override { seen = *bytes; }
    const std::string* bytes = nullptr;
    std::string seen;
  } observer;
  std::string bytes;
  RecordWriter writer(DefaultHeader(), AppendTo(bytes));
  const auto engine = MakeEngine(DefaultHeader());
  RecordingEngine recording(*engine, &writer);
  observer.bytes = &bytes;
  recording.Observe(&observer);
  recording.Handle(engine::ObjectPut{MakeNode("n1").ref()}, kNoon);
  recording.Handle(engine::ObjectPut{MakePod("a").ref()}, kNoon);
  recording.Schedule(kNoon, 5);
  const auto reader = MustOpen(observer.seen);
  const std::vector<Record> records = AllRecords(*reader);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(std::get<ScheduleCall>(records[2]), (ScheduleCall{kNoon, 5}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::recording
