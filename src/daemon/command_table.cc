#include "daemon/command_table.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "base/kubernetes_version.h"
#include "base/terminal.h"
#include "daemon/flags.h"
#include "flags/completion.h"
#include "flags/flag_set.h"

namespace berth::daemon {
namespace {

constexpr const char* kSchedulerProgram = "berth-scheduler";

struct Table {
  Table()
      : command(kSchedulerProgram,
                fmt::format("Kubernetes scheduler that replaces kube-scheduler v{}",
                            kKubernetesMinorVersion),
                AllFlags()) {
    command.details =
        "Accepts the flags and the KubeSchedulerConfiguration of kube-scheduler, makes the same\n"
        "decisions and binds pods to nodes. Runs until SIGTERM or SIGINT, or until it loses its\n"
        "lease.\n"
        "\n"
        "'berth-scheduler completion bash' (or zsh, fish) prints the script that completes the "
        "flags\n"
        "in a shell.\n";
    command.exit_codes =
        "0 stopped by a signal with leader election, or in shadow mode; 1 stopped without leader "
        "election, the lease was lost, or invalid flags or configuration";
    command.examples =
        "  berth-scheduler --config /etc/kubernetes/scheduler.yaml\n"
        "  berth-scheduler --kubeconfig /etc/kubernetes/scheduler.conf --shadow\n"
        "  berth-scheduler --write-config-to /dev/stdout\n";
    command.files = {{"/var/run/secrets/kubernetes.io/serviceaccount",
                      "Credentials in a pod, where no kubeconfig is given"}};
    // Hidden, as there is nothing else after the flags: help and manual name it.
    flags::AddCompletion(command, {kSchedulerProgram}).hidden = true;
  }

  flags::FlagSet AllFlags() {
    flags::FlagSet set;
    AddAllFlags(set, values);
    return set;
  }

  DaemonFlags values;
  flags::Command command;
};

}  // namespace

std::shared_ptr<flags::Command> SchedulerCommandTable() {
  const auto table = std::make_shared<Table>();
  return {table, &table->command};
}

std::optional<int> RunCompletion(std::span<const std::string> arguments, size_t columns) {
  if (arguments.empty()) return std::nullopt;
  const std::string& first = arguments.front();
  if (first != "completion" && !first.starts_with("__complete")) return std::nullopt;
  const auto table = SchedulerCommandTable();
  const auto invocation = flags::ParseCommandLine(*table, arguments, columns);
  if (!invocation) {
    PrintError("{}", invocation.error().message);
    return 1;
  }
  if (invocation->text.empty()) return invocation->command->run();
  Print("{}", invocation->text);
  return 0;
}

}  // namespace berth::daemon
