// Checks which of the permissions that a scheduler needs an API server grants.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/rest_client.h"

namespace berth::runtime {

// One verb on one resource.
struct Permission {
  std::string group;  // "" for core.
  std::string resource;
  std::string subresource;
  std::string verb;
  std::string name_space;  // Empty: in all, or of the cluster.
  std::string name;        // Empty: of any name.
  // If not empty, only this fails without the permission.
  std::string feature;

  friend bool operator==(const Permission&, const Permission&) = default;
};

// "create pods/binding", "update leases.coordination.k8s.io kube-system/kube-scheduler"
std::string ToString(const Permission& permission);

// Returns what berth-scheduler needs, which is less than kube-scheduler's roles allow. The lock is
// the configuration's.
std::vector<Permission> SchedulerPermissions(const std::string& lock_namespace,
                                             const std::string& lock_name);

struct MissingPermission {
  Permission permission;
  std::string reason;  // The server's, if it gives one.
};

// Reviews each (SelfSubjectAccessReview) and calls back once, on the client's executor, with those
// that are missing, in their order. The error is one sentence: a review failed.
using MissingCallback = std::function<void(Result<std::vector<MissingPermission>>)>;
void FindMissingPermissions(client::RestClient& client, std::vector<Permission> permissions,
                            MissingCallback callback);

}  // namespace berth::runtime
