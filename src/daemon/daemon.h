// Daemon is berth-scheduler: the scheduler, its leadership, the HTTPS port and the metrics, from
// the options to the exit code.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/steady_clock.h"
#include "base/time.h"
#include "client/leader_elector.h"
#include "client/lease_lock.h"
#include "client/rest_client.h"
#include "daemon/daemon_metrics.h"
#include "daemon/delegated_access.h"
#include "daemon/endpoints.h"
#include "daemon/leadership.h"
#include "daemon/memory_budget.h"
#include "daemon/options.h"
#include "daemon/process_events.h"
#include "daemon/secure_server.h"
#include "daemon/slow_requests.h"
#include "daemon/watchdog.h"
#include "inspect/change_log.h"
#include "inspect/http/api_handler.h"
#include "observability/health.h"
#include "observability/scheduling/attempt_recorder.h"
#include "observability/scheduling/engine_log.h"
#include "observability/scheduling/slow_attempts.h"
#include "runtime/recording_thread.h"
#include "runtime/scheduler.h"
#include "scheduler/config/configuration.h"
#include "scheduler/engine/engine.h"

namespace berth::client {
class LeaseCandidate;
}
namespace berth::scheduler::framework {
class Registry;
}

namespace berth::daemon {

// Returns the request that writes the event about the lease: core/v1, as in client-go. `message` is
// "<identity> became leader".
client::RestRequest ElectionEvent(const std::string& message,
                                  const scheduler::config::Configuration& configuration,
                                  Instant now);

class Daemon {
 public:
  // Profiles may enable the plugins in `registry`. Blocks signals, so it must be called before any
  // thread is started. The error says what is wrong with the options.
  static Result<std::unique_ptr<Daemon>> Make(DaemonOptions options,
                                              const scheduler::framework::Registry& registry);
  ~Daemon();

  const scheduler::config::Configuration& configuration() const { return options_.configuration; }

  // Runs until a signal arrives. Returns the exit code. If the lease is lost, exits with 1.
  int Run();

 private:
  explicit Daemon(DaemonOptions options);

  // Applies the feature gates of client-go to the configuration of a client.
  Result<void> UseGates(client::ClientConfig& api) const;
  Result<void> MakeScheduler(const scheduler::framework::Registry& registry);

  // --- leader election: daemon_election.cc ---
  Result<void> MakeElector();
  Result<void> MakeCandidate(const std::string& identity, uint64_t seed);
  void RecordElection(const std::string& message);

  // --- the HTTPS port: daemon_serving.cc ---
  Result<void> MakeReviewClients();
  void MakeHealth();
  Result<void> Serve();
  Result<void> MakeApi(const scheduler::engine::EngineOptions& engine,
                       const scheduler::framework::Registry& registry);
  EndpointSources Sources();
  std::string ResourceMetrics();

  // --- on duty: daemon_duty.cc ---
  Result<void> MakeRecording(const scheduler::engine::EngineOptions& engine);
  // Reads the limit of memory, and divides it.
  void MakeMemoryBudget();
  // Logs what the cluster needs, once it is known.
  void ReportMemory();
  // Drops caches near the limit. Called on the watchdog's thread.
  void CheckMemory();
  void MakeWatchdog();
  // Called on the watchdog's thread.
  void OnStuck(const std::vector<Watchdog::Loop>& stuck);
  // Called on the engine's thread.
  void OnEngineFailure(const std::string& reason);
  DutyValues ReadDuty() const;

  // --- running ---
  // Warns of an API server of a version that this release does not serve. Nothing waits for it.
  void CheckServerVersion();
  void ReportShadow();
  void OnJudgement(const runtime::Judgement& judgement);
  int End();
  void CloseRecording();

  const DaemonOptions options_;
  const std::string host_;
  const SystemClock clock_;
  const SteadyClock steady_clock_;
  const Instant started_ = steady_clock_.Now();
  // Each depends on the ones above it.
  ProcessEvents process_events_;
  std::unique_ptr<DaemonMetrics> metrics_;
  observability::scheduling::EngineLog engine_log_{observability::Log()};
  MemoryBudget memory_{std::nullopt};
  std::unique_ptr<observability::scheduling::AttemptRecorder> attempts_;  // Null if it is off.
  std::unique_ptr<observability::scheduling::SlowAttemptLog> slow_attempts_;
  std::unique_ptr<runtime::RecordingThread> recording_;  // Null if nothing is recorded.
  std::string agent_;                                    // The User-Agent, without the component.
  client::ClientConfig api_;
  inspect::ChangeLog changes_;  // What the engine hears, for the API.
  std::unique_ptr<runtime::Scheduler> scheduler_;
  std::unique_ptr<DelegatedAccess> access_;    // Outlives the clients, which call it back.
  std::unique_ptr<net::EventLoop> side_loop_;  // For elections and access reviews.
  std::unique_ptr<client::RestClient> lease_client_, candidate_client_, authentication_client_,
      authorization_client_, version_client_;
  std::unique_ptr<client::LeaseLock> lease_;
  std::unique_ptr<client::LeaseCandidate> candidate_;  // Of a coordinated election.
  std::unique_ptr<Leadership> leadership_;
  observability::HealthSlis slis_;
  std::unique_ptr<observability::HealthEndpoint> healthz_, livez_, readyz_;
  std::unique_ptr<inspect::http::ApiHandler> inspection_;  // The API /berth/v1.
  Endpoints endpoints_;
  std::unique_ptr<SecureServer> server_;
  runtime::ShadowTotals shadow_totals_;  // Used on the engine's thread, and after its end.
  SlowRequests dumps_;                   // They read from the API, which must not delay the end.
  std::atomic<bool> engine_failed_ = false;
  std::optional<Instant> caches_dropped_;  // Used on the watchdog's thread.
  std::unique_ptr<Watchdog> watchdog_;  // Null if it is off. Last: it looks at most of the above.
};

// The exit codes of the process beside kube-scheduler's 0 and 1.
inline constexpr int kExitStuck = 3;         // A leader did not end what it did: --stuck-after.
inline constexpr int kExitEngineFailed = 4;  // The engine, or a plugin, has thrown an exception.

// Builds the daemon and runs it, or executes --write-config-to. Returns the exit code.
int RunDaemon(DaemonOptions options, const scheduler::framework::Registry& registry);

}  // namespace berth::daemon
