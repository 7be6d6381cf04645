#include "cmd/why_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/scheme/scheme.h"
#include "explain/patches.h"
#include "runtime/permission_check.h"

namespace berth::cmd {
namespace {

using runtime::Permission;

// The verbs of a step: by what it sends.
std::vector<std::string> VerbsOf(const explain::Step& step) {
  if (step.body.empty()) {
    return step.command.empty() ? std::vector<std::string>() : std::vector<std::string>{"delete"};
  }
  if (step.body.starts_with('{')) return {"create"};
  if (step.command.starts_with("kubectl patch")) return {"patch"};
  return {"delete", "create"};
}

std::vector<Permission> PermissionsFor(const explain::Fix& fix, const explain::Workload& workload) {
  std::vector<Permission> permissions;
  for (const explain::Step& step : explain::StepsOf(fix, workload)) {
    const auto* kind = api::scheme::FindKindByName(step.object.api_version, step.object.kind);
    if (kind == nullptr) continue;
    for (const std::string& verb : VerbsOf(step)) {
      Permission permission;
      permission.group = kind->group;
      permission.resource = kind->resource;
      permission.verb = verb;
      if (kind->namespaced) permission.name_space = step.object.key.namespace_;
      permissions.push_back(std::move(permission));
    }
  }
  return permissions;
}

// Returns those of the permissions that the user lacks; none if the server does not say.
std::vector<Permission> Missing(LiveCluster& cluster, std::vector<Permission> permissions) {
  using Answer = Result<std::vector<runtime::MissingPermission>>;
  const auto answer = std::make_shared<std::promise<Answer>>();
  auto future = answer->get_future();
  runtime::FindMissingPermissions(
      cluster.client(), std::move(permissions),
      [answer](Answer missing) { answer->set_value(std::move(missing)); });
  const Answer found = future.get();
  std::vector<Permission> missing;
  if (!found) return missing;
  for (const runtime::MissingPermission& one : *found) missing.push_back(one.permission);
  return missing;
}

}  // namespace

void AddForbidden(LiveCluster& cluster, explain::PodExplanation& pod) {
  if (!pod.fixes || pod.fixes->fixes.empty()) return;
  std::vector<Permission> asked;
  for (const explain::Fix& fix : pod.fixes->fixes) {
    for (Permission& permission : PermissionsFor(fix, pod.workload)) {
      if (std::ranges::find(asked, permission) == asked.end()) {
        asked.push_back(std::move(permission));
      }
    }
  }
  if (asked.empty()) return;
  const std::vector<Permission> missing = Missing(cluster, std::move(asked));
  for (explain::Fix& fix : pod.fixes->fixes) {
    for (const Permission& permission : PermissionsFor(fix, pod.workload)) {
      if (std::ranges::find(missing, permission) == missing.end()) continue;
      fix.forbidden = ToString(permission);
      break;
    }
  }
}

}  // namespace berth::cmd
