// The lifecycle of a pod on its node: which step its kubelet takes next and when, and what each
// step writes.
//
// The next step is a pure function of the pod's document, so that a kubelet that restarts continues
// where the previous one stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/json/json.h"
#include "base/time.h"

namespace berth::localcluster {

// Annotation: seconds until the pod's containers exit. Without it, Job pods run for
// PodTiming::job_run and others forever.
inline constexpr std::string_view kRunSeconds = "berth.dev/run-seconds";
// Annotation: the containers' exit code, 0 if absent.
inline constexpr std::string_view kExitCode = "berth.dev/exit-code";

struct PodTiming {
  Duration start_delay = {};
  Duration stop_delay = {};
  Duration job_run = {};
  bool node_ready = true;
};

struct PodStep {
  enum class Action : uint8_t {
    kStart,      // Check that it fits, then run its containers.
    kExit,       // Its containers exit; the restart policy decides what follows.
    kRestart,    // The backoff after a failure is over.
    kMarkReady,  // It runs, but is not ready.
    kDebug,      // Run ephemeral containers that were added to it.
    kRemove,     // Its grace period is over: delete the object.
    kStop,       // Its containers end for good, while finalizers hold the object.
  };
  Action action = Action::kStart;
  Instant at = {};
};

// Returns the next step, or nullopt if there is none for now. The pod must be bound.
std::optional<PodStep> NextStep(const api::JsonObject& pod, const PodTiming& timing);

// Write the status that each step results in. `host_ip` is the node's address.
void StartPod(api::JsonObject& pod, std::string_view host_ip, std::string_view pod_ip, Instant now);
void ExitPod(api::JsonObject& pod, Instant now);
void RestartPod(api::JsonObject& pod, Instant now);
void StartEphemeralContainers(api::JsonObject& pod, Instant now);
void MakePodReady(api::JsonObject& pod, Instant now);
void StopPod(api::JsonObject& pod, Instant now);
// Writes the status of a pod that the node does not admit.
void RejectPod(api::JsonObject& pod, std::string_view reason, std::string_view message,
               Instant now);

}  // namespace berth::localcluster
