// The flags beyond the HTTPS port: election, logs, metrics, features, and the deprecated ones.

#include <fmt/format.h>

#include "daemon/flag_group.h"

namespace berth::daemon {
namespace {

constexpr const char* kIgnoredWithFile = " Ignored if --config is given.";

std::string TrimSpaces(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

// "kube:Gate=true" counts once for itself; a component in front of it is shown apart.
std::string ShowGates(const std::vector<std::string>& gates) {
  std::vector<std::string> texts;
  for (const std::string& gate : gates) {
    texts.push_back(gate.contains(':') ? gate : ":" + gate);
  }
  return fmt::format("{}", fmt::join(texts, ","));
}

}  // namespace

void AddDeprecatedFlags(FlagSet& flags, DeprecatedFlags& deprecated) {
  FlagGroup group(flags, "deprecated");
  const auto say = [](Flag& flag, const char* instead) {
    flag.help = "DEPRECATED: " + flag.help;
    flag.deprecated = instead;
  };
  say(group.Switch("profiling", deprecated.profiling,
                   std::string("offers /debug/flags/v. Berth has no Go profiles: /debug/pprof "
                               "says so.") +
                       kIgnoredWithFile),
      "use enableProfiling in the file of --config instead");
  say(group.Switch("contention-profiling", deprecated.contention_profiling,
                   std::string("has no effect: there is no Go runtime whose blocking could be "
                               "profiled.") +
                       kIgnoredWithFile),
      "use enableContentionProfiling in the file of --config instead; it has no effect in Berth");
  say(group.Text("kubeconfig", deprecated.kubeconfig,
                 std::string("where the API server is, and how to get in; in-cluster if empty.") +
                     kIgnoredWithFile),
      "use clientConnection.kubeconfig in the file of --config instead");
  say(group.Text("kube-api-content-type", deprecated.content_type,
                 std::string("the form of requests to the API server.") + kIgnoredWithFile),
      "use clientConnection.contentType in the file of --config instead");
  say(group.Float(
          "kube-api-qps", deprecated.qps,
          std::string("how many requests a second to send to the API server.") + kIgnoredWithFile),
      "use clientConnection.qps in the file of --config instead");
  say(group.Int32(
          "kube-api-burst", deprecated.burst,
          std::string("how many requests to send at once to the API server.") + kIgnoredWithFile),
      "use clientConnection.burst in the file of --config instead");
  say(group.Time("pod-max-in-unschedulable-pods-duration", deprecated.max_in_unschedulable,
                 "how long a pod that could not be scheduled waits at most before it is tried "
                 "again."),
      "it will be removed in a future version");
}

void AddLeaderElectionFlags(FlagSet& flags, config::LeaderElection& election) {
  FlagGroup group(flags, "leader election");
  group.Switch("leader-elect", election.leader_elect,
               "Schedules only while holding a lease, so that of several schedulers one works.");
  group.Time("leader-elect-lease-duration", election.lease_duration,
             "How long a lease that nobody renews is left to its holder.");
  group.Time("leader-elect-renew-deadline", election.renew_deadline,
             "How long the leader tries to renew its lease before it gives up. Less than the "
             "lease's duration.");
  group.Time("leader-elect-retry-period", election.retry_period,
             "The time between tries to get or renew the lease.");
  group.Text("leader-elect-resource-lock", election.resource_lock,
             "The kind of object that is the lock; 'leases' is the only one.");
  group.Text("leader-elect-resource-name", election.resource_name, "The name of the lease.");
  group.Text("leader-elect-resource-namespace", election.resource_namespace,
             "The namespace of the lease.");
}

void AddFeatureFlags(FlagSet& flags, FeatureFlags& features) {
  FlagGroup group(flags, "feature gate");
  group.List("emulated-version", features.emulated_version,
             "The version to behave like: 1.36 or kube=1.36, the only one that Berth knows.");
  group.List("min-compatibility-version", features.min_compatibility_version,
             "The oldest version of other components to get along with: 1.33 to 1.36.");
  group.Other(
      "feature-gates", "colonSeparatedMultimapStringString",
      [&gates = features.gates](const std::string& text) -> Status {
        std::string_view rest = text;
        while (!rest.empty()) {
          const size_t end = std::min(rest.find(','), rest.size());
          if (std::string gate = TrimSpaces(rest.substr(0, end)); !gate.empty()) {
            gates.push_back(std::move(gate));
          }
          rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return {};
      },
      [&gates = features.gates] { return ShowGates(gates); },
      "Features to switch on or off: Gate=true,Other=false or kube:Gate=true. May be repeated. "
      "Berth's docs/differences.md says which it can switch.");
}

void AddMetricsFlags(FlagSet& flags, MetricsFlags& metrics) {
  FlagGroup group(flags, "metrics");
  group.Text("show-hidden-metrics-for-version", metrics.show_hidden_for_version,
             "Shows metrics that were hidden in the version after this one, which must be the "
             "previous minor version.");
  group.List("disabled-metrics", metrics.disabled,
             "The full names of metrics that are not to be shown.");
  group.Other(
      "allow-metric-labels", "stringToString",
      [&labels = metrics.allowed_labels](const std::string& text) {
        return AddMetricLabels(text, labels);
      },
      [&labels = metrics.allowed_labels] { return ShowMetricLabels(labels); },
      "Which values a label may have, others being shown as 'unexpected': metric,label=a,b. May be "
      "repeated.");
  group.Text("allow-metric-labels-manifest", metrics.allowed_labels_manifest,
             "A file with such labels: allowListMapping: {\"metric,label\": \"a,b\"}. "
             "--allow-metric-labels goes before it.");
}

void AddLogFlags(FlagSet& flags, LogFlags& logs) {
  FlagGroup group(flags, "logs");
  group.Text("logging-format", logs.format, "The form of log lines: text or json.");
  group.Time("log-flush-frequency", logs.flush_frequency,
             "How long log lines are held back at most, where they are held back at all.");
  group.Level("v", logs.verbosity, "How much to log: the higher the more.").shorthand = 'v';
  group.Other(
      "vmodule", "pattern=N,...",
      [&modules = logs.vmodule](const std::string& text) -> Status {
        auto parsed = ParseVModule(text);
        if (!parsed) return std::unexpected(parsed.error());
        modules.insert(modules.end(), parsed->begin(), parsed->end());
        return {};
      },
      [&modules = logs.vmodule] { return ShowVModule(modules); },
      "Levels of single source files, by their names without ending; text format only.");
  constexpr const char* kGate = " Needs the feature gate LoggingAlphaOptions.";
  group.Switch(
      "log-text-split-stream", logs.text_split_stream,
      std::string("[Alpha] Text format: info lines go to stdout, others to stderr.") + kGate);
  group.Bytes("log-text-info-buffer-size", logs.text_info_buffer_bytes,
              std::string("[Alpha] Text format with split streams: how many bytes of info lines "
                          "are held back, such as 512, 1k or 2Ki.") +
                  kGate);
  group.Switch(
      "log-json-split-stream", logs.json_split_stream,
      std::string("[Alpha] JSON format: info lines go to stdout, others to stderr.") + kGate);
  group.Bytes("log-json-info-buffer-size", logs.json_info_buffer_bytes,
              std::string("[Alpha] JSON format with split streams: how many bytes of info lines "
                          "are held back.") +
                  kGate);
}

}  // namespace berth::daemon
