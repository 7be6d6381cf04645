// The lifecycle of a pod on its node: which step its kubelet takes next, and when.
//
// The next step is a function of the pod's document and behavior, not of what happened before or of
// when it is asked for: a kubelet that restarts continues where the previous one stopped, and one
// that is late takes the same steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "base/time.h"
#include "localcluster/pod_behavior.h"

namespace berth::localcluster {

struct PodStep {
  enum class Action : uint8_t {
    kCreate,       // Check that it fits, then create its containers, which takes a while.
    kRefuse,       // Its annotations are wrong: do not create them.
    kFailPull,     // Its images cannot be pulled; the next try follows
    kBackOffPull,  // after a backoff.
    kStart,        // Check that it fits, then run its containers.
    kMarkReady,    // It runs, but is not ready.
    kDebug,        // Run ephemeral containers that were added to it.
    kExit,         // Its containers exit; the restart policy decides what follows.
    kBackOff,      // They wait before they are restarted.
    kRestart,
    kStop,    // Its containers end for good: it is being deleted.
    kRemove,  // They have ended, or its grace period is over: delete the object.
  };
  // Reports whether the pod has not started before the step.
  bool starts() const { return action <= Action::kStart; }

  Action action = Action::kStart;
  Instant at = {};
  bool ready = true;                  // kStart, kRestart: the containers are ready at once.
  int64_t pull = 0;                   // kFailPull, kBackOffPull: which one failed, from 1.
  int64_t exit_code = 0;              // kExit, kStop
  std::string_view exit_reason = {};  // kExit
  Duration backoff = {};              // kBackOff
  std::string problem = {};           // kRefuse
};

// What a kubelet knows beside the pod.
struct KubeletView {
  bool node_ready = true;
  Instant now = {};
  // The pod changed just now. Timestamps have whole seconds: what they date to the current second
  // then counts from `now`, so that delays of less than a second are exact.
  bool pod_changed = false;
};

// Returns the next step, or nullopt if there is none for now. The pod must be bound.
std::optional<PodStep> NextStep(const api::JsonObject& pod, const PodBehavior& behavior,
                                const KubeletView& view);

}  // namespace berth::localcluster
