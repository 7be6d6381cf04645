#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/json/document.h"
#include "api/timestamp.h"
#include "base/overloaded.h"
#include "base/terminal.h"
#include "cmd/attempt_text.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "inspect/ledger_documents.h"
#include "ledger/ledger.h"
#include "observability/scheduling/attempt_recorder.h"
#include "runtime/recording_file.h"
#include "scheduler/recording/event_codec.h"
#include "scheduler/recording/replay.h"

namespace berth::cmd {
namespace {

struct ReplayCommandOptions {
  std::string file;
  bool paranoid = false;
  std::string pod;  // Whose attempts to print: "namespace/name".
  bool print = false;
};

// Shows the progress of a long replay on one line of the terminal, and clears it at the end.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (shown_) ReplaceLine(stderr, "");
  }
  void Show(const scheduler::recording::ReplayReport& report, uint64_t records) {
    constexpr uint64_t kEvery = 20'000;
    if (records % kEvery != 0) return;
    shown_ = true;
    ReplaceLine(stderr, fmt::format("{} records, {} decisions, {} pods scheduled", records,
                                    report.decisions, report.placed));
  }

 private:
  bool shown_ = false;
};

Result<scheduler::recording::ReplayReport> ReplayFile(
    const ReplayCommandOptions& options, const scheduler::framework::Registry& registry,
    scheduler::engine::AttemptObserver* attempts) {
  auto reader = runtime::OpenRecording(options.file);
  if (!reader) return std::unexpected(reader.error());
  scheduler::recording::ReplayOptions replay{.paranoid = options.paranoid, .attempts = attempts};
  ProgressLine line;
  if (isatty(STDERR_FILENO) == 1) {
    replay.progress = [&line](const scheduler::recording::ReplayReport& report, uint64_t records) {
      line.Show(report, records);
    };
  }
  auto report = scheduler::recording::Replay(**reader, registry, replay);
  if (!report) return Fail(fmt::format("{}: {}", options.file, report.error().message));
  return report;
}

// Prints the attempts of the pod, oldest first.
void PrintAttempts(const ledger::Ledger& ledger, const ledger::AttemptFilter& pod) {
  std::vector<ledger::Attempt> attempts;  // Newest first.
  uint64_t before = UINT64_MAX;
  do {
    ledger::AttemptPage page = ledger.Query(pod, before);
    std::ranges::move(page.attempts, std::back_inserter(attempts));
    before = page.next;
  } while (before != 0);
  if (attempts.empty()) Print("{}/{}: no attempts\n", pod.namespace_, pod.name);
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt)
    Print("{}", AttemptText(inspect::AttemptJson(*attempt)));
}

// Prints the records of one file, without an engine: also those of a part whose beginning is gone.
int PrintRecords(const ReplayCommandOptions& options) {
  namespace recording = scheduler::recording;
  const auto reader = runtime::OpenRecordingPart(options.file);
  if (!reader) {
    PrintError("berth replay: {}\n", reader.error().message);
    return kExitUsage;
  }
  const recording::RecordingHeader& header = (*reader)->header();
  Print("part {} of a recording by {}, seed {}\n", header.part, header.program, header.seed);
  const auto print_all = [](std::string_view what, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) Print("  {} {}\n", what, text);
  };
  while (const auto record = (*reader)->Next()) {
    std::visit(
        Overloaded{
            [](const recording::HandleCall& call) {
              Print("{} {}\n", api::FormatTimestamp(call.now.wall),
                    recording::DescribeEvent(call.event));
            },
            [](const recording::ScheduleCall& call) {
              Print("{} schedule\n", api::FormatTimestamp(call.now.wall));
            },
            [&](const recording::DecisionsRecord& result) {
              print_all("decision", result.decisions);
            },
            [&](const recording::CommandsRecord& result) { print_all("command", result.commands); },
        },
        *record);
  }
  const recording::RecordingEnd& end = (*reader)->end();
  Print("{}\n", end.ToString());
  using Kind = recording::RecordingEnd::Kind;
  return end.kind == Kind::kDamaged || end.kind == Kind::kFailed ? kExitUsage : kExitOk;
}

int RunReplay(const ReplayCommandOptions& options, const Registry& registry) {
  if (options.print) return PrintRecords(options);
  std::optional<observability::scheduling::AttemptRecorder> attempts;
  const size_t slash = options.pod.find('/');
  if (!options.pod.empty()) {
    if (slash == options.pod.npos) {
      PrintError("berth replay: --attempts {}: must be NAMESPACE/NAME\n", options.pod);
      return kExitUsage;
    }
    attempts.emplace();
  }
  const auto report = ReplayFile(options, registry, attempts ? &*attempts : nullptr);
  if (!report) {
    PrintError("berth replay: {}\n", report.error().message);
    return kExitUsage;
  }
  if (attempts) {
    PrintAttempts(attempts->ledger(), {.namespace_ = options.pod.substr(0, slash),
                                       .name = options.pod.substr(slash + 1)});
  }
  Print("{} events, {} decisions, {} pods scheduled, {} commands\n", report->events,
        report->decisions, report->placed, report->commands);
  if (report->mismatch) {
    Print("first decision that differs: {}\n", report->mismatch->ToString());
    return kExitFailed;
  }
  using Kind = scheduler::recording::RecordingEnd::Kind;
  const scheduler::recording::RecordingEnd& end = report->end;
  if (end.kind != Kind::kClosed) {
    PrintError("berth replay: {}: {}\n", options.file, end.ToString());
    Print("identical up to that point\n");
    return end.kind == Kind::kDamaged || end.kind == Kind::kFailed ? kExitUsage : kExitOk;
  }
  Print("identical\n");
  return kExitOk;
}

}  // namespace

void AddReplay(flags::Command& berth, const Registry& registry) {
  flags::Command& command = berth.Add("replay", "Replay a recording and compare the decisions");
  command.details =
      "Prints the number of events and decisions, and the first decision that differs. A truncated "
      "or\n"
      "damaged end of the file is reported, and what is intact is replayed. Of a recording in "
      "several "
      "files\n"
      "(--record-size of berth-scheduler), FILE is the last one to replay; those before it are "
      "found "
      "beside it.\n";
  command.exit_codes =
      "0 identical, 1 a decision differs, 2 invalid usage, or an unreadable or damaged file";
  command.examples =
      "  berth schedule -f examples/decisions --record run.berth\n"
      "  berth replay run.berth\n"
      "  berth replay run.berth --attempts default/web-1\n";
  const auto options = std::make_shared<ReplayCommandOptions>();
  command.Takes("FILE", options->file, "Recording, or - for standard input");
  flags::FlagGroup group(command.flags);
  group.Switch("paranoid", options->paranoid, kParanoidHelp);
  group
      .Text("attempts", options->pod,
            "Print the attempts of this pod: outcome, reasons, candidates, what woke it")
      .As("NAMESPACE/NAME");
  group.Switch("print", options->print,
               "Print the events, decisions and commands in this file instead of replaying them");
  command.run = [options, &registry] { return RunReplay(*options, registry); };
}

}  // namespace berth::cmd
