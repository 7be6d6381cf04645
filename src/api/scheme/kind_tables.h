// The rows of the table of kinds, by group. kinds.h is what others use.
#pragma once

#include <vector>

#include "api/scheme/scheme.h"

namespace berth::api::scheme {

// Rows lack group_version and collection, which follow from the rest.
std::vector<Kind> CoreKinds();
std::vector<Kind> WorkloadKinds();  // apps, batch, autoscaling, policy, scheduling
std::vector<Kind> StorageKinds();   // storage.k8s.io, resource.k8s.io
std::vector<Kind> AccessKinds();    // Reviews and RBAC.
std::vector<Kind> OtherKinds();     // One kind a group.

// What a resource offers unless its row says otherwise; in the order of discovery.
inline const std::vector<std::string_view> kAllVerbs = {
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
inline const std::vector<std::string_view> kCreateOnly = {"create"};
inline const std::vector<std::string_view> kReadAndWrite = {"get", "patch", "update"};

inline Subresource StatusOf(std::string_view kind) {
  return {"status", kind, "", "", kReadAndWrite};
}
inline Subresource Scale() { return {"scale", "Scale", "autoscaling", "v1", kReadAndWrite}; }

}  // namespace berth::api::scheme
