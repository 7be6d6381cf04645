#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstdio>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "client/api_status.h"
#include "client/load_config.h"
#include "client/rest_client.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/config_command.h"
#include "cmd/feature_gate_flag.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "net/event_loop.h"
#include "runtime/extender_calls.h"
#include "runtime/permission_check.h"
#include "runtime/watched_resources.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/validate.h"
#include "scheduler/framework/extender.h"

namespace berth::cmd {
namespace {

using api::AsObject;
using api::StringAt;

// Minor versions of Kubernetes that a v1.36 scheduler supports: its own, one older and one newer.
constexpr int kOldestMinor = 35, kNewestMinor = 37;

struct CheckOptions {
  std::string kubeconfig;   // Empty: clientConnection.kubeconfig, else in-cluster.
  std::string context;      // Empty: current-context.
  std::string config_file;  // KubeSchedulerConfiguration; empty: defaults.
  std::vector<std::string> feature_gates;
};

// Prints findings as they are added, and counts the problems.
class Report {
 public:
  void Ok(const std::string& line) { fmt::print("ok       {}\n", line); }
  void Note(const std::string& line) { fmt::print("note     {}\n", line); }
  void Problem(std::string_view line) {
    fmt::print("PROBLEM  {}\n", line);
    ++problems_;
  }
  // Adds a problem for each line.
  void Problems(std::string_view lines) {
    while (!lines.empty()) {
      const size_t end = std::min(lines.find('\n'), lines.size());
      Problem(lines.substr(0, end));
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }
  int End() const {
    if (problems_ == 0) {
      fmt::print("\nberth-scheduler can run on this cluster.\n");
      return kExitOk;
    }
    fmt::print("\n{} found.\n",
               problems_ == 1 ? "1 problem" : fmt::format("{} problems", problems_));
    return kExitFailed;
  }

 private:
  size_t problems_ = 0;
};

void CheckVersion(const std::string& body, Report& report) {
  const auto version = api::ParseJson(body);
  const std::string text(version ? StringAt(AsObject(*version), "gitVersion") : "");
  int minor = 0;
  if (std::sscanf(text.c_str(), "v1.%d", &minor) != 1) {
    return report.Problem("/version: no gitVersion in the response");
  }
  if (minor < kOldestMinor || minor > kNewestMinor) {
    return report.Note(
        fmt::format("server version is {}; a v1.36 scheduler supports v1.{} to v1.{}: fields that "
                    "only one side "
                    "knows are ignored",
                    text, kOldestMinor, kNewestMinor));
  }
  report.Ok("server version is " + text);
}

// Lists every watched resource, and notes those that the server does not serve. A missing
// permission is the problem of CheckPermissions.
void CheckResources(client::RestClient& client, const scheduler::model::Features& features,
                    Report& report) {
  size_t served = 0;
  for (const runtime::WatchedResource& watched : runtime::WatchedResources(features)) {
    auto response = client::GetIfFound(client, watched.path() + "?limit=1");
    if (response && !*response && !watched.later_version.empty())
      response = client::GetIfFound(client, watched.later_path() + "?limit=1");
    if (!response) {
      if (response.error().message.find("forbidden") != std::string::npos) continue;
      report.Problem(response.error().message);
    } else if (!*response) {
      report.Note(
          fmt::format("the server does not serve {}; pods that need this resource stay pending",
                      watched.resource));
    } else {
      ++served;
    }
  }
  report.Ok(fmt::format("{} resources can be listed", served));
}

// Tries each extender. One that does not respond delays every pod that it manages, and fails it
// unless the extender is ignorable.
void CheckExtenders(const scheduler::config::Configuration& configuration, Report& report) {
  const auto options = scheduler::config::ToEngineOptions(configuration);
  if (!options) return report.Problem(options.error().message);
  net::EventLoop loop;
  loop.Start();
  for (const scheduler::framework::ExtenderConfig& extender : options->extenders) {
    const std::string name = fmt::format("extender {}", extender.url_prefix);
    const auto caller = runtime::ExtenderCaller::Create(loop, extender);
    if (!caller) {
      report.Problem(caller.error().message);
      continue;
    }
    if (const Status status = (*caller)->Probe(); status) {
      report.Ok(name + " responds");
    } else if (extender.ignorable) {
      report.Note(
          fmt::format("{} does not respond: {}; it is ignorable: pods are scheduled without "
                      "it, each after its timeout",
                      name, status.error().message));
    } else {
      report.Problem(
          fmt::format("{} does not respond: {}; pods that it manages cannot be scheduled: start "
                      "it, correct urlPrefix and tlsConfig, or set ignorable: true",
                      name, status.error().message));
    }
  }
}

void CheckPermissions(client::RestClient& client,
                      const scheduler::config::Configuration& configuration, Report& report) {
  const auto& election = configuration.leader_election;
  auto permissions = runtime::SchedulerPermissions(
      configuration.features, election.resource_namespace, election.resource_name);
  const size_t count = permissions.size();
  std::promise<Result<std::vector<runtime::MissingPermission>>> promise;
  runtime::FindMissingPermissions(client, std::move(permissions),
                                  [&](auto missing) { promise.set_value(std::move(missing)); });
  const auto missing = promise.get_future().get();
  if (!missing) return report.Problem(missing.error().message);
  for (const runtime::MissingPermission& one : *missing) {
    const std::string what = runtime::ToString(one.permission);
    if (one.permission.feature.empty()) {
      report.Problem(
          fmt::format("cannot {}{}{}", what, one.reason.empty() ? "" : ": ", one.reason));
    } else {
      report.Note(fmt::format("cannot {}: required by {}", what, one.permission.feature));
    }
  }
  report.Ok(fmt::format("{} of {} permissions granted", count - missing->size(), count));
}

int RunCheck(const CheckOptions& options, const Registry& registry) {
  Report report;
  const auto features = ReadFeatureGates(options.feature_gates, "berth check");
  if (!features) {
    report.Problem(features.error().message);
    return report.End();
  }
  const auto loaded = LoadConfiguration(options.config_file, registry, *features);
  if (!loaded) {
    report.Problems(loaded.error().message);
    return report.End();
  }
  const scheduler::config::Configuration& configuration = *loaded->completed;
  report.Ok(options.config_file.empty() ? "default configuration"
                                        : options.config_file + " is valid");
  for (const std::string& note : scheduler::config::Warnings(configuration)) report.Note(note);
  CheckExtenders(configuration, report);

  const std::string& named = configuration.client_connection.kubeconfig;
  auto api = client::LoadClientConfig(
      {.kubeconfig = options.kubeconfig.empty() ? named : options.kubeconfig,
       .context = options.context});
  if (!api) {
    report.Problem(api.error().message);
    return report.End();
  }
  api->qps = -1;
  const std::string server = api->server;
  net::EventLoop loop;
  auto client = client::RestClient::Create(loop, *std::move(api));
  if (!client) {
    report.Problem(client.error().message);
    return report.End();
  }
  loop.Start();
  const auto version = client::GetAndWait(**client, "/version");
  if (!version) {
    report.Problem(version.error().message);
    return report.End();
  }
  report.Ok(server + " is reachable");
  CheckVersion(*version, report);
  CheckPermissions(**client, configuration, report);
  CheckResources(**client, configuration.features, report);
  return report.End();
}

}  // namespace

void AddCheck(flags::Command& berth, const Registry& registry) {
  flags::Command& command = berth.Add("check", "Check that berth-scheduler can run on a cluster");
  command.details =
      "Validates the configuration and tries its extenders, then checks the server version, RBAC\n"
      "permissions and served resources with the scheduler's credentials. Read-only.\n"
      "Exit codes: 0 no problems, 1 problems found, 2 invalid usage.\n";
  command.examples = "  berth check --kubeconfig /etc/kubernetes/scheduler.conf\n";
  const auto options = std::make_shared<CheckOptions>();
  flags::FlagGroup group(command.flags);
  group
      .Text("kubeconfig", options->kubeconfig,
            "Kubeconfig of the cluster and user to check (default: clientConnection.kubeconfig, "
            "else in-cluster)")
      .As("FILE");
  group.Text("context", options->context, "Kubeconfig context to use (default: current-context)")
      .As("NAME");
  group
      .Text("config", options->config_file,
            "KubeSchedulerConfiguration file (default: built-in defaults)")
      .As("FILE");
  AddFeatureGates(group, options->feature_gates);
  command.run = [options, &registry] { return RunCheck(*options, registry); };
}

}  // namespace berth::cmd
