// The paths and bodies of the requests by which the engine's writes are executed, and what is read
// of responses.
#pragma once

#include <string>
#include <string_view>

#include "api/meta.h"
#include "api/resource_claim.h"
#include "api/storage.h"
#include "base/result.h"
#include "scheduler/framework/writes.h"

namespace berth::runtime {

// Returns "/api/v1/namespaces/<namespace>/pods/<name>".
std::string PodPath(const api::ObjectKey& pod);
std::string PodGroupPath(std::string_view version, const api::ObjectKey& group);
std::string PathOf(const api::PersistentVolume& volume);
std::string PathOf(const api::PersistentVolumeClaim& claim);
std::string PathOf(const api::ResourceClaim& claim);
// Returns "/apis/resource.k8s.io/v1/namespaces/<namespace>/resourceclaims".
std::string ClaimsPath(std::string_view namespace_);
std::string ClaimPath(const api::ObjectKey& claim);

std::string BindingBody(const scheduler::framework::BindPod& bind);
// Returns a strategic merge patch of the status.
std::string StatusPatch(const scheduler::framework::PatchPodStatus& patch);
std::string StatusPatch(const scheduler::framework::PatchPodGroupStatus& patch,
                        std::string_view version);
std::string DeleteBody();

// Returns the server's object `current` with the engine's change and the version that the engine
// saw, so that a concurrent change is a conflict.
Result<std::string> ChangedVolume(std::string_view current, const api::PersistentVolume& wanted);
Result<std::string> ChangedClaim(std::string_view current,
                                 const api::PersistentVolumeClaim& wanted);

// Fields of a written or fetched object; empty if absent.
struct ResponseObject {
  std::string uid;
  std::string resource_version;
  std::string node_name;  // Of a pod.
};
ResponseObject ReadResponseObject(std::string_view body);

}  // namespace berth::runtime
