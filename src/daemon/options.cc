#include "daemon/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "api/field_errors.h"
#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/yaml.h"
#include "base/text.h"
#include "daemon/serving_tls.h"
#include "daemon/version.h"
#include "net/http_message.h"
#include "observability/log.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/load.h"
#include "scheduler/config/print.h"
#include "scheduler/config/validate.h"

namespace berth::daemon {
namespace {

constexpr double kJitterFactor = 1.2;

void ApplyDeprecated(const DaemonFlags& flags, scheduler::config::Configuration& configuration) {
  const DeprecatedFlags& given = flags.deprecated;
  scheduler::config::ClientConnection& connection = configuration.client_connection;
  if (flags.is_given("profiling")) configuration.enable_profiling = given.profiling;
  if (flags.is_given("contention-profiling")) {
    configuration.enable_contention_profiling = given.contention_profiling;
  }
  if (flags.is_given("kubeconfig")) connection.kubeconfig = given.kubeconfig;
  if (flags.is_given("kube-api-content-type")) connection.content_type = given.content_type;
  if (flags.is_given("kube-api-qps")) connection.qps = given.qps;
  if (flags.is_given("kube-api-burst")) connection.burst = given.burst;
}

void ApplyLeaderElection(const DaemonFlags& flags, scheduler::config::LeaderElection& election) {
  const scheduler::config::LeaderElection& given = flags.leader_election;
  const auto apply = [&](std::string_view name, auto& field, const auto& value) {
    if (flags.is_given(name)) field = value;
  };
  apply("leader-elect", election.leader_elect, given.leader_elect);
  apply("leader-elect-lease-duration", election.lease_duration, given.lease_duration);
  apply("leader-elect-renew-deadline", election.renew_deadline, given.renew_deadline);
  apply("leader-elect-retry-period", election.retry_period, given.retry_period);
  apply("leader-elect-resource-lock", election.resource_lock, given.resource_lock);
  apply("leader-elect-resource-name", election.resource_name, given.resource_name);
  apply("leader-elect-resource-namespace", election.resource_namespace, given.resource_namespace);
}

void WarnOfIgnored(const DaemonFlags& flags, std::vector<std::string>& warnings) {
  for (const char* name : {"kubeconfig", "profiling", "contention-profiling",
                           "kube-api-content-type", "kube-api-qps", "kube-api-burst"}) {
    if (!flags.is_given(name)) continue;
    warnings.push_back(fmt::format("--{} is ignored because --config is given", name));
  }
}

// Finds the problems that the elector would report later.
void CheckElection(const scheduler::config::LeaderElection& election,
                   std::vector<std::string>& problems) {
  if (!election.leader_elect) return;
  if (election.renew_deadline > election.retry_period * kJitterFactor) return;
  problems.emplace_back(
      "couldn't create leader elector: renewDeadline must be greater than "
      "retryPeriod*JitterFactor");
}

// Returns the configuration before the flags for leader election are applied.
Checked<scheduler::config::Configuration> Base(const DaemonFlags& flags,
                                               const scheduler::model::Features& features,
                                               const FileReader& read) {
  if (flags.config.empty()) {
    scheduler::config::Configuration configuration = scheduler::config::Default(features);
    ApplyDeprecated(flags, configuration);
    return configuration;
  }
  const auto text = read(flags.config);
  if (!text) return std::unexpected(std::vector{text.error().message});
  auto configuration = scheduler::config::Decode(*text, features);
  if (configuration) return configuration;
  std::vector<std::string> problems;
  for (const std::string& problem : configuration.error()) {
    problems.push_back(flags.config + ": " + problem);
  }
  return std::unexpected(std::move(problems));
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) text.assign(std::istreambuf_iterator<char>(file), {});
  if (file.fail() || file.bad()) {
    return Fail(fmt::format("open {}: {}", path, std::strerror(errno)));
  }
  return text;
}

std::string Aggregate(std::span<const std::string> problems) {
  if (problems.size() == 1) return problems.front();
  return fmt::format("[{}]", fmt::join(problems, ", "));
}

Checked<DaemonOptions> Complete(DaemonFlags flags, features::FeatureGates gates,
                                const FileReader& read) {
  DaemonOptions options{std::move(flags), std::move(gates), {}, {}};
  std::vector<std::string> problems;
  const auto add = [&](std::vector<std::string> more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  options.warnings = options.gates.warnings();
  add(CheckFlags(options.flags, options.warnings));
  add(ReadMetricLabels(options.flags.metrics, read));

  auto configuration = Base(options.flags, options.gates.OfScheduler(), read);
  if (!configuration) {
    add(configuration.error());
    return std::unexpected(std::move(problems));
  }
  options.configuration = *std::move(configuration);
  if (!options.flags.config.empty()) WarnOfIgnored(options.flags, options.warnings);
  ApplyLeaderElection(options.flags, options.configuration.leader_election);
  const std::vector<std::string> mistakes = scheduler::config::Validate(options.configuration);
  add(mistakes);
  if (mistakes.empty()) CheckElection(options.configuration.leader_election, problems);
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return options;
}

Result<scheduler::engine::EngineOptions> ToEngineOptions(const DaemonOptions& options) {
  auto engine = scheduler::config::ToEngineOptions(options.configuration);
  if (!engine) return engine;
  engine->max_in_unschedulable_pods = options.flags.deprecated.max_in_unschedulable;
  engine->paranoid = options.flags.paranoid;
  return engine;
}

Status WriteConfiguration(const scheduler::config::Configuration& configuration,
                          const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << scheduler::config::ToYaml(configuration);
  file.close();
  if (file.fail()) return Fail(fmt::format("open {}: {}", path, std::strerror(errno)));
  return {};
}

namespace {

constexpr std::string_view kPreviousVersion = "1.35";

void CheckHeaders(const RequestHeaderFlags& flags, std::vector<std::string>& problems,
                  std::vector<std::string>& warnings) {
  const auto check = [&](const char* flag, const std::vector<std::string>& names) {
    const auto is_blank = [](const std::string& name) {
      return name.find_first_not_of(" \t") == name.npos;
    };
    if (std::ranges::any_of(names, is_blank)) {
      problems.push_back(fmt::format("empty value in \"{}\"", flag));
    }
  };
  const auto lacks = [](const std::vector<std::string>& names, const char* usual) {
    return !names.empty() && std::ranges::none_of(names, [&](const std::string& name) {
      return net::EqualIgnoringCase(name, usual);
    });
  };
  check("requestheader-username-headers", flags.username_headers);
  check("requestheader-uid-headers", flags.uid_headers);
  check("requestheader-group-headers", flags.group_headers);
  check("requestheader-extra-headers-prefix", flags.extra_header_prefixes);
  check("requestheader-allowed-names", flags.allowed_names);
  const auto expect = [&](const char* flag, const std::vector<std::string>& names,
                          const char* usual, const char* what) {
    if (!lacks(names, usual)) return;
    warnings.push_back(
        fmt::format("--{} is set without specifying the standard {} {} - API aggregation will not "
                    "work",
                    flag, usual, what));
  };
  expect("requestheader-username-headers", flags.username_headers, "X-Remote-User", "header");
  expect("requestheader-group-headers", flags.group_headers, "X-Remote-Group", "header");
  expect("requestheader-extra-headers-prefix", flags.extra_header_prefixes, "X-Remote-Extra-",
         "header prefix");
  if (lacks(flags.uid_headers, "X-Remote-Uid")) {
    problems.emplace_back(
        "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - "
        "API aggregation will not work");
  }
}

void CheckServing(const ServingFlags& serving, std::vector<std::string>& problems) {
  if (serving.secure_port < 0 || serving.secure_port > 65535) {
    problems.push_back(fmt::format(
        "--secure-port {} must be between 0 and 65535, inclusive. 0 for turning off secure port",
        serving.secure_port));
  }
  if (serving.tls_cert_file.empty() != serving.tls_private_key_file.empty()) {
    problems.push_back(fmt::format("missing filename for serving {}",
                                   serving.tls_cert_file.empty() ? "cert" : "key"));
  }
  if (serving.http2_max_streams < 0) {
    problems.push_back(fmt::format("--http2-max-streams-per-connection {} must not be negative",
                                   serving.http2_max_streams));
  }
  if (const auto choices = TlsChoices(serving); !choices) {
    problems.push_back(choices.error().message);
  }
}

void CheckPaths(const std::vector<std::string>& paths, std::vector<std::string>& problems) {
  for (const std::string& path : paths) {
    const std::string_view rest = std::string_view(path).substr(path.starts_with('/') ? 1 : 0);
    if (rest.empty() || rest.find('*') >= rest.size() - 1) continue;
    problems.push_back("only trailing * allowed in " + GoQuote(rest));
  }
}

void CheckVersions(const DaemonFlags& flags, std::vector<std::string>& problems) {
  const auto add = [&](const Status& status) {
    if (!status) problems.push_back(status.error().message);
  };
  add(features::CheckEmulatedVersion(flags.features.emulated_version));
  add(features::CheckMinCompatibilityVersion(flags.features.min_compatibility_version));
  const std::string& hidden = flags.metrics.show_hidden_for_version;
  if (!hidden.empty() && hidden != kPreviousVersion) {
    problems.push_back(
        fmt::format("--show-hidden-metrics-for-version must be omitted or have the value '{}'. "
                    "Only the previous minor version is allowed",
                    kPreviousVersion));
  }
}

}  // namespace

std::vector<std::string> CheckFlags(const DaemonFlags& flags, std::vector<std::string>& warnings) {
  std::vector<std::string> problems;
  CheckVersions(flags, problems);
  CheckServing(flags.serving, problems);
  CheckHeaders(flags.authentication.request_header, problems, warnings);
  CheckPaths(flags.authorization.always_allow_paths, problems);
  return problems;
}

std::vector<std::string> ReadMetricLabels(MetricsFlags& metrics, const FileReader& read) {
  std::vector<std::string> problems;
  const std::string& file = metrics.allowed_labels_manifest;
  if (metrics.allowed_labels.empty() && !file.empty()) {
    const auto text = read(file);
    if (!text) return {text.error().message};
    const auto json = api::FirstDocumentToJson(*text);
    if (!json) return {fmt::format("{}: {}", file, json.error().message)};
    const auto document = api::ParseJson(*json);
    if (!document) return {fmt::format("{}: {}", file, document.error().message)};
    const api::JsonObject* labels = api::ObjectAt(api::AsObject(*document), "allowListMapping");
    if (labels == nullptr) return {file + ": it has no allowListMapping"};
    for (const auto& [key, value] : *labels) metrics.allowed_labels[key] = api::AsString(value);
  }
  for (const auto& [key, values] : metrics.allowed_labels) {
    const size_t comma = key.find(',');
    if (comma != key.npos && comma > 0 && comma + 1 < key.size() &&
        key.find(',', comma + 1) == key.npos) {
      continue;
    }
    problems.push_back(fmt::format("--allow-metric-labels: {} is not metric,label",
                                   GoQuote(std::string_view(key))));
  }
  return problems;
}

Checked<observability::LogOptions> ToLogOptions(const LogFlags& flags,
                                                const features::FeatureGates& gates) {
  api::FieldErrors errors;
  const bool is_json = flags.format == "json";
  if (flags.flush_frequency <= Duration{}) {
    errors.Invalid(api::FieldPath{"flushFrequency"}, flags.flush_frequency,
                   "Must be greater than zero");
  }
  if (!is_json && flags.format != "text") {
    errors.Invalid(api::FieldPath{"format"}, flags.format, "Unsupported log format");
  }
  if (is_json && !gates.IsOn("LoggingBetaOptions")) {
    errors.Forbidden(api::FieldPath{"format"},
                     "Log format json is disabled, see LoggingBetaOptions feature");
  }
  if (is_json && !flags.vmodule.empty()) {
    errors.Forbidden(api::FieldPath{"vmodule"}, "Only supported for text log format");
  }
  const auto check_alpha = [&](const char* path, bool is_used) {
    if (!is_used || gates.IsOn("LoggingAlphaOptions")) return;
    errors.Forbidden(api::FieldPath{path}, "Feature LoggingAlphaOptions is disabled");
  };
  check_alpha("options.text.splitStream", flags.text_split_stream);
  check_alpha("options.text.infoBufferSize", flags.text_info_buffer_bytes != 0);
  check_alpha("options.json.splitStream", flags.json_split_stream);
  check_alpha("options.json.infoBufferSize", flags.json_info_buffer_bytes != 0);
  std::vector<std::string> problems = errors.TakeTexts();
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return observability::LogOptions{
      .json = is_json,
      .verbosity = flags.verbosity,
      .vmodule = flags.vmodule,
      .split_stream = is_json ? flags.json_split_stream : flags.text_split_stream,
      .info_buffer_bytes = is_json ? flags.json_info_buffer_bytes : flags.text_info_buffer_bytes,
      .flush_frequency = flags.flush_frequency};
}

namespace {

// Logs why the process cannot start, and returns its exit code.
std::unexpected<int> CommandFailed(std::span<const std::string> problems) {
  LOG_ERROR(Aggregate(problems), "command failed");
  return std::unexpected(1);
}

void LogFlagValues(const DaemonFlags& flags) {
  for (const auto& [name, value] : flags.values) {
    LOG_PLAIN(1, fmt::format("FLAG: --{}={}", name, GoQuote(std::string_view(value))));
  }
}

}  // namespace

std::expected<DaemonOptions, int> ReadCommandLine(std::span<const std::string> arguments,
                                                  const FileReader& read, const Streams& streams) {
  auto flags = ParseFlags(arguments);
  if (!flags) {
    streams.err(fmt::format("{}\nError: {}\n", UsageText(streams.columns), flags.error().message));
    return std::unexpected(1);
  }
  if (flags->help) {
    streams.out(HelpText(streams.columns));
    return std::unexpected(0);
  }
  // With JSON, all but errors about flags is: the format is set before anything is written.
  const bool json = flags->logs.format == "json";
  const std::vector<std::string> deprecations = flags->warnings;
  if (!json) {
    for (const std::string& warning : deprecations) streams.err(warning + "\n");
  }
  if (const Status status = CheckNoArguments(*flags); !status) {
    streams.err(fmt::format("Error: {}\n", status.error().message));
    return std::unexpected(1);
  }
  auto gates = features::FeatureGates::Parse(flags->features.gates);
  auto log = ToLogOptions(flags->logs, gates ? *gates : features::FeatureGates());
  if (!gates) {
    if (log) observability::Log().Configure(*std::move(log));
    return CommandFailed(gates.error());
  }
  if (const std::string version = VersionText(flags->version); !version.empty()) {
    streams.out(version);
    return std::unexpected(0);
  }
  if (!log) {
    streams.err(Aggregate(log.error()) + "\n");
    return std::unexpected(1);
  }
  observability::Log().Configure(*std::move(log));
  if (json) {
    for (const std::string& warning : deprecations) LOG_WARNING(warning);
  }
  LogFlagValues(*flags);
  auto options = Complete(*std::move(flags), *std::move(gates), read);
  if (!options) return CommandFailed(options.error());
  for (const std::string& warning : options->warnings) LOG_WARNING(warning);
  return *std::move(options);
}

}  // namespace berth::daemon
