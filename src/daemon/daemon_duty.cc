// What the Daemon does for operators on call: it watches its own threads, records, and shows what
// waits in it.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/go_duration.h"
#include "daemon/daemon.h"
#include "observability/crash_report.h"
#include "observability/log.h"
#include "observability/thread_stacks.h"
#include "scheduler/config/print.h"
#include "scheduler/model/cluster.h"

namespace berth::daemon {
namespace {

// How long the end of a process that crashes or is stuck waits for its recording.
constexpr int kRecordingPolls = 200;
constexpr long kPollNanos = 10'000'000;
// The watch loop waits for the driver while that has much to read, and a request to the API may be
// for much: they have more time.
constexpr int kPatience = 6;

// Async-signal-safe.
void AwaitRecording(void* recording) {
  for (int i = 0; i < kRecordingPolls; ++i) {
    if (static_cast<runtime::RecordingThread*>(recording)->is_drained()) return;
    const timespec pause{.tv_sec = 0, .tv_nsec = kPollNanos};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

Result<void> Daemon::MakeRecording(const scheduler::engine::EngineOptions& engine) {
  const DaemonFlags& flags = options_.flags;
  if (flags.record.empty()) return {};
  const scheduler::recording::RecordingHeader header{
      .program = "berth-scheduler",
      .configuration = scheduler::config::ToYaml(options_.configuration),
      .seed = engine.seed,
      .features = engine.features};
  runtime::RecordingOptions recording;
  recording.path = flags.record;
  recording.part_bytes = flags.record_size;
  recording.files = flags.record_files;
  recording.on_failure = [](const std::string& reason) {
    LOG_ERROR(reason, "The recording has ended; scheduling goes on without it");
  };
  auto started = runtime::RecordingThread::Start(header, std::move(recording));
  if (!started) return Fail("--record " + started.error().message);
  recording_ = *std::move(started);
  // A crash is recorded, too.
  observability::SetCrashHook(&AwaitRecording, recording_.get());
  return {};
}

void Daemon::MakeMemoryBudget() {
  const size_t flag = options_.flags.memory_limit;
  memory_ = MemoryBudget(flag > 0 ? std::optional(flag) : CgroupMemoryLimit(ReadFile));
  const size_t wanted = options_.flags.ledger.memory;
  if (const size_t given = memory_.LedgerBytes(wanted); given < wanted) {
    LOG_INFO("The ledger is smaller than --ledger-memory, to fit the limit of memory",
             {{"bytes", given}, {"wanted", wanted}, {"limit", *memory_.limit()}});
  }
}

void Daemon::ReportMemory() {
  size_t nodes = 0, pods = 0;
  // In the step after this visit the driver reads everything that was listed.
  scheduler_->driver().RunBetweenSteps([](const scheduler::engine::Engine&) {});
  scheduler_->driver().RunBetweenSteps([&](const scheduler::engine::Engine& engine) {
    nodes = engine.cluster().nodes().rows();
    pods = engine.cluster().pods().size();
  });
  const std::string text = "Memory: " + memory_.NeedText(nodes, pods);
  if (memory_.IsEnough(nodes, pods)) {
    LOG_PLAIN(0, text);
  } else {
    LOG_WARNING(text + ": the process may be killed; docs/deploy.md has a table");
  }
}

void Daemon::CheckMemory() {
  constexpr Duration kPeriod = Duration::Seconds(60);
  if (!memory_.limit()) return;
  const size_t resident = ResidentMemory(ReadFile);
  if (!memory_.IsNear(resident)) return;
  const Instant now = steady_clock_.Now();
  if (caches_dropped_ && now - *caches_dropped_ < kPeriod) return;
  caches_dropped_ = now;
  LOG_WARNING("Memory is short: dropping caches, which makes the next decisions slower",
              {{"resident", resident}, {"limit", *memory_.limit()}});
  scheduler_->driver().DropCaches();
  metrics_->duty().NoteDroppedCaches();
}

DutyValues Daemon::ReadDuty() const {
  DutyValues values;
  if (watchdog_ != nullptr) {
    for (const Watchdog::Loop& loop : watchdog_->loops())
      values.loops.emplace_back(loop.name, loop.silent);
  }
  const runtime::Mailbox::Backlog backlog = scheduler_->backlog();
  values.backlog = backlog.events;
  values.backlog_age = backlog.age;
  values.writes_under_way = scheduler_->writes_under_way();
  const runtime::EventCounts& events = scheduler_->events();
  values.events_waiting = events.waiting;
  values.events_written = events.written;
  values.events_dropped = events.dropped;
  values.events_refused = events.refused;
  values.memory_limit = memory_.limit().value_or(0);
  if (attempts_ != nullptr) values.ledger_bytes = attempts_->ledger().stats().bytes;
  if (recording_ != nullptr) values.recording = recording_->counts();
  return values;
}

void Daemon::MakeWatchdog() {
  const Duration renew_deadline = options_.configuration.leader_election.renew_deadline;
  const Duration stuck_after = options_.flags.stuck_after.value_or(renew_deadline);
  if (stuck_after == Duration{}) return;
  watchdog_ = std::make_unique<Watchdog>(
      Watchdog::Options{.stuck_after = stuck_after,
                        .on_stuck = [this](const auto& stuck) { OnStuck(stuck); },
                        .on_look = [this] { CheckMemory(); }});
  using LoopName = runtime::Scheduler::LoopName;
  const auto loop = [this](LoopName name) {
    return Watchdog::Asked{
        [this, name] { return scheduler_->Runs(name); },
        [this, name](std::function<void()> work) { scheduler_->PostTo(name, std::move(work)); }};
  };
  watchdog_->Watch("driver", scheduler_->driver().heartbeat(), true);
  watchdog_->Watch("watch-loop", loop(LoopName::kWatch), true, kPatience);
  watchdog_->Watch("write-loop", loop(LoopName::kWrite), true);
  watchdog_->Watch("extender-loop", loop(LoopName::kExtender), true);
  watchdog_->Watch(
      "side-loop",
      Watchdog::Asked{[] { return true; },
                      [this](std::function<void()> work) { side_loop_->Post(std::move(work)); }},
      false);
  watchdog_->Watch("api", inspection_->heartbeat(), false, kPatience);
  watchdog_->Watch(
      "https",
      Watchdog::Asked{[this] { return server_ != nullptr; },
                      [this](std::function<void()> work) { server_->Post(std::move(work)); }},
      false);
}

// A standby only fails its health checks: it would lead as soon as it is no longer stuck.
void Daemon::OnStuck(const std::vector<Watchdog::Loop>& stuck) {
  if (!leadership_->leads() && !leadership_->ending()) return;
  scheduler_->CloseFence();
  for (const Watchdog::Loop& loop : stuck) {
    LOG_ERROR("", "A thread is stuck; giving up the lease and exiting",
              {{"thread", loop.name}, {"silentFor", FormatGoDuration(loop.silent)}});
  }
  LOG_INFO("Stacks of all threads", {{"stacks", observability::StacksText()}});
  if (recording_ != nullptr) AwaitRecording(recording_.get());
  observability::Log().Flush();
  _exit(kExitStuck);
}

void Daemon::OnEngineFailure(const std::string& reason) {
  LOG_ERROR(reason, "The engine has thrown an exception; giving up the lease and exiting");
  engine_failed_ = true;
  process_events_.Post(ProcessEvent::kEnd);
}

}  // namespace berth::daemon
