#include "cmd/why_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/scheme/scheme.h"
#include "explain/patches.h"

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

void AccessCheck::AddForbidden(explain::PodExplanation& pod) {
  if (cluster_ == nullptr || !pod.fixes) return;
  std::vector<Permission> unknown;
  for (const explain::Fix& fix : pod.fixes->fixes) {
    for (Permission& permission : PermissionsFor(fix, pod.workload)) {
      if (std::ranges::find(asked_, permission) != asked_.end()) continue;
      asked_.push_back(permission);
      unknown.push_back(std::move(permission));
    }
  }
  if (!unknown.empty())
    std::ranges::copy(Missing(*cluster_, unknown), std::back_inserter(missing_));
  for (explain::Fix& fix : pod.fixes->fixes) {
    for (const Permission& permission : PermissionsFor(fix, pod.workload)) {
      if (std::ranges::find(missing_, permission) == missing_.end()) continue;
      fix.forbidden = ToString(permission);
      break;
    }
  }
}

}  // namespace berth::cmd
