#include "cmd/up_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "cmd/command_line.h"
#include "cmd/up_cluster.h"
#include "cmd/up_demo.h"
#include "cmd/up_status_line.h"
#include "cmd/up_summary.h"
#include "cmd/up_workload.h"

namespace berth {
namespace {

constexpr Duration kTerminalTick = Duration::Millis(500);
constexpr Duration kLogTick = Duration::Seconds(5);

int Refuse(const Error& error) {
  fmt::print(stderr, "berth up: {}\n", error.message);
  return kExitFailed;
}

// Tells how the cluster stands until a signal comes, or its data cannot be kept any more.
int Watch(UpCluster& cluster, bool terminal) {
  StatusLine line(terminal);
  DecisionRate rate;
  rate.Look(*cluster.scheduling(), cluster.real_clock().Now());
  std::string last;
  while (!AwaitEnd(terminal ? kTerminalTick : kLogTick)) {
    if (const auto health = cluster.store().health(); !health) {
      line.End();
      return Refuse(health.error());
    }
    const double per_second = rate.Look(*cluster.scheduling(), cluster.real_clock().Now());
    std::string text = StatusText(CountCluster(cluster.store()), per_second);
    if (text != last) line.Show(text);
    last = std::move(text);
  }
  return kExitOk;
}

int RunDemo(UpCluster& cluster, bool terminal) {
  const auto played = PlayDemo(cluster, terminal);
  if (!played) return Refuse(played.error());
  if (!*played) return kExitOk;
  fmt::print("\n{}\n", SummaryText(**played));
  if (!terminal) {
    fmt::print("{}", StepsAfterwards());
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

int RunUp(UpOptions options) {
  HoldSignals();
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (options.demo && options.nodes == 0 && options.nodes_from.empty()) options.nodes = kDemoNodes;
  const auto cluster = UpCluster::Start(options);
  if (!cluster) return Refuse(cluster.error());
  const int code = options.demo ? RunDemo(**cluster, terminal) : Run(**cluster, terminal);
  (*cluster)->Stop();
  return code;
}

}  // namespace berth
