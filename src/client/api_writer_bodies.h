// What is sent to carry out the engine's writes: bodies byte for byte as kube-scheduler would mean
// them, in JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "framework/writes.h"

namespace berth::client {

// "/api/v1/namespaces/<namespace>/pods/<name>"
std::string PodPath(const api::ObjectKey& pod);
std::string PathOf(const api::PersistentVolume& volume);
std::string PathOf(const api::PersistentVolumeClaim& claim);

std::string BindingBody(const BindPod& bind);
// A strategic merge patch of the status.
std::string StatusPatch(const PatchPodStatus& patch);
std::string DeleteBody();

// `current`, as the server has it, with the change that the engine wants. It names the version
// that the engine saw, so that another's change in between is a conflict.
Result<std::string> ChangedVolume(std::string_view current, const api::PersistentVolume& wanted);
Result<std::string> ChangedClaim(std::string_view current,
                                 const api::PersistentVolumeClaim& wanted);

// What a written or fetched object says of itself; empty where it does not.
struct AnsweredObject {
  std::string uid;
  std::string resource_version;
  std::string node_name;  // Of a pod.
};
AnsweredObject ReadAnswered(std::string_view body);

}  // namespace berth::client
