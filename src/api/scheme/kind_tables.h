// The rows of the scheme by group, for scheme.cc.
#pragma once

#include <vector>

#include "api/scheme/scheme.h"

namespace berth::api::scheme {

// The rows lack group_version and collection, which scheme.cc fills in.
std::vector<Kind> CoreKinds();
std::vector<Kind> WorkloadKinds();  // apps, batch, autoscaling, policy, scheduling
std::vector<Kind> StorageKinds();   // storage.k8s.io, resource.k8s.io
std::vector<Kind> AccessKinds();    // Reviews, RBAC, certificates.
std::vector<Kind> ServerKinds();    // Admission, aggregation and flow control of the server itself.
std::vector<Kind> NetworkKinds();   // networking.k8s.io, discovery.k8s.io
std::vector<Kind> OtherKinds();     // Groups with one kind.

// The verbs of most resources, in the order of discovery.
inline const std::vector<std::string_view> kAllVerbs = {
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
inline const std::vector<std::string_view> kCreateOnly = {"create"};
inline const std::vector<std::string_view> kReadAndWrite = {"get", "patch", "update"};
inline const std::vector<std::string_view> kStream = {"create", "get"};
inline const std::vector<std::string_view> kProxy = {"create", "delete", "get", "patch", "update"};

inline Subresource StatusOf(std::string_view kind) {
  return {"status", kind, "", "", kReadAndWrite};
}
// A connection to a kubelet, a pod or a service.
inline Subresource Connection(std::string_view name, std::string_view options,
                              const std::vector<std::string_view>& verbs) {
  return {name, options, "", "v1", verbs};
}
inline Subresource Scale() { return {"scale", "Scale", "autoscaling", "v1", kReadAndWrite}; }

}  // namespace berth::api::scheme
