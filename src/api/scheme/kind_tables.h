// The rows of the scheme by group, for scheme.cc.
#pragma once

#include <vector>

#include "api/scheme/scheme.h"

namespace berth::api::scheme {

// The rows lack group_version and collection, which scheme.cc fills in.
std::vector<Kind> CoreKinds();
std::vector<Kind> WorkloadKinds();  // apps, batch, autoscaling, policy, scheduling
std::vector<Kind> StorageKinds();   // storage.k8s.io, resource.k8s.io
std::vector<Kind> AccessKinds();    // Reviews and RBAC.
std::vector<Kind> OtherKinds();     // Groups with one kind.

// The verbs of most resources, in the order of discovery.
inline const std::vector<std::string_view> kAllVerbs = {
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
inline const std::vector<std::string_view> kCreateOnly = {"create"};
inline const std::vector<std::string_view> kReadAndWrite = {"get", "patch", "update"};

inline Subresource StatusOf(std::string_view kind) {
  return {"status", kind, "", "", kReadAndWrite};
}
inline Subresource Scale() { return {"scale", "Scale", "autoscaling", "v1", kReadAndWrite}; }

}  // namespace berth::api::scheme
