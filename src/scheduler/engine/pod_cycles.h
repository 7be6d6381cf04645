// PodCycles runs the scheduling cycles of pods without a group, one at a time: it finds a node,
// assumes the pod there and starts its binding cycle, or returns the pod to the queue. The
// counterpart of kube-scheduler's schedule_one.go.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/task.h"
#include "scheduler/engine/attempt_reporter.h"
#include "scheduler/engine/bindings.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/eviction.h"
#include "scheduler/engine/failure_handler.h"
#include "scheduler/engine/plugin_trials.h"
#include "scheduler/queue/failure.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::scheduler::engine {

class PodCycles {
 public:
  // All must outlive this.
  struct Services {
    model::Cluster& cluster;
    queue::SchedulingQueue& queue;
    Outbox& outbox;
    PluginTrials& trials;
    Bindings& bindings;
    Evictions& evictions;
    FailureHandler& failures;
    AttemptReporter& reporter;
    framework::Log log;
  };

  explicit PodCycles(const Services& services)
      : services_(services), failure_cache_(services.cluster) {}

  // Drops the entry of a pod that need not be tried: it is being deleted or has a node. Returns
  // whether it did.
  bool Skip(const queue::QueueEntry& entry);
  // Runs the cycle of a pod until it ends or waits.
  void Run(queue::QueueEntry entry);
  // Continues the cycle that waits; returns whether it has gone on.
  bool Resume();

  // Reports whether a cycle waits for a command: for an extender, or a write of PostFilter.
  bool waits() const { return cycle_ != nullptr; }
  // Reports whether a cycle waits for its victims to be evicted.
  bool preempts() const { return preempting_ != nullptr; }
  // The uid of the pod whose cycle has not ended; empty if there is none.
  std::string pod_in_cycle() const;

  // Forgets the failures that are known.
  void DropCaches() { failure_cache_.Clear(); }

 private:
  // A scheduling cycle: the pod that is being tried, and the search for its node.
  struct Cycle {
    queue::QueueEntry entry;
    std::unique_ptr<const model::PodRecord> pod;  // Retained.
    groups::PodTrial trial;
    Decision decision;
    std::optional<Task<CycleOutcome>> search;

    groups::TrialRequest request() const {
      return {.pod = *pod, .profile = entry.profile, .in_group = false};
    }
  };

  // A cycle that lasts until its victims are evicted. Only without the feature
  // SchedulerAsyncPreemption.
  struct PreemptingCycle {
    std::unique_ptr<Cycle> cycle;
    SymbolHolder symbols;  // Of the nominated node.
  };

  // Acts on the result of the search of `cycle_`.
  void Finish();
  // Assumes the pod on the node that was found, and starts its binding cycle; returns false, and
  // the trial has a failure, if a plugin refuses.
  bool Bind(Cycle& cycle);
  void Fail(std::unique_ptr<Cycle> cycle);
  void PreemptWithinCycle(std::unique_ptr<Cycle> cycle);
  // The victims of `preempting_` are evicted, or could not be.
  void FinishPreemptingCycle(const framework::Verdict& evicted);
  // The last step of a cycle that found no node.
  void EndFailedCycle(Cycle& cycle);

  const Services services_;
  queue::FailureCache failure_cache_;
  std::unique_ptr<Cycle> cycle_;
  std::unique_ptr<PreemptingCycle> preempting_;
};

}  // namespace berth::scheduler::engine
