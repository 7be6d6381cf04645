#include "cmd/check_cluster.h"

#include <fmt/format.h>

#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "client/api_status.h"
#include "features/served_versions.h"
#include "runtime/permission_check.h"
#include "runtime/watched_resources.h"

namespace berth::cmd {
namespace {

using api::AsObject;
using api::StringAt;

// Returns the rule of a Role or ClusterRole that grants the permission.
std::string RuleFor(const runtime::Permission& permission) {
  const std::string resource =
      permission.subresource.empty()
          ? permission.resource
          : fmt::format("{}/{}", permission.resource, permission.subresource);
  const std::string names =
      permission.name.empty() ? "" : fmt::format(", resourceNames: [{}]", permission.name);
  const std::string rule = fmt::format("{{apiGroups: [\"{}\"], resources: [{}], verbs: [{}]{}}}",
                                       permission.group, resource, permission.verb, names);
  if (permission.name_space.empty()) return "add to a ClusterRole of this user: " + rule;
  return fmt::format("add to a Role of this user in namespace {}: {}", permission.name_space, rule);
}

void ReportMissing(const runtime::MissingPermission& missing, CheckReport& report) {
  const std::string what = runtime::ToString(missing.permission);
  const std::string fix = RuleFor(missing.permission);
  if (!missing.permission.feature.empty()) {
    return report.Note(fmt::format("cannot {}: required by {}", what, missing.permission.feature),
                       fix);
  }
  report.Problem(
      fmt::format("cannot {}{}{}", what, missing.reason.empty() ? "" : ": ", missing.reason), fix);
}

}  // namespace

bool CheckServer(client::RestClient& client, CheckReport& report) {
  report.Begin("server");
  const std::string& server = client.config().server;
  report.SetServer(server);
  const auto body = client::GetAndWait(client, "/version");
  if (!body) {
    report.Problem(body.error().message,
                   "correct server and credentials in the kubeconfig; permissions and resources "
                   "are not checked");
    return false;
  }
  report.Ok(server + " is reachable");
  const auto version = api::ParseJson(*body);
  const std::string text(version ? StringAt(AsObject(*version), "gitVersion") : "");
  report.SetServerVersion(text);
  if (text.empty()) {
    report.Problem("/version: no gitVersion in the response", "let server be an API server");
    return true;
  }
  const std::string unserved = features::UnservedVersionText(text);
  if (unserved.empty()) {
    report.Ok(fmt::format("server version is {}; this release serves {}", text,
                          features::ServedVersionsText()));
  } else {
    report.Note(unserved);
  }
  return true;
}

void CheckPermissions(client::RestClient& client,
                      const scheduler::config::Configuration& configuration,
                      const features::FeatureGates& gates, CheckReport& report) {
  report.Begin("permissions");
  const auto& election = configuration.leader_election;
  auto permissions = runtime::SchedulerPermissions(
      configuration.features, election.resource_namespace, election.resource_name);
  if (gates.IsOn("CoordinatedLeaderElection")) {
    runtime::AddCandidatePermissions(election.resource_namespace, permissions);
  }
  const size_t count = permissions.size();
  std::promise<Result<std::vector<runtime::MissingPermission>>> promise;
  runtime::FindMissingPermissions(client, std::move(permissions),
                                  [&](auto missing) { promise.set_value(std::move(missing)); });
  const auto missing = promise.get_future().get();
  if (!missing) {
    return report.Problem(missing.error().message,
                          "allow the user to create selfsubjectaccessreviews.authorization.k8s.io "
                          "(ClusterRole system:basic-user)");
  }
  for (const runtime::MissingPermission& one : *missing) ReportMissing(one, report);
  report.Ok(fmt::format("{} of {} permissions granted", count - missing->size(), count));
}

void CheckLease(client::RestClient& client, const scheduler::config::LeaderElection& election,
                CheckReport& report) {
  report.Begin("lease");
  if (!election.leader_elect) {
    return report.Note("leader election is off", "run one replica only, or set leaderElect");
  }
  const std::string name =
      fmt::format("{}/{}", election.resource_namespace, election.resource_name);
  client::RestRequest request;
  request.path = fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}",
                             election.resource_namespace, election.resource_name);
  const auto response = client::SendAndWait(client, request);
  if (!response) return report.Problem(client::Describe(request, response));
  // A missing permission is the finding of CheckPermissions.
  if (response->status == 403) return;
  if (response->status == 404) {
    return report.Ok(fmt::format("lease {} does not exist yet: it is created", name));
  }
  if (!response->ok()) return report.Problem(client::Describe(request, response));
  const auto lease = api::ParseJson(response->body);
  const std::string_view holder =
      StringAt(api::ObjectAt(lease ? AsObject(*lease) : nullptr, "spec"), "holderIdentity");
  if (holder.empty()) return report.Ok(fmt::format("lease {} is held by nobody", name));
  report.Note(fmt::format("lease {} is held by {}: berth-scheduler waits until it is released",
                          name, holder),
              "nothing, if Berth replaces that scheduler; beside it, set "
              "leaderElection.resourceName to another name");
}

void CheckResources(client::RestClient& client,
                    const scheduler::config::Configuration& configuration, CheckReport& report) {
  report.Begin("resources");
  size_t served = 0;
  for (const runtime::WatchedResource& watched :
       runtime::WatchedResources(configuration.features)) {
    auto response = client::GetIfFound(client, watched.path() + "?limit=1");
    if (response && !*response && !watched.later_version.empty())
      response = client::GetIfFound(client, watched.later_path() + "?limit=1");
    if (!response) {
      // A missing permission is the finding of CheckPermissions.
      if (response.error().message.find("forbidden") != std::string::npos) continue;
      report.Problem(response.error().message);
    } else if (*response) {
      ++served;
    } else {
      report.Note(
          fmt::format("the server does not serve {} in {}; pods that need this resource stay "
                      "pending",
                      watched.resource, watched.version),
          watched.gate != nullptr
              ? "switch the feature gate on in the API server, and the API version with "
                "--runtime-config; or off in the scheduler"
              : "upgrade the API server");
    }
  }
  report.Ok(fmt::format("{} resources can be listed", served));
}

}  // namespace berth::cmd
