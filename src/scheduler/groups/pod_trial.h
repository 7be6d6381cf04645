// PodTrial is what a trial found for one pod: a node, on which the pod is assumed until it is bound
// or the trial is taken back, or why there is none.
//
// PodTrials makes trials. The engine implements it, and tries pods without a group in the same way:
// groups decide which pods are tried where and in which order, and what follows from the outcomes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "base/random.h"
#include "base/task.h"
#include "base/time.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/explanation.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/model/pod_table.h"
#include "scheduler/queue/failure.h"

namespace berth::scheduler::groups {

// What the Permit plugins said about a pod on its node.
struct PermitOutcome {
  std::optional<queue::Failure> failure;
  std::map<std::string, Duration, std::less<>> timeouts;  // Of the plugins that returned Wait.
  std::string message;                                    // Why it waits.
};

struct PodTrial {
  std::shared_ptr<framework::ClassResults> results;  // With `attempt`: null if it has no node.
  std::unique_ptr<framework::Attempt> attempt;
  framework::AttemptMeter meter;          // Of the attempt.
  model::NodeRow node;                    // Invalid if it has none.
  size_t evaluated = 0, feasible = 0;     // Numbers of nodes.
  bool needs_preemption = false;          // The node is one where victims are being evicted for it.
  std::optional<queue::Failure> failure;  // If it has no node, or needs preemption.
  PermitOutcome permit;                   // Without a failure.
  bool permitted = false;                 // Permit plugins would let it be bound.
  std::string nominated_before;           // Its nominated node before it was assumed.
  std::vector<api::ObjectKey> victims;    // That are evicted for it.
  std::optional<framework::Explanation> explanation;  // If EngineOptions::explain is set.

  void DropAttempt() {
    attempt.reset();
    results.reset();
  }
};

// Which pod is tried, and how.
struct TrialRequest {
  const model::PodRecord& pod;  // Outlives the trial.
  size_t profile = 0;
  const framework::Placement* placement = nullptr;  // The nodes that it may have. Null: all.
  bool post_filters = true;                         // If it fits nowhere.
  bool in_group = true;
  bool explains = true;     // If EngineOptions::explain is set.
  bool is_preview = false;  // Nothing is written, measured or logged, and no extender is called.
};

// Where the next search begins, in node order, and what draws lots: with the same of both, the same
// trial in the same cluster has the same result.
struct Turns {
  size_t next_start = 0;
  Random random;
};

class PodTrials {
 public:
  virtual ~PodTrials() = default;

  // Finds a node for the pod and assumes the pod there, with the consent of Reserve and Permit
  // plugins. If preemption makes room on a node, starts to evict the victims and assumes the pod
  // there. `failures` are those of pods that were tried in the same way: their copies are not
  // tried.
  virtual Task<PodTrial> Try(TrialRequest request, queue::FailureCache& failures) = 0;
  // Assumes the pod on `node`, as Try does; has no node if the pod does not fit there.
  virtual PodTrial TryOn(const TrialRequest& request, model::NodeRow node) = 0;
  // Reverts the trial, which has a node: the pod is pending and nominated as before.
  virtual void TakeBack(const model::PodRecord& pod, PodTrial& trial) = 0;
  // Asks the Permit plugins, once more, about a pod that is assumed.
  virtual PermitOutcome RunPermitPlugins(size_t profile, framework::Attempt& attempt,
                                         model::NodeRow node) = 0;
  virtual Turns& turns() = 0;
  // The date on which pods are tried.
  virtual Instant date() const = 0;
};

}  // namespace berth::scheduler::groups
