// Role bindings as `kubectl get` shows them.
#include <fmt/format.h>

#include "kinds/table_columns.h"

namespace berth::apiserver {
namespace {

Cells BindingCells(JsonView object, Instant now) {
  std::vector<std::string> users;
  std::vector<std::string> groups;
  std::vector<std::string> accounts;
  for (const JsonView subject : object["subjects"].items()) {
    const std::string_view kind = subject["kind"].text();
    const std::string name(subject["name"].text());
    if (kind == "User") users.push_back(name);
    if (kind == "Group") groups.push_back(name);
    if (kind != "ServiceAccount") continue;
    const std::string_view space = subject["namespace"].text();
    accounts.push_back(space.empty() ? name : fmt::format("{}/{}", space, name));
  }
  const JsonView role = object["roleRef"];
  return {NameOf(object),     fmt::format("{}/{}", role["kind"].text(), role["name"].text()),
          AgeOf(object, now), Join(users, ", "),
          Join(groups, ", "), Join(accounts, ", ")};
}

TableLayout BindingLayout() {
  return {{NameColumn(),
           {"Role", "Role that is given."},
           AgeColumn(),
           {"Users", "Users who get it.", true},
           {"Groups", "Groups that get it.", true},
           {"ServiceAccounts", "Service accounts that get it.", true}},
          BindingCells};
}

}  // namespace

Layouts AccessLayouts() {
  return {{"rolebindings.rbac.authorization.k8s.io", BindingLayout()},
          {"clusterrolebindings.rbac.authorization.k8s.io", BindingLayout()}};
}

}  // namespace berth::apiserver
