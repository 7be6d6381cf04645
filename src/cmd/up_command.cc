#include "cmd/up_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cmd/apiserver_command.h"
#include "cmd/command_line.h"
#include "cmd/up_cluster.h"
#include "cmd/up_demo.h"
#include "cmd/up_status.h"
#include "scheduler/model/cluster.h"

namespace berth::cmd {
namespace {

constexpr size_t kMaxNodes = 100'000;

void AddObjectFlags(CLI::App& command, UpOptions& options) {
  command
      .add_option("--nodes", options.nodes, "Make so many nodes, in three zones and three sizes")
      ->type_name("N")
      ->check(CLI::Range(size_t{0}, kMaxNodes).description(""));
  command
      .add_option("--nodes-from", options.nodes_from,
                  "Make the nodes in this file, YAML or JSON, as kubectl get nodes -o yaml prints "
                  "them; - for standard input")
      ->type_name("FILE");
  command
      .add_option("-f,--filename", options.files,
                  "Create or apply the objects in this file, YAML or JSON: a file, a directory "
                  "(its *.yaml, *.yml and *.json), or - for standard input; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_flag("--demo", options.demo,
                   "Show a thousand nodes and ten thousand pods at work, on any free port; ends "
                   "with a summary unless standard output is a terminal");
}

void AddClusterFlags(CLI::App& command, UpOptions& options) {
  command
      .add_option(
          "--scheduler", options.scheduler,
          "Who schedules: embedded (Berth, on the store itself), http (Berth, as a client of "
          "the API, the way berth-scheduler works) or none (bring your own)")
      ->type_name("WHO")
      ->check(CLI::IsMember({"embedded", "http", "none"}))
      ->capture_default_str();
  command
      .add_option("--config", options.config_file,
                  "KubeSchedulerConfiguration file of the scheduler (default: the default "
                  "configuration)")
      ->type_name("FILE");
  command
      .add_option("--speed", options.speed,
                  "How many seconds pass in the cluster while one passes outside")
      ->type_name("X")
      ->check(CLI::Range(0.001, 10'000.0).description(""))
      ->capture_default_str();
  command.add_flag("--no-controllers", options.no_controllers,
                   "Leave Deployments, Jobs and other workloads to somebody else");
  command.add_flag("--no-kubelets", options.no_kubelets,
                   "Leave nodes and the pods on them to somebody else");
  command.add_flag("--no-leases", options.no_leases,
                   "Do not renew the leases of nodes, and take none for lost");
}

}  // namespace

void AddUp(CLI::App& app, UpOptions& options) {
  CLI::App* command = app.add_subcommand(
      "up", "Run a cluster on this machine: API server, scheduler, controllers and fake nodes");
  command->footer(
      "kubectl and other clients use it as any cluster. Pods are bound, get an address and are "
      "Running,\n"
      "but nothing is executed. Prints the line that points kubectl at it, then a status line.\n"
      "Ctrl-C ends it; with --data-dir, the next start goes on where this one ended.\n"
      "Exit codes: 0 ended by a signal, or the demonstration is over; 1 it could not start, or "
      "its data\n"
      "cannot be written any more; 2 bad usage.\n"
      "\n"
      "Example:\n"
      "  berth up --nodes 100 -f deployment.yaml\n"
      "  berth up --data-dir ./cluster --kubeconfig ./kubeconfig\n"
      "  berth up --demo");
  AddObjectFlags(*command, options);
  AddClusterFlags(*command, options);
  AddApiServerFlags(*command, options.api);
  command->callback([command, &options] {
    if (options.demo && command->count("--port") == 0) options.api.port = 0;
  });
}

namespace {

constexpr Duration kTerminalTick = Duration::Millis(500);
constexpr Duration kLogTick = Duration::Seconds(5);

int PrintError(const Error& error) {
  fmt::print(stderr, "berth up: {}\n", error.message);
  return kExitFailed;
}

// Tells how the cluster stands until a signal comes, or its data cannot be kept any more.
int Watch(UpCluster& cluster, bool terminal) {
  StatusLine line(terminal);
  DecisionRate rate;
  rate.Look(*cluster.scheduling(), cluster.real_clock().Now());
  std::string last;
  while (!WaitForSignal(terminal ? kTerminalTick : kLogTick)) {
    if (const auto health = cluster.store().health(); !health) {
      line.End();
      return PrintError(health.error());
    }
    const double per_second = rate.Look(*cluster.scheduling(), cluster.real_clock().Now());
    std::string text = StatusText(CountCluster(cluster.store()), per_second);
    if (text != last) line.Show(text);
    last = std::move(text);
  }
  return kExitOk;
}

int RunDemo(UpCluster& cluster, bool terminal) {
  const auto played = RunDemoWorkloads(cluster, terminal);
  if (!played) return PrintError(played.error());
  if (!*played) return kExitOk;
  fmt::print("\n{}\n", SummaryText(**played));
  if (!terminal) {
    fmt::print("{}", NextStepsAfterExit());
    return kExitOk;
  }
  fmt::print("{}\nCtrl-C ends it.\n\n", NextSteps(**played, ExportLine(cluster.kubeconfig())));
  std::fflush(stdout);
  return Watch(cluster, terminal);
}

int Run(UpCluster& cluster, bool terminal) {
  fmt::print("listening on {}\n{}\n", cluster.served().server->url(),
             ExportLine(cluster.kubeconfig()));
  std::fflush(stdout);
  return Watch(cluster, terminal);
}

}  // namespace

int RunUp(UpOptions options, const scheduler::framework::Registry& registry) {
  BlockSignals();
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (options.demo && options.nodes == 0 && options.nodes_from.empty()) options.nodes = kDemoNodes;
  const auto cluster = UpCluster::Start(options, registry);
  if (!cluster) return PrintError(cluster.error());
  const int code = options.demo ? RunDemo(**cluster, terminal) : Run(**cluster, terminal);
  (*cluster)->Stop();
  return code;
}

}  // namespace berth::cmd
