#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/steady_clock.h"
#include "base/time.h"
#include "client/load_config.h"
#include "cmd/apiserver_command.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/config_command.h"
#include "cmd/dashboard_server.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/live_cluster.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "inspect/change_log.h"
#include "runtime/scheduler.h"
#include "scheduler/config/engine_options.h"

namespace berth::cmd {
namespace {

struct DashboardOptions {
  std::string kubeconfig;
  std::string context;
  std::string config_file;
  std::vector<std::string> feature_gates;
  uint16_t port = 0;
};

int DashboardFailed(const Error& error) {
  fmt::print(stderr, "berth dashboard: {}\n", error.message);
  return kExitFailed;
}

// Prints each warning once: watches that fail are repeated.
class Warnings {
 public:
  void Print(const std::string& line) {
    constexpr size_t kMaxRemembered = 1'000;
    const std::lock_guard lock(mutex_);
    if (printed_.size() >= kMaxRemembered || !printed_.insert(line).second) return;
    fmt::print(stderr, "berth dashboard: {}\n", line);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> printed_;
};

Result<scheduler::engine::EngineOptions> DashboardEngine(const DashboardOptions& options,
                                                         const Registry& registry) {
  const auto features = ReadFeatureGates(options.feature_gates, "berth dashboard");
  if (!features) return std::unexpected(features.error());
  const auto loaded = LoadConfiguration(options.config_file, registry, *features);
  if (!loaded) return std::unexpected(loaded.error());
  auto engine = scheduler::config::ToEngineOptions(*loaded->completed);
  if (!engine) return std::unexpected(engine.error());
  engine->extenders.clear();
  engine->features = *features;
  return engine;
}

// Waits until all collections are read. Returns false if a stop signal arrived.
bool WaitForSync(const std::atomic<bool>& synced) {
  constexpr Duration kTick = Duration::Millis(100);
  while (!synced) {
    if (WaitForSignal(kTick)) return false;
  }
  return true;
}

int RunDashboard(const DashboardOptions& options, const Registry& registry) {
  BlockSignals();
  auto engine = DashboardEngine(options, registry);
  if (!engine) return DashboardFailed(engine.error());
  const std::string file = options.kubeconfig.empty() ? DefaultKubeconfig() : options.kubeconfig;
  auto api = client::LoadClientConfig({.kubeconfig = file, .context = options.context});
  if (!api) return DashboardFailed(api.error());

  // The scheduler never leads: it watches, and writes nothing.
  Warnings warnings;
  inspect::ChangeLog changes;
  runtime::SchedulerOptions watching;
  watching.api = *std::move(api);
  watching.engine = *engine;
  watching.tap = &changes;
  watching.warn = [&](const std::string& line) { warnings.Print(line); };
  auto scheduler = runtime::Scheduler::Make(std::move(watching), registry);
  if (!scheduler) return DashboardFailed(scheduler.error());
  std::atomic<bool> synced = false;
  (*scheduler)->Start([&] { synced = true; });
  if (!WaitForSync(synced)) return kExitOk;

  const SystemClock wall_clock;
  const SteadyClock engine_clock;
  const auto dashboard = DashboardServer::Start({.server = "dashboard",
                                                 .engine = *std::move(engine),
                                                 .registry = &registry,
                                                 .driver = &(*scheduler)->driver(),
                                                 .changes = &changes,
                                                 .wall_clock = &wall_clock,
                                                 .engine_clock = &engine_clock,
                                                 .watches_only = true},
                                                options.port);
  if (!dashboard) return DashboardFailed(dashboard.error());
  fmt::print("dashboard: {}\n", (*dashboard)->url());
  std::fflush(stdout);
  constexpr Duration kHour = Duration::Seconds(3600);
  while (!WaitForSignal(kHour)) {
  }
  (*dashboard)->Stop();
  return kExitOk;
}

}  // namespace

void AddDashboard(flags::Command& berth, const Registry& registry) {
  flags::Command& command =
      berth.Add("dashboard", "Show a cluster in the browser: nodes, queue and every pod's reasons");
  command.details =
      "Watches a cluster of Kubernetes v1.30 or later, whatever schedules it, and writes nothing "
      "to\n"
      "it. Serves the dashboard on this machine alone and prints its address, which one browser "
      "can\n"
      "open. Needs permission to list and watch what a scheduler reads.\n"
      "Exit codes: 0 stopped by a signal, 1 failed to start, 2 invalid usage.\n";
  command.examples =
      "  berth dashboard\n"
      "  berth dashboard --kubeconfig ./kubeconfig --context prod --port 8600\n";
  const auto options = std::make_shared<DashboardOptions>();
  flags::FlagGroup group(command.flags);
  group
      .Text("kubeconfig", options->kubeconfig,
            "Kubeconfig of the cluster (default: $KUBECONFIG, ~/.kube/config or in-cluster)")
      .As("FILE");
  group
      .Text("context", options->context,
            "Kubeconfig context to use (default: "
            "current-context)")
      .As("NAME");
  group
      .Text(
          "config", options->config_file,
          "KubeSchedulerConfiguration file of the cluster's scheduler (default: built-in defaults)")
      .As("FILE");
  AddFeatureGates(group, options->feature_gates);
  group.Uint("port", options->port, "Port to serve the dashboard on; 0 means any free port");
  command.run = [options, &registry] { return RunDashboard(*options, registry); };
}

}  // namespace berth::cmd
