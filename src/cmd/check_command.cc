#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/load_config.h"
#include "client/rest_client.h"
#include "cmd/check_cluster.h"
#include "cmd/check_report.h"
#include "cmd/check_scheduler.h"
#include "cmd/commands.h"
#include "cmd/complete_names.h"
#include "cmd/config_command.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/object_files.h"
#include "features/feature_gates.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "net/event_loop.h"
#include "runtime/extender_calls.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/load.h"
#include "scheduler/config/validate.h"
#include "scheduler/framework/extender.h"

namespace berth::cmd {
namespace {

struct CheckOptions {
  std::string kubeconfig;   // Empty: clientConnection.kubeconfig, else in-cluster.
  std::string context;      // Empty: current-context.
  std::string config_file;  // KubeSchedulerConfiguration; empty: defaults.
  std::vector<std::string> feature_gates;
  std::string output = "text";  // Or json.
  // Of a running scheduler, which is asked instead; empty: none.
  std::string address;
  bool insecure = false;
};

// Tries each extender. One that does not respond delays every pod that it manages, and fails it
// unless the extender is ignorable.
void CheckExtenders(const scheduler::config::Configuration& configuration, CheckReport& report) {
  report.Begin("extenders");
  const auto options = scheduler::config::ToEngineOptions(configuration);
  // What is wrong with them is a finding about the file.
  if (!options || options->extenders.empty()) return;
  net::EventLoop loop;
  loop.Start();
  for (const scheduler::framework::ExtenderConfig& extender : options->extenders) {
    const std::string name = fmt::format("extender {}", extender.url_prefix);
    const auto caller = runtime::ExtenderCaller::Create(loop, extender);
    if (!caller) continue;
    if (const Status status = (*caller)->Probe(); status) {
      report.Ok(name + " responds");
    } else if (extender.ignorable) {
      report.Note(
          fmt::format("{} does not respond: {}; it is ignorable: pods are scheduled without "
                      "it, each after its timeout",
                      name, status.error().message),
          "start it, or correct urlPrefix and tlsConfig");
    } else {
      report.Problem(
          fmt::format("{} does not respond: {}; pods that it manages cannot be scheduled", name,
                      status.error().message),
          "start it, correct urlPrefix and tlsConfig, or set ignorable: true");
    }
  }
}

// Returns the state of the feature gates; that of the defaults, if something is wrong with them.
features::FeatureGates CheckFeatureGates(const std::vector<std::string>& settings,
                                         CheckReport& report) {
  report.Begin("feature gates");
  const auto gates = features::FeatureGates::Parse(settings);
  if (gates) {
    for (const std::string& warning : gates->warnings()) report.Note(warning);
    return *gates;
  }
  for (const std::string& problem : gates.error()) {
    report.Problem("--feature-gates: " + problem, "correct it; the defaults are checked instead");
  }
  return {};
}

// Returns the configuration, as far as it can be decoded: what follows is checked with it.
scheduler::config::Configuration CheckConfigurationFile(const std::string& file,
                                                        const Registry& registry,
                                                        const scheduler::model::Features& features,
                                                        CheckReport& report) {
  report.Begin("configuration");
  const auto standard = [&] { return scheduler::config::Default(features); };
  if (file.empty()) {
    report.Ok("default configuration");
    return standard();
  }
  const auto text = ReadText(file, "--config");
  if (!text) {
    report.Problem(text.error().message, "name a file that can be read; the defaults are checked");
    return standard();
  }
  CheckedConfiguration checked = CheckConfiguration(*text, registry, features);
  for (const std::string& error : checked.errors) {
    report.Problem(fmt::format("{}: {}", file, error),
                   checked.completed ? "correct this field"
                                     : "correct this field; the defaults are checked instead");
  }
  if (!checked.completed) return standard();
  if (checked.ok()) report.Ok(file + " is valid");
  for (const std::string& note : scheduler::config::Warnings(*checked.completed)) report.Note(note);
  return *std::move(checked.completed);
}

void CheckCluster(const CheckOptions& options,
                  const scheduler::config::Configuration& configuration,
                  const features::FeatureGates& gates, CheckReport& report) {
  report.Begin("kubeconfig");
  const std::string& named = configuration.client_connection.kubeconfig;
  auto api = client::LoadClientConfig(
      {.kubeconfig = options.kubeconfig.empty() ? named : options.kubeconfig,
       .context = options.context});
  constexpr const char* kFix =
      "name the scheduler's kubeconfig with --kubeconfig or clientConnection.kubeconfig; the "
      "cluster is not checked";
  if (!api) return report.Problem(api.error().message, kFix);
  api->qps = -1;
  net::EventLoop loop;
  auto client = client::RestClient::Create(loop, *std::move(api));
  if (!client) return report.Problem(client.error().message, kFix);
  loop.Start();
  if (!CheckServer(**client, report)) return;
  CheckPermissions(**client, configuration, gates, report);
  CheckLease(**client, configuration.leader_election, report);
  CheckResources(**client, configuration, report);
}

// Asks as the user of the kubeconfig, or, without one, as anybody may: then only about its health.
int RunCheckScheduler(const CheckOptions& options) {
  CheckReport report(options.output == "json");
  report.Begin("kubeconfig");
  client::ClientConfig scheduler;
  if (!options.kubeconfig.empty()) {
    auto api =
        client::LoadClientConfig({.kubeconfig = options.kubeconfig, .context = options.context});
    if (api) {
      scheduler = *std::move(api);
    } else {
      report.Problem(api.error().message, "correct --kubeconfig; asking without credentials");
    }
  }
  scheduler.server = options.address;
  if (options.insecure) {
    scheduler.tls.insecure = true;
    scheduler.tls.ca_file.clear();
    scheduler.tls.ca_data.clear();
  }
  report.SetVerdict("Nothing is wrong with this scheduler");
  CheckScheduler(std::move(scheduler), report);
  return report.End();
}

int RunCheck(const CheckOptions& options, const Registry& registry) {
  if (!options.address.empty()) return RunCheckScheduler(options);
  CheckReport report(options.output == "json");
  const features::FeatureGates gates = CheckFeatureGates(options.feature_gates, report);
  const scheduler::config::Configuration configuration =
      CheckConfigurationFile(options.config_file, registry, gates.OfScheduler(), report);
  CheckExtenders(configuration, report);
  CheckCluster(options, configuration, gates, report);
  return report.End();
}

}  // namespace

void AddCheck(flags::Command& berth, const Registry& registry) {
  flags::Command& command = berth.Add("check", "Check that berth-scheduler can run on a cluster");
  command.details =
      "Validates the configuration and tries its extenders, then checks the server version, RBAC\n"
      "permissions, the lease and served resources with the scheduler's credentials. Goes on "
      "after\n"
      "problems, and says for each what to do. Read-only.\n"
      "\n"
      "With --address it asks a running scheduler instead what is wrong with it: its health "
      "checks\n"
      "and, with a kubeconfig whose user may get /metrics, its metrics.\n";
  command.exit_codes = "0 no problems, 1 problems found, 2 invalid usage";
  command.files = {{"/var/run/secrets/kubernetes.io/serviceaccount",
                    "Credentials in a pod, if no kubeconfig is named"}};
  command.examples =
      "  berth check --kubeconfig /etc/kubernetes/scheduler.conf\n"
      "  berth check --kubeconfig scheduler.conf --config scheduler.yaml -o json\n"
      "  berth check --address https://10.0.0.5:10259 --kubeconfig admin.conf "
      "--insecure-skip-tls-verify\n";
  const auto options = std::make_shared<CheckOptions>();
  flags::FlagGroup group(command.flags);
  group
      .Text("kubeconfig", options->kubeconfig,
            "Kubeconfig of the cluster and user to check (default: clientConnection.kubeconfig, "
            "else in-cluster)")
      .As("FILE");
  group.Text("context", options->context, "Kubeconfig context to use (default: current-context)")
      .As("NAME")
      .Completes(ContextNames({.kubeconfig = &options->kubeconfig}));
  group
      .Text("config", options->config_file,
            "KubeSchedulerConfiguration file (default: built-in defaults)")
      .As("FILE");
  group
      .Text("address", options->address,
            "HTTPS port of a running scheduler, to ask it what is wrong")
      .As("URL");
  group.Switch("insecure-skip-tls-verify", options->insecure,
               "With --address: trust any certificate, such as the one that a scheduler generates. "
               "The credentials of the kubeconfig are sent to it");
  AddFeatureGates(group, options->feature_gates);
  group.Text("output", options->output, "Output format: text or json")
      .Short('o')
      .As("FORMAT")
      .OneOf({"text", "json"});
  command.run = [options, &registry] { return RunCheck(*options, registry); };
}

}  // namespace berth::cmd
