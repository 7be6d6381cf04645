#include "daemon/daemon.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "client/lease_candidate.h"
#include "client/load_config.h"
#include "daemon/version.h"
#include "features/served_versions.h"
#include "net/descriptor_limit.h"
#include "observability/crash_report.h"
#include "observability/log.h"
#include "observability/thread_stacks.h"
#include "runtime/cache_debugger.h"
#include "runtime/scheduler.h"
#include "runtime/shadow_judgement.h"
#include "scheduler/config/print.h"

namespace berth::daemon {

namespace {

// The grace period for writes in flight when the daemon stops.
constexpr Duration kGracePeriod = Duration::Seconds(5);
constexpr std::chrono::milliseconds kServingGrace{5000};

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "localhost";
}

// Returns Go's name of the architecture.
std::string Architecture() {
  utsname system = {};
  uname(&system);
  const std::string_view machine = system.machine;
  return machine == "x86_64" ? "amd64" : machine == "aarch64" ? "arm64" : std::string(machine);
}

// Called on the side loop. The process ends at once, whatever its other threads do and whichever
// clients its HTTPS port has.
void ExitWithoutLease() {
  LOG_ERROR("", "Leaderelection lost");
  observability::Log().Flush();
  _exit(1);
}

bool IsProtobuf(const scheduler::config::ClientConnection& connection) {
  return connection.content_type == "application/vnd.kubernetes.protobuf";
}

}  // namespace

Result<std::unique_ptr<Daemon>> Daemon::Make(DaemonOptions options,
                                             const scheduler::framework::Registry& registry) {
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(options)));
  if (auto made = daemon->MakeScheduler(registry); !made) return std::unexpected(made.error());
  if (auto made = daemon->MakeElector(); !made) return std::unexpected(made.error());
  if (auto made = daemon->MakeReviewClients(); !made) return std::unexpected(made.error());
  daemon->MakeWatchdog();
  daemon->MakeHealth();
  return daemon;
}

Daemon::Daemon(DaemonOptions options)
    : options_(std::move(options)),
      host_(HostName()),
      metrics_(std::make_unique<DaemonMetrics>(options_.flags.metrics, options_.gates)),
      side_loop_(std::make_unique<net::EventLoop>()) {}

Daemon::~Daemon() = default;

Result<void> Daemon::UseGates(client::ClientConfig& api) const {
  if (options_.gates.IsOn("ClientsAllowCARotation")) return {};
  return client::PinAuthority(api);
}

Result<void> Daemon::MakeScheduler(const scheduler::framework::Registry& registry) {
  const scheduler::config::ClientConnection& connection = options_.configuration.client_connection;
  auto api = client::LoadClientConfig(
      {.kubeconfig = connection.kubeconfig, .master = options_.flags.master});
  if (!api) return std::unexpected(api.error());
  api_ = *std::move(api);
  if (auto used = UseGates(api_); !used) return used;
  api_.qps = connection.qps;
  api_.burst = connection.burst;
  agent_ = fmt::format("berth-scheduler/{} (linux/{}) kubernetes/berth",
                       ReportedVersion(options_.flags), Architecture());
  api_.user_agent = agent_ + "/scheduler";

  auto engine = ToEngineOptions(options_);
  if (!engine) return std::unexpected(engine.error());
  engine->seed = std::random_device{}();
  engine->measurements = &metrics_->engine();
  MakeMemoryBudget();
  if (options_.flags.ledger.on()) {
    ledger::LedgerOptions ledger = options_.flags.ledger;
    ledger.memory = memory_.LedgerBytes(ledger.memory);
    attempts_ = std::make_unique<observability::scheduling::AttemptRecorder>(ledger);
  }
  slow_attempts_ = std::make_unique<observability::scheduling::SlowAttemptLog>(observability::Log(),
                                                                               attempts_.get());
  engine->attempts = slow_attempts_.get();
  if (auto made = MakeRecording(*engine); !made) return made;

  const scheduler::engine::EngineOptions inspected = *engine;
  engine->log = &engine_log_;
  runtime::SchedulerOptions scheduler;
  scheduler.api = api_;
  scheduler.protobuf = IsProtobuf(connection);
  scheduler.watch_list = options_.gates.IsOn("WatchListClient");
  scheduler.engine = *std::move(engine);
  scheduler.parallelism = options_.configuration.parallelism;
  scheduler.host = host_;
  scheduler.recording = recording_.get();
  scheduler.tap = &changes_;
  scheduler.on_step = [this](Duration took) { metrics_->duty().NoteStep(took); };
  scheduler.on_failure = [this](const std::string& reason) { OnEngineFailure(reason); };
  scheduler.requests = &metrics_->requests();
  scheduler.warn = [](const std::string& line) { LOG_WARNING(line); };
  scheduler.count_undecodable = [this](std::string_view resource, size_t fields) {
    metrics_->NoteUndecodable(resource, fields);
  };
  scheduler.count_silent_watch = [this](std::string_view resource) {
    metrics_->duty().NoteSilentWatch(resource);
  };
  if (options_.flags.shadow) {
    scheduler.shadow = [this](const runtime::Judgement& judgement) { OnJudgement(judgement); };
  }
  auto made = runtime::Scheduler::Make(std::move(scheduler), registry);
  if (!made) return std::unexpected(made.error());
  scheduler_ = *std::move(made);
  if (auto made_api = MakeApi(inspected, registry); !made_api) return made_api;
  metrics_->ReadDutyFrom([this] { return ReadDuty(); });
  leadership_ = std::make_unique<Leadership>(
      *scheduler_, *side_loop_,
      LeadershipOptions{.shadow = options_.flags.shadow,
                        .delay_cache_until_active = options_.configuration.delay_cache_until_active,
                        .on_synced = [this] { dumps_.Post([this] { ReportMemory(); }); },
                        .on_lost = ExitWithoutLease,
                        .on_end_of_term = [this] { process_events_.Post(ProcessEvent::kEnd); }});
  return {};
}

// --- running ---

int Daemon::Run() {
  LOG_INFO("Starting Kubernetes Scheduler", {{"version", ReportedVersion(options_.flags)}});
  side_loop_->Start();
  side_loop_->Post([] { observability::EnterThread("side-loop"); });
  if (auto serving = Serve(); !serving) {
    LOG_ERROR(serving.error(), "command failed");
    return 1;
  }
  if (candidate_ != nullptr) side_loop_->Post([this] { candidate_->Start(); });
  leadership_->Start();
  if (watchdog_ != nullptr) watchdog_->Start();
  CheckServerVersion();
  while (true) {
    switch (process_events_.Next()) {
      case ProcessEvent::kDump:
        // Without the help of any thread, which the comparison needs.
        LOG_INFO("Stacks of all threads", {{"stacks", observability::StacksText()}});
        dumps_.Post([this] { runtime::ReportCache(*scheduler_); });
        break;
      case ProcessEvent::kReport:
        ReportShadow();
        break;
      case ProcessEvent::kEnd:
        return End();
    }
  }
}

// DIFFERS: kube-scheduler does not ask.
void Daemon::CheckServerVersion() {
  auto client = client::RestClient::Create(*side_loop_, api_);
  if (!client) return;  // As the scheduler's own client, which reports it.
  version_client_ = *std::move(client);
  client::RestRequest request;
  request.path = "/version";
  version_client_->Send(request, [](const net::HttpResult<net::HttpResponse>& response) {
    if (!response || !response->ok()) return;
    const auto version = api::ParseJson(response->body);
    const api::JsonObject* object = version ? api::AsObject(*version) : nullptr;
    const std::string problem = features::UnservedVersionText(api::StringAt(object, "gitVersion"));
    if (!problem.empty()) LOG_WARNING(problem);
  });
}

void Daemon::OnJudgement(const runtime::Judgement& judgement) {
  shadow_totals_.Add(judgement.result);
  metrics_->Note(judgement);
  runtime::LogJudgement(judgement);
}

void Daemon::ReportShadow() {
  if (!options_.flags.shadow) return;
  scheduler_->driver().RunBetweenSteps([this](const scheduler::engine::Engine&) {
    runtime::LogTotals("Shadow mode so far", shadow_totals_);
  });
}

// --- the end ---

int Daemon::End() {
  leadership_->Stop(kGracePeriod);
  if (watchdog_ != nullptr) watchdog_->Stop();
  if (server_ != nullptr) server_->Stop(kServingGrace);
  // After the server, whose health checks read it.
  if (candidate_ != nullptr) net::RunAndWait(*side_loop_, [this] { candidate_.reset(); });
  CloseRecording();
  if (options_.flags.shadow) runtime::LogTotals("Shadow mode ends", shadow_totals_);
  if (engine_failed_) return kExitEngineFailed;
  if (leadership_->lost()) {
    LOG_ERROR("", "Leaderelection lost");
    return 1;
  }
  LOG_INFO("Requested to terminate, exiting");
  if (options_.flags.shadow || options_.configuration.leader_election.leader_elect) return 0;
  LOG_ERROR("finished without leader elect", "command failed");
  return 1;
}

// Nobody appends any more: the engine's thread has ended.
void Daemon::CloseRecording() {
  if (recording_ == nullptr) return;
  observability::SetCrashHook(nullptr, nullptr);
  recording_->Close();
  if (const std::string reason = recording_->failure(); !reason.empty())
    LOG_ERROR(reason, "The recording is incomplete");
}

int RunDaemon(DaemonOptions options, const scheduler::framework::Registry& registry) {
  // Before anything connects: the HTTPS port may use half of the descriptors.
  net::RaiseDescriptorLimit();
  const std::string file = options.flags.write_config_to;
  auto daemon = Daemon::Make(std::move(options), registry);
  if (!daemon) {
    LOG_ERROR(daemon.error(), "command failed");
    return 1;
  }
  if (file.empty()) return (*daemon)->Run();
  const Status written = WriteConfiguration((*daemon)->configuration(), file);
  if (!written) LOG_ERROR(written.error(), "command failed");
  return written ? 0 : 1;
}

}  // namespace berth::daemon
