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
#include "base/terminal.h"
#include "base/time.h"
#include "client/load_config.h"
#include "cmd/apiserver_command.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/complete_names.h"
#include "cmd/config_command.h"
#include "cmd/dashboard_server.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/live_cluster.h"
#include "cmd/served_dashboards.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "inspect/change_log.h"
#include "inspect/http/link_token.h"
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
  bool open = false;
};

int DashboardFailed(const Error& error) {
  PrintError("berth dashboard: {}\n", error.message);
  return kExitFailed;
}

// Prints each warning once: watches that fail are repeated.
class Warnings {
 public:
  void Print(const std::string& line) {
    constexpr size_t kMaxRemembered = 1'000;
    const std::lock_guard lock(mutex_);
    if (printed_.size() >= kMaxRemembered || !printed_.insert(line).second) return;
    PrintError("berth dashboard: {}\n", line);
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
  Print("dashboard: {}\n", (*dashboard)->url());
  std::fflush(stdout);
  constexpr Duration kHour = Duration::Seconds(3600);
  while (!WaitForSignal(kHour)) {
  }
  (*dashboard)->Stop();
  return kExitOk;
}

Result<ServedDashboard> ChooseDashboard(uint16_t port) {
  auto found = FindDashboards();
  if (!found) return std::unexpected(found.error());
  if (port != 0) std::erase_if(*found, [&](const auto& served) { return served.port != port; });
  if (found->empty()) {
    return Fail(
        fmt::format("this user serves no dashboard{}; start `berth up` or `berth dashboard`",
                    port == 0 ? "" : fmt::format(" at port {}", port)));
  }
  if (found->size() == 1) return found->front();
  std::string list;
  for (const ServedDashboard& served : *found) {
    list += fmt::format("{}{} (berth {})", list.empty() ? "" : ", ", served.port, served.server);
  }
  return Fail("several dashboards are served; choose one with --port: " + list);
}

// Prints a new link to a dashboard that another process serves, and opens it.
int OpenDashboard(const DashboardOptions& options) {
  if (!options.kubeconfig.empty() || !options.context.empty() || !options.config_file.empty() ||
      !options.feature_gates.empty()) {
    PrintError(
        "berth dashboard: --open is for a dashboard that is served already; the only other "
        "flag that it takes is --port\n");
    return kExitUsage;
  }
  const auto served = ChooseDashboard(options.port);
  if (!served) return DashboardFailed(served.error());
  const std::string url =
      inspect::http::DashboardLink(served->port, served->link_key, SystemClock().Now());
  Print("dashboard: {}\n", url);
  std::fflush(stdout);
  const auto opened = OpenInBrowser(served->port, url);
  if (!opened) return DashboardFailed(opened.error());
  if (!*opened) PrintError("berth dashboard: xdg-open did not open it; open it yourself\n");
  return kExitOk;
}

}  // namespace

void AddDashboard(flags::Command& berth, const Registry& registry) {
  flags::Command& command =
      berth.Add("dashboard", "Show a cluster in the browser: nodes, queue and every pod's reasons");
  command.details =
      "Watches a cluster of Kubernetes v1.30 or later, whatever schedules it, and writes nothing "
      "to\n"
      "it. Serves the dashboard on this machine alone and prints a link to it, which opens as "
      "often as\n"
      "needed for 12 hours; --open makes a new one. Needs permission to list and watch what a "
      "scheduler reads.\n";
  command.exit_codes = "0 stopped by a signal, 1 failed to start, 2 invalid usage";
  DescribeDefaultKubeconfig(command);
  command.examples =
      "  berth dashboard\n"
      "  berth dashboard --kubeconfig ./kubeconfig --context prod --port 8600\n"
      "  berth dashboard --open\n";
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
      .As("NAME")
      .Completes(ContextNames({.kubeconfig = &options->kubeconfig}));
  group
      .Text(
          "config", options->config_file,
          "KubeSchedulerConfiguration file of the cluster's scheduler (default: built-in defaults)")
      .As("FILE");
  AddFeatureGates(group, options->feature_gates);
  group.Uint("port", options->port, "Port to serve the dashboard on; 0 means any free port");
  group.Switch("open", options->open,
               "Print a new link to the dashboard that this user's `berth up` or `berth dashboard` "
               "serves, open it in the browser, and exit");
  command.run = [options, &registry] {
    return options->open ? OpenDashboard(*options) : RunDashboard(*options, registry);
  };
}

}  // namespace berth::cmd
