#include "daemon/options.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "config/decode.h"
#include "config/engine_options.h"
#include "config/print.h"
#include "config/validate.h"
#include "daemon/flag_checks.h"

namespace berth::daemon {
namespace {

constexpr double kJitterFactor = 1.2;

void ApplyDeprecated(const DaemonFlags& flags, config::Configuration& configuration) {
  const DeprecatedFlags& given = flags.deprecated;
  config::ClientConnection& connection = configuration.client_connection;
  if (flags.is_given("profiling")) configuration.enable_profiling = given.profiling;
  if (flags.is_given("contention-profiling")) {
    configuration.enable_contention_profiling = given.contention_profiling;
  }
  if (flags.is_given("kubeconfig")) connection.kubeconfig = given.kubeconfig;
  if (flags.is_given("kube-api-content-type")) connection.content_type = given.content_type;
  if (flags.is_given("kube-api-qps")) connection.qps = given.qps;
  if (flags.is_given("kube-api-burst")) connection.burst = given.burst;
}

void ApplyLeaderElection(const DaemonFlags& flags, config::LeaderElection& election) {
  const config::LeaderElection& given = flags.leader_election;
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

// What the elector would refuse later.
void CheckElection(const config::LeaderElection& election, std::vector<std::string>& problems) {
  if (!election.leader_elect) return;
  const double least = kJitterFactor * static_cast<double>(election.retry_period.nanos);
  if (static_cast<double>(election.renew_deadline.nanos) > least) return;
  problems.emplace_back(
      "couldn't create leader elector: renewDeadline must be greater than "
      "retryPeriod*JitterFactor");
}

// The configuration before flags have their say.
Checked<config::Configuration> Base(const DaemonFlags& flags, const FileReader& read) {
  if (flags.config.empty()) {
    config::Configuration configuration = config::Default();
    ApplyDeprecated(flags, configuration);
    return configuration;
  }
  const auto text = read(flags.config);
  if (!text) return std::unexpected(std::vector{text.error().message});
  auto configuration = config::Decode(*text);
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

Checked<DaemonOptions> Complete(DaemonFlags flags, FeatureGates gates, const FileReader& read) {
  DaemonOptions options{std::move(flags), std::move(gates), {}, {}};
  std::vector<std::string> problems;
  const auto add = [&](std::vector<std::string> more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  options.warnings = options.gates.warnings();
  add(CheckFlags(options.flags, options.warnings));
  add(ReadMetricLabels(options.flags.metrics, read));

  auto configuration = Base(options.flags, read);
  if (!configuration) {
    add(configuration.error());
    return std::unexpected(std::move(problems));
  }
  options.configuration = *std::move(configuration);
  if (!options.flags.config.empty()) WarnOfIgnored(options.flags, options.warnings);
  ApplyLeaderElection(options.flags, options.configuration.leader_election);
  const std::vector<std::string> mistakes = config::Validate(options.configuration);
  add(mistakes);
  if (mistakes.empty()) CheckElection(options.configuration.leader_election, problems);
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return options;
}

Result<EngineOptions> ToEngineOptions(const DaemonOptions& options) {
  auto engine = config::ToEngineOptions(options.configuration);
  if (!engine) return engine;
  engine->max_parked = options.flags.deprecated.max_in_unschedulable;
  engine->paranoid = options.flags.paranoid;
  return engine;
}

Status WriteConfiguration(const config::Configuration& configuration, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << config::ToYaml(configuration);
  file.close();
  if (file.fail()) return Fail(fmt::format("open {}: {}", path, std::strerror(errno)));
  return {};
}

}  // namespace berth::daemon
