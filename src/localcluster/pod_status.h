// The statuses that a kubelet writes for a pod, in the words of a real one, so that kubectl prints
// what users know: ContainerCreating, CrashLoopBackOff, Completed and so on.
//
// All containers of a pod change their state together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "base/time.h"

namespace berth::localcluster {

// Reasons of containers that wait.
inline constexpr std::string_view kErrImagePull = "ErrImagePull";
inline constexpr std::string_view kImagePullBackOff = "ImagePullBackOff";
inline constexpr std::string_view kConfigError = "CreateContainerConfigError";
inline constexpr std::string_view kCrashLoopBackOff = "CrashLoopBackOff";

inline constexpr std::string_view kEphemeralContainers = "ephemeralContainers";
inline constexpr std::string_view kEphemeralStatuses = "ephemeralContainerStatuses";

// The addresses of a pod and its node.
struct PodAddresses {
  std::string_view host;
  std::string_view pod;
};

// Writes the status of a pod that the node does not admit.
void RejectPod(api::JsonObject& pod, std::string_view reason, std::string_view message,
               Instant now);

// The pod has not started yet: its containers are being created, ...
void CreateContainers(api::JsonObject& pod, PodAddresses addresses, Instant now);
// ... their images cannot be pulled for the n-th time (`reason` is kErrImagePull or
// kImagePullBackOff), ...
void FailImagePull(api::JsonObject& pod, PodAddresses addresses, std::string_view reason, int64_t n,
                   Instant now);
// ... or cannot be created, because their configuration is wrong.
void RefuseContainers(api::JsonObject& pod, PodAddresses addresses, std::string_view message,
                      Instant now);
// Returns the message of an image that cannot be pulled for the n-th time, ...
std::string PullError(int64_t n);
// ... and n, from that message or from that of the backoff after it.
int64_t PullNumberIn(std::string_view message);

// The containers run; `ready` says whether they are ready at once.
void StartPod(api::JsonObject& pod, PodAddresses addresses, bool ready, Instant now);
void StartEphemeralContainers(api::JsonObject& pod, Instant now);
void MakePodReady(api::JsonObject& pod, Instant now);

// The containers exit. If they will be restarted, the pod keeps running; otherwise it has finished.
void ExitPod(api::JsonObject& pod, int64_t exit_code, std::string_view reason, Instant now);
// They wait for `backoff`, counted from their exit, and are then restarted.
void BackOffPod(api::JsonObject& pod, Duration backoff, Instant now);
void RestartPod(api::JsonObject& pod, bool ready, Instant now);
// They are ended for good, whatever the restart policy.
void StopPod(api::JsonObject& pod, int64_t exit_code, Instant now);

}  // namespace berth::localcluster
