// Engine is the scheduler as a state machine: events in, commands out.
//
// It owns the model of the cluster, the scheduling queue and the binding cycles in progress. It
// runs on one thread, never blocks, and reads neither a clock nor a random device: the caller
// passes the time with every call and a seed at the start. The same events at the same times give
// the same commands. Intervals are those of the steady clock; the wall clock only gives the times
// in commands, and the start of pods that have not reported theirs.
//
// A driver loops: it passes events to Handle, calls Schedule, executes TakeCommands, and reports
// their results as events.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/now.h"
#include "base/result.h"
#include "base/time.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/events.h"
#include "scheduler/engine/pod_fit.h"
#include "scheduler/framework/extender.h"
#include "scheduler/framework/profile.h"
#include "scheduler/groups/group_preview.h"
#include "scheduler/model/features.h"
#include "scheduler/queue/queue_entry.h"

namespace berth {
class Workers;
}
namespace berth::scheduler::model {
class Cluster;
}
namespace berth::scheduler::framework {
class LogSink;
class Measurements;
class WaitingPods;
}  // namespace berth::scheduler::framework
namespace berth::scheduler::queue {
class SchedulingQueue;
}

namespace berth::scheduler::engine {

class AttemptObserver;

struct EngineOptions {
  std::vector<framework::ProfileConfig> profiles;  // At least one; scheduler names differ.
  model::Features features = {};
  uint64_t seed = 0;      // For the choices that kube-scheduler makes at random.
  bool explain = false;   // Attach an Explanation to each decision. Slow.
  bool paranoid = false;  // Recompute each decision from scratch and CHECK that it is the same.
  // Among equal nodes the next after the last choice is chosen. Off: the first in node order, as by
  // a kube-scheduler with one worker, to compare with its recorded choices.
  bool equals_take_turns = true;
  queue::BackoffPolicy backoff = {};
  std::vector<framework::ExtenderConfig> extenders = {};
  // Threads that share the work over very many nodes; decisions do not depend on them. May be null,
  // and must outlive the engine otherwise.
  Workers* workers = nullptr;
  // Receives what the engine does and how long it takes. May be null, and must outlive the engine
  // otherwise.
  framework::Measurements* measurements = nullptr;
  // Receives the account of each attempt; durations only if there are measurements. May be null,
  // and must outlive the engine otherwise.
  AttemptObserver* attempts = nullptr;
  // Receives the messages of the engine's log. May be null, and must outlive the engine otherwise.
  framework::LogSink* log = nullptr;
  // A pod that is unschedulable for longer is tried again, even without an event.
  Duration max_in_unschedulable_pods = Duration::Seconds(300);
};

class Engine {
 public:
  // Fails if a profile cannot be built.
  static Result<std::unique_ptr<Engine>> Make(const EngineOptions& options,
                                              const framework::Registry& registry);
  ~Engine();

  // Applies an event. While a scheduling cycle waits for an extender, all events but its response
  // are deferred.
  void Handle(const Event& event, const Now& now);

  // Tries up to `limit` pods of the queue, in its order. Returns how many were tried; fewer than
  // `limit` means that no pod is ready until an event or next_wake().
  size_t Schedule(const Now& now, size_t limit = SIZE_MAX);

  // When the engine must be called again at the latest, by the steady clock and even without an
  // event; nothing if never.
  std::optional<Instant> next_wake() const;

  // Removes and returns up to `limit` pending commands: lane by lane (see WriteLane), and in each
  // the oldest first. A driver takes as many as it can execute at once.
  std::vector<Command> TakeCommands(size_t limit = SIZE_MAX);

  // `observer` may be null and must outlive the engine otherwise.
  void Observe(DecisionObserver* observer);

  // Explains the decision that the engine would make about `pod` now. The pod need not be known to
  // the engine; nothing changes. `now` is the date. Fails if no profile serves the pod's
  // schedulerName.
  Result<Explanation> Explain(std::shared_ptr<const api::Pod> pod, Instant now);

  // Reports whether the engine might place `pod` on `node` now, because no other node is better. An
  // empty `node` asks whether the pod fits nowhere. As Explain otherwise, at the cost of a
  // decision. Sets `*has_equals`, if not null, if another node is known to be as good.
  Result<bool> MightDecide(std::shared_ptr<const api::Pod> pod, const std::string& node,
                           bool* has_equals = nullptr);
  // Returns the decision that the engine would make about `pod` now, without the calls of extenders
  // and without an explanation. As Explain otherwise, at the cost of a decision.
  Result<Decision> Preview(std::shared_ptr<const api::Pod> pod, Instant now);
  // Evaluates `pod` on the named nodes, on all if there are none, by every filter. Nodes that do
  // not exist are left out. As Explain otherwise, at the cost of the nodes.
  Result<PodFit> Evaluate(std::shared_ptr<const api::Pod> pod, std::span<const std::string> nodes,
                          Instant now);
  // Returns the decision that the engine would make about the group now, without extenders and
  // without preemption by single members; nothing changes. The date is that of the last event.
  // Fails while a cycle waits, and for groups whose members have different schedulerNames.
  Result<groups::GroupPreview> PreviewGroup(const api::ObjectKey& group);
  // Reports whether a profile serves the pod's schedulerName.
  bool Serves(const api::Pod& pod) const;

  // Drops what can be computed again: what remains is in use. For measurements of memory.
  void DropCaches();

  const model::Cluster& cluster() const;
  const queue::SchedulingQueue& queue() const;
  // The pods that wait for Permit plugins.
  const framework::WaitingPods& waiting_pods() const;
  size_t bindings_under_way() const;
  // Writes of attempts that have ended: what they undo.
  size_t background_tasks() const;
  // Reports whether a scheduling cycle waits for a command. Until that ends, the engine defers all
  // other events.
  bool cycle_waits() const;
  // The uids of the pods, several if it is that of a group, whose scheduling cycle has not ended:
  // it waits for an extender, for a write, or for victims to be evicted.
  std::vector<std::string> pods_in_cycle() const;

 private:
  friend class WhatIf;
  struct Parts;  // engine_parts.h

  explicit Engine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::scheduler::engine
