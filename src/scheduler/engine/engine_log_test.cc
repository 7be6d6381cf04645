// The engine's log: the messages of tests/reference/log_messages.tsv, each with its level and keys,
// as runs of the engine give them, and no others.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "scheduler/framework/log.h"
#include "testing/scripted_engine.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

// Notes each message as a row of the table: its level, text and keys.
class NotedLog final : public framework::LogSink {
 public:
  explicit NotedLog(int level = 10) : LogSink(level_), level_(level) {}

  void Write(const framework::LogMessage& message) override {
    std::vector<std::string_view> keys;
    for (const LogField& field : message.fields) keys.push_back(field.key);
    const bool is_error = message.level == framework::LogMessage::kError;
    const std::string level = is_error ? "error" : fmt::format("V{}", message.level);
    rows_.insert(fmt::format("{}\t{}\t{}", level, message.text, fmt::join(keys, ",")));
    highest_ = std::max(highest_, message.level);
  }

  const std::set<std::string>& rows() const { return rows_; }
  int highest() const { return highest_; }

 private:
  std::atomic<int> level_;
  std::set<std::string> rows_;
  int highest_ = framework::LogMessage::kError;
};

// An engine whose messages are noted.
class Story : public ScriptedEngine {
 public:
  explicit Story(NotedLog& noted) { engine_log = &noted; }

  // Lets the engine try all pods, and executes its commands.
  void Run() {
    EngineHarness& harness = **this;
    for (int i = 0; i < 4; ++i) {
      harness.Schedule();
      for (const Command& command : harness.Commands()) {
        const auto* bind = std::get_if<framework::BindPod>(&command.write);
        api::Pod pod;
        if (bind != nullptr) pod = *harness.cluster().pod(harness.Find(bind->pod.name)).object;
        harness.End(command);
        if (bind == nullptr) continue;
        pod.spec.node_name = bind->node;
        harness.Put(std::make_shared<const api::Pod>(std::move(pod)));
      }
    }
  }
};

MakeNode SmallNode(const char* name) { return MakeNode(name).Cpu("2").Pods("10"); }
MakePod BigPod(const char* name) { return MakePod(name).Request("cpu", "64"); }

// Pods are bound, changed and deleted; nodes come, change and go.
void Binds(NotedLog& log) {
  Story story(log);
  story.Start().Put(MakePod("early").ref());
  story.Run();  // There are no nodes.
  story->Put(SmallNode("n1").Zone("z1").ref());
  story->Put(SmallNode("n2").ref());
  story->Pass(Duration::Seconds(20));
  story.Run();
  story->Put(MakePod("web").ref());
  story.Run();
  const MakePod running = MakePod("web").On("n1").Label("a", "b");
  story->Put(running.ref());
  story->Remove(running.ref());
  story->Put(SmallNode("n1").Zone("z2").ref());
  story->Remove(SmallNode("n2").ref());
  story->Put(Terminating(MakePod("going")).ref());
  story.Run();
}

// Pods fit nowhere; events wake them or do not.
void Waits(NotedLog& log) {
  Story story(log);
  story.Start().Put(SmallNode("n1").ref());
  story->Put(BigPod("big").ref());
  story.Run();
  story->Put(BigPod("big").Label("a", "b").ref());
  story->Put(BigPod("big").Label("a", "b").Tolerates("k", "v", "NoSchedule").ref());
  story->Put(SmallNode("n1").Label("a", "b").ref());
  story->Put(MakePod("web").ref());
  story->Schedule();
  story->Put(SmallNode("n2").ref());  // While web is bound.
  story->Put(MakePod("web").Label("a", "b").Tolerates("k", "v", "NoSchedule").ref());
  story.Run();
  story->Put(MakePod("gated").Gate("wait").ref());
  story->Put(MakePod("gated").ref());  // Its gate is gone.
  story.Run();
  story->Put(SmallNode("n3").Cpu("128").ref());
  story->Pass(Duration::Seconds(20));
  story.Run();
  story->Remove(BigPod("big").ref());
  // Flushed because it has waited for too long.
  story->Put(MakePod("flushed").NodeSelector("no", "such").ref());
  story.Run();
  story->Pass(Duration::Seconds(400));
  story->Put(SmallNode("n4").Label("no", "such").ref());
  story.Run();
  story->Put(MakePod("unclaimed").Mounts("nothing").ref());
  story.Run();
}

// A pod preempts others: one that runs, one that waits for Permit, and one that is prepared.
void Preempts(NotedLog& log) {
  for (const bool waits : {false, true}) {
    Story story(log);
    if (waits) {
      story.AddPermit("Hold", [](framework::Cycle& cycle, framework::WaitingPods&) {
        return cycle.pod().key().name == "waiting" ? Wait(600) : framework::PermitResult{};
      });
    }
    story.AddPreBind("Prepare", {.seconds = 600});
    story.Start().Put(MakeNode("n1").Cpu("3").ref());
    const MakePod victim = MakePod("running").Request("cpu", "1").On("n1");
    story->Put(victim.ref());
    story->Put(Terminating(MakePod("leaving")).Request("cpu", "1").On("n1").ref());
    story->Put(MakePod("waiting").Request("cpu", "1").ref());
    story.Run();
    story->Put(MakePod("high").Priority(10).Request("cpu", "3").ref());
    story.Run();
    story->Put(MakePod("never").Priority(10).Request("cpu", "3").ref());
    MakePod never = MakePod("humble").Priority(10).Request("cpu", "3");
    never.object.spec.preemption_policy = "Never";
    story->Put(never.ref());
    story.Run();
  }
}

// The API refuses what a preemption writes, or has no such victim any more.
void FailsToPreempt(NotedLog& log) {
  using Kind = framework::WriteResult::Kind;
  struct Answer {
    bool to_patch;
    Kind kind;
  };
  for (const Answer& answer : {Answer{true, Kind::kConflict}, Answer{true, Kind::kNotFound},
                               Answer{false, Kind::kConflict}, Answer{false, Kind::kNotFound}}) {
    Story story(log);
    story.Start().Put(MakeNode("n1").Cpu("1").ref());
    story->Put(MakePod("low").Request("cpu", "1").On("n1").ref());
    story->Put(MakePod("high").Priority(10).Request("cpu", "1").ref());
    story->Schedule();
    for (int i = 0; i < 8; ++i) {
      std::vector<Command> commands;
      story.Commands(&commands);
      for (const Command& command : commands) {
        const auto* patch = std::get_if<framework::PatchPodStatus>(&command.write);
        const bool patches = patch != nullptr && patch->pod.name == "low";
        const bool deletes = std::holds_alternative<framework::DeletePod>(command.write);
        const bool fails = answer.to_patch ? patches : deletes;
        story->End(command, fails ? framework::WriteResult{answer.kind, "refused"}
                                  : framework::WriteResult{});
      }
      story->Pass(Duration::Seconds(20));
      story->Schedule();
    }
  }
}

// Permit plugins hold, allow and reject pods.
void Permits(NotedLog& log) {
  Story story(log);
  story.AddPermit("Hold", [](framework::Cycle& cycle, framework::WaitingPods&) {
    if (cycle.pod().key().name == "refused")
      return framework::PermitResult{{framework::Code::kUnschedulable, "no"}, {}};
    if (cycle.pod().key().name == "broken")
      return framework::PermitResult{framework::Verdict::Error("broken"), {}};
    return Wait(60);
  });
  story.Start().Put(SmallNode("n1").ref());
  for (const char* name : {"allowed", "rejected", "refused", "broken"})
    story->Put(MakePod(name).ref());
  story.Run();
  story->Put(SmallNode("n2").ref());
  story.Speak("uid-of-allowed", "Hold", true);
  story.Speak("uid-of-rejected", "Hold", false, "not now");
  story.Run();
}

// Plugins reject a pod, or fail, while it is prepared and bound; the pod goes meanwhile.
void FailsToBind(NotedLog& log) {
  using framework::Code;
  for (const framework::Verdict& verdict :
       {framework::Verdict(Code::kUnschedulable, "no"), framework::Verdict::Error("broken")}) {
    for (const char* step : {"Reserve", "PreBind", "Plan"}) {
      Story story(log);
      const std::string_view point = step;
      if (point == "Reserve") {
        story.AddReserve("Fails", verdict);
      } else {
        PreBindScript script;
        (point == "Plan" ? script.plan : script.answer) = verdict;
        story.AddPreBind("Fails", script);
      }
      story.Start().Put(SmallNode("n1").ref());
      story->Put(MakePod("web").ref());
      story.Run();
    }
  }
  for (const char* name : {"gone", "new", "elsewhere", "late"}) {
    Story story(log);
    story.Start().Put(SmallNode("n1").ref());
    const std::string_view what = name;
    story->Put(MakePod(name).ref());
    story->Schedule();
    const std::vector<Command> commands = story->Commands();
    if (what == "gone" || what == "new") story->Remove(MakePod(name).ref());
    if (what == "new") story->Put(MakePod(name).Uid("another").ref());
    if (what == "elsewhere") story->Put(MakePod(name).On("n1").ref());
    for (const Command& command : commands) story->Fail(command, "refused");
    story.Run();
  }
}

class RejectingBinder final : public framework::BindPlugin {
 public:
  explicit RejectingBinder(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  Task<framework::Verdict> Bind(framework::BindingContext&) const override {
    co_return framework::Verdict(framework::Code::kUnschedulable, "no");
  }

 private:
  const std::string name_;
};

// Profiles without some of the default plugins.
void LacksPlugins(NotedLog& log) {
  Story story(log);
  framework::ProfileConfig config = DefaultProfile();
  std::erase_if(config.multi_point.enabled, [](const framework::PluginChoice& plugin) {
    return plugin.name == "DefaultBinder" || plugin.name == "DefaultPreemption" ||
           plugin.name == "DynamicResources" || plugin.name == "PodTopologySpread" ||
           plugin.name == "InterPodAffinity";
  });
  story.UseProfile(std::move(config));
  story.Add<RejectingBinder>("Rejects");
  story.Start().Put(SmallNode("n1").ref());
  story->Put(MakePod("web").ref());
  story->Put(BigPod("big").ref());
  story.Run();
  story->Remove(SmallNode("n1").ref());
}

// A group is placed, does not fit, and preempts.
void Groups(NotedLog& log) {
  Story story(log);
  story.features.generic_workload = story.features.gang_scheduling = true;
  story.features.topology_aware_workload_scheduling = true;
  story.UseProfile(DefaultProfile("default-scheduler", story.features));
  story.Start().Put(SmallNode("n1").Zone("a").ref());
  story->Put(SmallNode("n2").Zone("b").ref());
  story->Put(MakePodGroup("job").Gang(2).ref());
  story->Put(MakePodGroup("near").Gang(1).Within("topology.kubernetes.io/zone").ref());
  story->Put(MakePodGroup("big").Gang(1).ref());
  const auto member = [&](const char* name, const char* group, const char* cpu) {
    story->Put(MakePod(name).InGroup(group).Request("cpu", cpu).ref());
  };
  member("a", "job", "100m");
  member("b", "job", "100m");
  member("c", "near", "100m");
  member("d", "big", "64");
  story.Run();
  story->Put(MakePod("low").Priority(-5).Request("cpu", "1500m").On("n1").ref());
  story->Put(MakePod("low2").Priority(-5).Request("cpu", "1500m").On("n2").ref());
  story->Put(MakePodGroup("urgent").Gang(1).ref());
  story->Put(MakePod("e").InGroup("urgent").Priority(10).Request("cpu", "1700m").ref());
  story.Run();
}

// --- the table ---

std::set<std::string> Table() {
  std::ifstream file(BERTH_SOURCE_DIR "/tests/reference/log_messages.tsv");
  std::set<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("level")) rows.insert(line);
  }
  return rows;
}

std::set<std::string> Without(const std::set<std::string>& rows,
                              const std::set<std::string>& others) {
  std::set<std::string> rest;
  std::ranges::set_difference(rows, others, std::inserter(rest, rest.end()));
  return rest;
}

TEST(EngineLogTest, SaysWhatTheTableSays) {
  NotedLog log;
  for (const auto& story :
       {Binds, Waits, Preempts, FailsToPreempt, Permits, FailsToBind, LacksPlugins, Groups})
    story(log);
  EXPECT_EQ(fmt::format("{}", fmt::join(Without(Table(), log.rows()), "\n")), "") << "are missing";
  EXPECT_EQ(fmt::format("{}", fmt::join(Without(log.rows(), Table()), "\n")), "") << "are new";
}

class LevelTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(All, LevelTest, testing::Range(-1, 11));

// What is not on is not even passed to the sink.
TEST_P(LevelTest, BoundsWhatIsSaid) {
  NotedLog log(GetParam());
  for (const auto& story : {Binds, Waits, FailsToBind}) story(log);
  EXPECT_LE(log.highest(), GetParam());
}

// Levels 5 and 10 take other ways to the same decision.
TEST(EngineLogTest, ChangesNoDecision) {
  const auto decide = [](int level) {
    NotedLog log(level);
    Story story(log);
    story.Start();
    for (int i = 0; i < 12; ++i)
      story->Put(MakeNode(fmt::format("n{}", i)).Cpu(fmt::format("{}", 2 + i % 3)).ref());
    for (int i = 0; i < 90; ++i) {
      story->Put(MakePod(fmt::format("p{}", i))
                     .Priority(i / 30)
                     .Request("cpu", fmt::format("{}m", 300 + i % 7 * 100))
                     .ref());
      story.Run();
    }
    return story->Decisions();
  };
  const auto silent = decide(0);
  EXPECT_GE(silent.size(), 90U);
  for (const int level : {2, 5, 10}) EXPECT_EQ(decide(level), silent) << level;
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
