#include "scheduler/engine/status_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/framework/status_retries.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;
using Kind = framework::WriteResult::Kind;

framework::PatchPodStatus Says(const std::string& message,
                               std::optional<std::string> nominated = {},
                               const std::string& pod = "p") {
  api::PodCondition condition;
  condition.type = "PodScheduled";
  condition.message = message;
  return {{"default", pod}, "uid-of-" + pod, condition, std::move(nominated)};
}
framework::PatchPodStatus Nominates(const std::string& node) {
  return {{"default", "p"}, "uid-of-p", std::nullopt, node};
}

class StatusTest : public testing::Test {
 protected:
  StatusTest() { outbox_.PassTime(Instant::FromUnixSeconds(1000)); }

  // What goes out: "<pod>: <message> @<nominated node>".
  Lines Taken() {
    Lines lines;
    for (const Command& command : outbox_.TakeCommands(SIZE_MAX)) {
      const auto& patch = std::get<framework::PatchPodStatus>(command.write);
      lines.push_back(patch.pod.name + ":" +
                      (patch.condition ? " " + patch.condition->message : "") +
                      (patch.nominated_node_name ? " @" + *patch.nominated_node_name : ""));
      last_ = command.id;
    }
    return lines;
  }
  // The write that went out last ends so.
  void End(Kind kind = Kind::kOk) { EXPECT_TRUE(writer_.WriteEnded(last_, {kind, "no"})); }
  void Pass(Duration time) {
    outbox_.PassTime(outbox_.now() + time);
    writer_.PassTime(outbox_.now());
  }

  Outbox outbox_;
  StatusWriter writer_{outbox_};
  CommandId last_;
};

TEST_F(StatusTest, NewerPatchIsMergedWithAnUnsentOne) {
  writer_.Patch(Says("first", "n1"));
  writer_.Patch(Says("second"));
  EXPECT_EQ(Taken(), Lines({"p: second @n1"}));
  End();
  EXPECT_EQ(writer_.size(), 0u);
  writer_.Patch(Says("third"));
  writer_.Patch(Nominates(""));
  EXPECT_EQ(Taken(), Lines({"p: third @"}));
}

TEST_F(StatusTest, MergedPatchHasTheClaimForExtendedResources) {
  framework::PatchPodStatus patch{{"default", "p"}, "uid-of-p", {}, {}};
  patch.extended_resource_claim_status.emplace().resource_claim_name = "special";
  writer_.Patch(patch);
  writer_.Patch(Says("second"));
  const std::vector<Command> commands = outbox_.TakeCommands(SIZE_MAX);
  ASSERT_EQ(commands.size(), 1u);
  const auto& merged = std::get<framework::PatchPodStatus>(commands[0].write);
  EXPECT_EQ(merged.extended_resource_claim_status, patch.extended_resource_claim_status);
  EXPECT_EQ(merged.condition->message, "second");
}

TEST_F(StatusTest, PatchesOfOnePodAreSentInOrder) {
  writer_.Patch(Says("first"));
  EXPECT_EQ(Taken(), Lines({"p: first"}));
  writer_.Patch(Says("second", "n1"));
  writer_.Patch(Says("third"));
  writer_.Patch(Says("other", {}, "q"));
  const CommandId first = last_;
  EXPECT_EQ(Taken(), Lines({"q: other"}));
  End();
  EXPECT_TRUE(writer_.WriteEnded(first, {}));
  EXPECT_EQ(Taken(), Lines({"p: third @n1"}));
  End();
  EXPECT_EQ(writer_.size(), 0u);
}

// A nomination that is not written yet counts, since a later one must take it back.
TEST_F(StatusTest, KnowsTheNominationThatItsWritesWillLeave) {
  const auto nomination = [&] {
    const std::string* node = writer_.NominationOf("uid-of-p");
    return node == nullptr ? "unchanged" : "@" + *node;
  };
  EXPECT_EQ(nomination(), "unchanged");
  writer_.Patch(Says("first"));
  EXPECT_EQ(nomination(), "unchanged");
  Taken();
  writer_.Patch(Says("second", "n1"));  // Sent after the first.
  EXPECT_EQ(nomination(), "@n1");
  writer_.Patch(Nominates(""));
  EXPECT_EQ(nomination(), "@");
  End();
  Taken();
  End();
  EXPECT_EQ(nomination(), "unchanged");
}

TEST_F(StatusTest, BusyApiServerIsCalledFourTimesAtMost) {
  writer_.Patch(Says("hello"));
  EXPECT_EQ(Taken(), Lines({"p: hello"}));
  const int64_t pauses[] = {10, 50, 250};
  for (int64_t pause : pauses) {
    End(pause == 50 ? Kind::kUnavailable : Kind::kConflict);
    EXPECT_EQ(writer_.next_wake(), outbox_.now() + Duration::Millis(pause));
    Pass(Duration::Millis(pause - 1));
    EXPECT_EQ(Taken(), Lines());
    Pass(Duration::Millis(1));
    EXPECT_EQ(Taken(), Lines({"p: hello"}));
  }
  End(Kind::kConflict);
  EXPECT_EQ(writer_.next_wake(), std::nullopt);
  EXPECT_EQ(writer_.size(), 0u);
}

TEST_F(StatusTest, RejectedPatchIsNotRetried) {
  for (Kind kind : {Kind::kNotFound, Kind::kRejected, Kind::kTimeout}) {
    writer_.Patch(Says("hello"));
    EXPECT_EQ(Taken(), Lines({"p: hello"}));
    End(kind);
    EXPECT_EQ(writer_.size(), 0u);
    EXPECT_EQ(writer_.next_wake(), std::nullopt);
  }
}

TEST_F(StatusTest, NewerPatchIsMergedWithOneThatWaitsForARetry) {
  writer_.Patch(Says("first", "n1"));
  Taken();
  End(Kind::kUnavailable);
  writer_.Patch(Says("second"));
  EXPECT_EQ(Taken(), Lines());
  Pass(Duration::Millis(10));
  EXPECT_EQ(Taken(), Lines({"p: second @n1"}));
}

// A patch that failed is not dropped because another is queued behind it.
TEST_F(StatusTest, FailedPatchIsMergedWithTheOneBehindIt) {
  writer_.Patch(Says("first", "n1"));
  Taken();
  writer_.Patch(Says("second"));
  End(Kind::kUnavailable);
  EXPECT_EQ(Taken(), Lines({"p: second @n1"}));
  End();
  EXPECT_EQ(writer_.size(), 0u);
}

TEST_F(StatusTest, PatchBehindARejectedOneIsSentAlone) {
  writer_.Patch(Says("first", "n1"));
  Taken();
  writer_.Patch(Says("second"));
  End(Kind::kRejected);
  EXPECT_EQ(Taken(), Lines({"p: second"}));
}

TEST_F(StatusTest, ResultsOfOtherWritesAreIgnored) {
  EXPECT_FALSE(writer_.WriteEnded(CommandId{7}, {}));
  writer_.Patch(Says("hello"));
  Taken();
  End();
  EXPECT_FALSE(writer_.WriteEnded(last_, {})) << "reported twice";
}

Task<int> SettleAndSay(StatusWriter& writer, bool& settled) {
  co_await writer.Settle("uid-of-p");
  settled = true;
  co_return 0;
}

TEST_F(StatusTest, SettlingDropsUnsentPatches) {
  struct Case {
    const char* name;
    std::function<void()> prepare;
  };
  const Case cases[] = {
      {"Nothing", [] {}},
      {"NotYetOut", [&] { writer_.Patch(Says("hello")); }},
      {"WaitsForItsNextTry",
       [&] {
         writer_.Patch(Says("hello"));
         Taken();
         End(Kind::kConflict);
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    c.prepare();
    bool settled = false;
    Task<int> task = SettleAndSay(writer_, settled);
    task.Start();
    EXPECT_TRUE(settled);
    EXPECT_EQ(Taken(), Lines());
    EXPECT_EQ(writer_.size(), 0u);
    EXPECT_EQ(writer_.next_wake(), std::nullopt);
  }
}

TEST_F(StatusTest, SettlingWaitsForWhatIsUnderWay) {
  for (Kind kind : {Kind::kOk, Kind::kConflict, Kind::kNotFound}) {
    writer_.Patch(Says("first"));
    Taken();
    writer_.Patch(Says("second"));
    bool settled = false;
    Task<int> task = SettleAndSay(writer_, settled);
    task.Start();
    EXPECT_FALSE(settled);
    End(kind);
    EXPECT_TRUE(settled);
    EXPECT_EQ(Taken(), Lines()) << "neither tried again nor followed by the second";
    EXPECT_EQ(writer_.size(), 0u);
  }
}

Task<framework::WriteResult> WriteHello(Outbox& outbox) {
  const framework::PatchPodStatus patch = Says("hello");
  co_return co_await framework::WriteStatus(outbox, patch);
}

TEST_F(StatusTest, AwaitedWriteIsRetriedToo) {
  Task<framework::WriteResult> task = WriteHello(outbox_);
  task.Start();
  for (int64_t pause : {10, 50, 250}) {
    EXPECT_EQ(Taken(), Lines({"p: hello"}));
    outbox_.WriteEnded(last_, {Kind::kUnavailable, "busy"});
    EXPECT_EQ(outbox_.next_wake(), outbox_.now() + Duration::Millis(pause));
    Pass(Duration::Millis(pause));
  }
  EXPECT_EQ(Taken(), Lines({"p: hello"}));
  EXPECT_FALSE(task.done());
  outbox_.WriteEnded(last_, {Kind::kUnavailable, "busy"});
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result().message, "busy");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
