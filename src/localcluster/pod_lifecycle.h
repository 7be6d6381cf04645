// The life of a pod on its node: what its kubelet does to it next, and when.
//
// A function of the pod's document, so that a kubelet that starts anew goes on where the last one
// stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/json/json.h"
#include "base/time.h"

namespace berth::localcluster {

// How many seconds the pod's containers run before they exit; without it pods of Jobs run for a
// while, and others for ever.
inline constexpr std::string_view kRunSeconds = "berth.dev/run-seconds";
// What they exit with; 0 if it is absent.
inline constexpr std::string_view kExitCode = "berth.dev/exit-code";

struct PodTiming {
  Duration start_delay = {};
  Duration stop_delay = {};
  Duration job_run = {};
  bool node_ready = true;
};

struct PodStep {
  enum class What : uint8_t {
    kStart,     // Check that it fits, then run its containers.
    kExit,      // Its containers end; what follows is up to the restart policy.
    kRestart,   // The wait after a failure is over.
    kGetReady,  // It runs, but does not count as ready.
    kRemove,    // Its grace is over: it goes.
    kStop,      // Its containers end for good, while something else holds the object.
  };
  What what = What::kStart;
  Instant at = {};
};

// Nothing if the kubelet is done with it for now. The pod must be bound.
std::optional<PodStep> NextStep(const api::JsonObject& pod, const PodTiming& timing);

// What the steps write. `host_ip` is the node's address.
void StartPod(api::JsonObject& pod, std::string_view host_ip, std::string_view pod_ip, Instant now);
void ExitPod(api::JsonObject& pod, Instant now);
void RestartPod(api::JsonObject& pod, Instant now);
void MakePodReady(api::JsonObject& pod, Instant now);
void StopPod(api::JsonObject& pod, Instant now);
// A pod that the node cannot take.
void RejectPod(api::JsonObject& pod, std::string_view reason, std::string_view message,
               Instant now);

}  // namespace berth::localcluster
