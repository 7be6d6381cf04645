// Checks which of the permissions that a scheduler needs an API server grants.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/rest_client.h"
#include "scheduler/model/features.h"

namespace berth::runtime {

// A verb on a resource.
struct Permission {
  std::string group;  // "" for core.
  std::string resource;
  std::string subresource;
  std::string verb;
  std::string name_space;  // Empty: all namespaces, or cluster-scoped.
  std::string name;        // Empty: any name.
  // The feature that needs the permission; empty if the scheduler cannot run without it.
  std::string feature;

  friend bool operator==(const Permission&, const Permission&) = default;
};

// Returns "create pods/binding" or "update leases.coordination.k8s.io kube-system/kube-scheduler".
std::string ToString(const Permission& permission);

// Returns the permissions that berth-scheduler needs, which are fewer than those of
// kube-scheduler's roles. The one list of them: `berth check` asks for these, and the tests compare
// the roles that are shipped with it. The lock is that of the configuration.
std::vector<Permission> SchedulerPermissions(const scheduler::model::Features& features,
                                             const std::string& lock_namespace,
                                             const std::string& lock_name);

// Adds those of a candidate in a coordinated leader election.
void AddCandidatePermissions(const std::string& lock_namespace, std::vector<Permission>& to);

struct MissingPermission {
  Permission permission;
  std::string reason;  // The server's, if it gives one.
};

// Reviews each permission (SelfSubjectAccessReview) and calls back once, on the executor of the
// client, with the missing ones in the given order. The error means that a review failed.
using MissingCallback = std::function<void(Result<std::vector<MissingPermission>>)>;
void FindMissingPermissions(client::RestClient& client, std::vector<Permission> permissions,
                            MissingCallback callback);

}  // namespace berth::runtime
