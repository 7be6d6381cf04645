#include "cmd/up_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "base/terminal.h"
#include "cmd/apiserver_command.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/up_cluster.h"
#include "cmd/up_demo.h"
#include "cmd/up_devices.h"
#include "cmd/up_status.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "ledger/ledger_flags.h"
#include "scheduler/model/cluster.h"

namespace berth::cmd {
namespace {

constexpr Duration kTerminalTick = Duration::Millis(500);
constexpr Duration kLogTick = Duration::Seconds(5);

int PrintError(const Error& error) {
  berth::PrintError("berth up: {}\n", error.message);
  return kExitFailed;
}

// Prints status lines until a stop signal arrives or the store can no longer be written.
int Watch(UpCluster& cluster, bool terminal) {
  StatusLine line(terminal);
  DecisionRate rate;
  rate.Sample(*cluster.scheduling(), cluster.real_clock().Now());
  std::string last;
  while (!WaitForSignal(terminal ? kTerminalTick : kLogTick)) {
    if (const auto health = cluster.store().health(); !health) {
      line.End();
      return PrintError(health.error());
    }
    const double per_second = rate.Sample(*cluster.scheduling(), cluster.real_clock().Now());
    std::string text = StatusText(CountCluster(cluster.store()), per_second);
    if (text != last) line.Show(text);
    last = std::move(text);
  }
  return kExitOk;
}

int RunDemo(UpCluster& cluster, bool terminal) {
  const auto result = RunDemoWorkloads(cluster, terminal);
  if (!result) return PrintError(result.error());
  if (!*result) return kExitOk;
  Print("\n{}\n", SummaryText(**result));
  if (!terminal) {
    Print("{}", NextStepsAfterExit());
    return kExitOk;
  }
  Print("{}\n", NextSteps(**result, ExportLine(cluster.kubeconfig())));
  if (!cluster.dashboard_url().empty()) Print("Dashboard: {}\n", cluster.dashboard_url());
  Print("Stop it with Ctrl-C.\n\n");
  std::fflush(stdout);
  return Watch(cluster, terminal);
}

int Run(UpCluster& cluster, bool terminal) {
  Print("listening on {}\n{}\n", cluster.served().server->url(), ExportLine(cluster.kubeconfig()));
  if (!cluster.dashboard_url().empty()) Print("dashboard: {}\n", cluster.dashboard_url());
  std::fflush(stdout);
  return Watch(cluster, terminal);
}

// Runs until a stop signal arrives; the demo exits by itself unless stdout is a terminal.
int RunUp(const UpOptions& options, const Registry& registry) {
  BlockSignals();
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const auto cluster = UpCluster::Start(options, registry);
  if (!cluster) return PrintError(cluster.error());
  const int code = options.demo ? RunDemo(**cluster, terminal) : Run(**cluster, terminal);
  (*cluster)->Stop();
  return code;
}

void AddObjectFlags(flags::FlagGroup group, UpOptions& options) {
  constexpr size_t kMaxNodes = 100'000;
  group.Uint("nodes", options.nodes, "Number of nodes to create, in 3 zones and 3 sizes", 0,
             kMaxNodes);
  group.Uint("gpus", options.gpus,
             "Number of example GPUs on each node: devices of the DeviceClass gpu.example.com", 0,
             kMaxGpus);
  group
      .Text("nodes-from", options.nodes_from,
            "Create the nodes in this file (kubectl get nodes -o yaml), or - for standard input")
      .As("FILE");
  group
      .Repeated("filename", options.files,
                "Apply the YAML or JSON objects of this file, directory of *.yaml, *.yml and "
                "*.json files, or - for standard input; may be repeated")
      .Short('f')
      .As("FILE");
  group.Switch("demo", options.demo,
               "Run a demo: 1,000 nodes and 10,000 pods, on a free port; exits with a summary "
               "unless stdout is a terminal");
}

void AddClusterFlags(flags::FlagGroup group, UpOptions& options) {
  group
      .Text("scheduler", options.scheduler,
            "Scheduler to run: embedded (in process, on the store), http (API client, as "
            "berth-scheduler) or none")
      .As("MODE")
      .OneOf({"embedded", "http", "none"});
  group
      .Text("config", options.config_file,
            "KubeSchedulerConfiguration file (default: built-in defaults)")
      .As("FILE");
  AddFeatureGates(group, options.feature_gates);
  ledger::AddLedgerFlags(group, options.ledger);
  group.Double("speed", options.speed, "Time acceleration factor", 0.001, 10'000);
  group
      .Text("stages", options.stages_file,
            "Stages of the life of pods: how long they take to start, run and end, and whether "
            "they fail (docs/up.md), or - for standard input")
      .As("FILE");
  group.Switch("dashboard", options.dashboard, "Serve the dashboard on this machine");
  group.Uint("dashboard-port", options.dashboard_port,
             "Port of the dashboard; 0 means any free port");
  group.Uint("seed", options.seed, "Seed of the jitter and the weights of stages");
  group.Switch("no-controllers", options.no_controllers,
               "Do not run the workload controllers (Deployment, Job, ...)");
  group.Switch("no-kubelets", options.no_kubelets, "Do not run fake kubelets");
  group.Switch("no-leases", options.no_leases,
               "Do not renew node leases or mark nodes unreachable");
}

}  // namespace

void AddUp(flags::Command& berth, const Registry& registry) {
  flags::Command& command =
      berth.Add("up", "Run a local cluster: API server, scheduler, controllers and fake kubelets");
  command.details =
      "kubectl and other clients can use it like any cluster. Pods are bound, get an IP and become "
      "Running,\n"
      "but no containers are started. Prints the KUBECONFIG to use and a link to the "
      "dashboard,\n"
      "of which `berth dashboard --open` makes new ones, then a status line.\n"
      "Stop it with Ctrl-C; with --data-dir the next start resumes from the stored objects.\n";
  command.exit_codes =
      "0 stopped by a signal, or demo finished; 1 failed to start, or the data directory cannot be "
      "written; 2 invalid usage";
  command.examples =
      "  berth up --nodes 100 -f deployment.yaml\n"
      "  berth up --nodes 3 --gpus 4 -f claim.yaml\n"
      "  berth up --nodes 3 --stages examples/up/stages.yaml --speed 60 -f job.yaml\n"
      "  berth up --data-dir ./cluster --kubeconfig ./kubeconfig\n"
      "  berth up --demo\n";
  const auto options = std::make_shared<UpOptions>();
  AddObjectFlags(flags::FlagGroup(command.flags), *options);
  AddClusterFlags(flags::FlagGroup(command.flags), *options);
  AddApiServerFlags(flags::FlagGroup(command.flags, "API server"), options->api);
  command.run = [options, &flags = command.flags, &registry] {
    if (options->demo) {
      if (!flags.is_set("port")) options->api.port = 0;
      if (options->nodes == 0 && options->nodes_from.empty()) options->nodes = kDemoNodes;
    }
    return RunUp(*options, registry);
  };
}

}  // namespace berth::cmd
