#include "daemon/flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/go_duration.h"
#include "base/kubernetes_version.h"
#include "base/text.h"
#include "daemon/flag_groups.h"
#include "flags/flag_group.h"
#include "flags/flag_set.h"
#include "flags/flag_values.h"
#include "ledger/ledger_flags.h"

namespace berth::daemon {
namespace {

using flags::FlagGroup;
using flags::FlagSet;

constexpr std::string_view kProgram = "berth-scheduler";

Status SetVersion(const std::string& text, std::string& version) {
  if (text == "raw") {
    version = text;
    return {};
  }
  if (text.starts_with('v')) {
    const std::string own = fmt::format("v{}", kKubernetesVersion);
    const std::string_view rest =
        std::string_view(text).substr(text.starts_with(own) ? own.size() : 0);
    if (!rest.empty() && rest[0] != '-' && rest[0] != '+') {
      return Fail(fmt::format("version {} must be {}, or begin with it and - or +",
                              GoQuote(std::string_view(text)), own));
    }
    version = text;
    return {};
  }
  const auto wanted = flags::ParseBool(text);
  if (!wanted) return std::unexpected(wanted.error());
  version = *wanted ? "true" : "false";
  return {};
}

Result<Duration> ParseStuckAfter(const std::string& text) {
  const auto time = ParseGoDuration(text);
  if (!time || *time == Duration{} || *time >= Duration::Seconds(1)) return time;
  return Fail("must be 0, or at least 1s");
}

std::string ShowStuckAfter(const std::optional<Duration>& time) {
  return time ? FormatGoDuration(*time) : "";
}

Result<size_t> ParseRecordSize(const std::string& text) {
  constexpr size_t kMin = size_t{64} << 10;
  const auto bytes = flags::ParseBytes(text);
  if (!bytes || *bytes == 0 || *bytes >= kMin) return bytes;
  return Fail(fmt::format("must be 0, or at least {}", flags::ShowBytes(kMin)));
}

void AddMiscFlags(FlagSet& set, DaemonFlags& flags) {
  FlagGroup group(set, "misc");
  group.Text("config", flags.config, "KubeSchedulerConfiguration file.").Completes(flags::Files());
  group
      .Text("write-config-to", flags.write_config_to,
            "Write the configuration, with defaults, to this file and exit.")
      .Completes(flags::Files());
  group.Text("master", flags.master,
             "Address of the Kubernetes API server; overrides the value in the kubeconfig.");
}

void AddGlobalFlags(FlagSet& set, DaemonFlags& flags) {
  FlagGroup group(set, "global");
  group.Switch("help", flags.help, "Print this help.").Short('h');
  group
      .Other(
          "version", "version",
          [&version = flags.version](const std::string& text) { return SetVersion(text, version); },
          [&version = flags.version] { return version; },
          "--version, --version=raw prints version information and exits; --version=vX.Y.Z... sets "
          "the reported version.")
      .implied = "true";
}

void AddOwnFlags(FlagSet& set, DaemonFlags& flags) {
  FlagGroup group(set, "Berth");
  group.Switch("shadow", flags.shadow,
               "Do not bind or write anything: compare each decision of the active scheduler with "
               "Berth's own, and report the result in logs and metrics.");
  group.Text("record", flags.record, "Record events and decisions to this file, for berth replay.")
      .Completes(flags::Files());
  group.Parsed("record-size", "BYTES", flags.record_size, ParseRecordSize, flags::ShowBytes,
               "Size at which the file of --record is renamed to FILE.1 and the next one begins; 0 "
               "writes one file without limit.");
  group.Uint("record-files", flags.record_files,
             "Number of files to keep with --record, those of earlier runs included. The oldest "
             "ones are removed.",
             1, 1000);
  group.Switch(
      "paranoid", flags.paranoid,
      "Recompute each decision from scratch and with the reference implementation; abort at "
      "the first mismatch. Slow.");
  group.Switch("dashboard", flags.dashboard,
               "Serve the dashboard at /berth/dashboard/ of the secure port, to users who may get "
               "that path and /berth/v1/*.");
  group.Parsed("memory-limit", "BYTES", flags.memory_limit, flags::ParseBytes, flags::ShowBytes,
               "Memory that the process may use: sizes the ledger, and caches are dropped near it. "
               "0 uses the limit of the cgroup, if there is one.");
  group.Parsed("stuck-after", "duration", flags.stuck_after, ParseStuckAfter, ShowStuckAfter,
               "Time after which a leader that has not ended what it does gives up its lease, logs "
               "the stacks of its threads and exits with 3; 0 never does. Default: the renew "
               "deadline.");
  ledger::AddLedgerFlags(group, flags.ledger, ".");
}

}  // namespace

void AddAllFlags(FlagSet& set, DaemonFlags& flags) {
  AddMiscFlags(set, flags);
  AddServingFlags(set, flags.serving);
  AddAuthenticationFlags(set, flags.authentication);
  AddAuthorizationFlags(set, flags.authorization);
  AddDeprecatedFlags(set, flags.deprecated);
  AddLeaderElectionFlags(set, flags.leader_election);
  AddFeatureFlags(set, flags.features);
  AddMetricsFlags(set, flags.metrics);
  AddLogFlags(set, flags.logs);
  AddGlobalFlags(set, flags);
  AddOwnFlags(set, flags);
}

Result<DaemonFlags> ParseFlags(std::span<const std::string> arguments) {
  DaemonFlags flags;
  FlagSet set;
  AddAllFlags(set, flags);
  if (const Status status = set.Parse(arguments); !status) {
    return Fail(status.error().message + set.SuggestionText());
  }
  flags.positional = set.positional();
  flags.values = set.Values();
  for (const auto& [name, value] : flags.values) {
    if (set.is_set(name)) flags.given.insert(name);
  }
  flags.warnings = set.DeprecationWarnings();
  return flags;
}

Status CheckNoArguments(const DaemonFlags& flags) {
  const bool all_empty = std::ranges::all_of(flags.positional, &std::string::empty);
  if (all_empty) return {};
  return Fail(fmt::format("\"{}\" does not take any arguments, got {}", kProgram,
                          GoQuote(flags.positional)));
}

std::string UsageText(size_t columns) {
  DaemonFlags flags;
  FlagSet set;
  AddAllFlags(set, flags);
  return fmt::format("Usage:\n  {} [flags]\n{}", kProgram, set.Help(columns));
}

std::string HelpText(size_t columns) {
  return fmt::format(
             "berth-scheduler is a drop-in replacement for kube-scheduler v{}: it accepts the "
             "same\n"
             "flags and KubeSchedulerConfiguration, makes the same decisions and binds pods to "
             "nodes.\n\n",
             kKubernetesMinorVersion) +
         UsageText(columns) +
         "\nUse \"berth-scheduler completion --help\" for the completion of flags in a shell.\n";
}

}  // namespace berth::daemon
