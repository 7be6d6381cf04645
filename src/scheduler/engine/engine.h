// Engine is the scheduler as a state machine: events in, commands out.
//
// It owns the model of the cluster, the queue of waiting pods and the binding cycles under way. It
// runs on one thread, never blocks, and reads neither a clock nor a random device: the caller
// passes the time with every call and a seed at the start. The same events at the same times give
// the same commands, always.
//
// A driver loops: Handle what has happened, Schedule, carry out TakeCommands, report their ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/events.h"
#include "scheduler/framework/extender.h"
#include "scheduler/framework/profile.h"
#include "scheduler/queue/queue_entry.h"

namespace berth {
class Workers;
}
namespace berth::scheduler::model {
class Cluster;
}
namespace berth::scheduler::framework {
class Measurements;
class WaitingPods;
}  // namespace berth::scheduler::framework
namespace berth::scheduler::queue {
class SchedulingQueue;
}

namespace berth::scheduler::engine {

struct EngineOptions {
  std::vector<framework::ProfileConfig> profiles;  // At least one; scheduler names differ.
  uint64_t seed = 0;      // For the choices that kube-scheduler makes at random.
  bool explain = false;   // Attach an Explanation to each decision. Slow.
  bool paranoid = false;  // Recompute each decision from scratch and CHECK that it is the same.
  queue::BackoffPolicy backoff = {};
  std::vector<framework::ExtenderConfig> extenders = {};
  // They share out the work over very many nodes; the decisions do not depend on them. May be null,
  // and must outlive the engine otherwise.
  Workers* workers = nullptr;
  // Told what the engine does and how long it takes. May be null, and must outlive the engine
  // otherwise.
  framework::Measurements* measurements = nullptr;
  // A pod that has waited for so long is tried again even if nothing has happened.
  Duration max_in_unschedulable_pods = Duration::Seconds(300);
};

class EngineState;

class Engine {
 public:
  // Fails if a profile cannot be built.
  static Result<std::unique_ptr<Engine>> Make(const EngineOptions& options,
                                              const framework::Registry& registry);
  ~Engine();

  // Takes note of what has happened. While a cycle waits for an extender's answer, everything else
  // is held back until it has come.
  void Handle(const Event& event, Instant now);

  // Tries up to `limit` waiting pods, most urgent first. Returns how many were tried; fewer than
  // `limit` means that none is left to try until something happens.
  size_t Schedule(Instant now, size_t limit = SIZE_MAX);

  // When something will happen by the passing of time alone, if anything will: the engine wants to
  // be called then, at the latest.
  std::optional<Instant> next_wake() const;

  // Up to `limit` of the commands asked for and not yet taken: lane by lane (see WriteLane), and in
  // each the oldest first. A driver takes as many as it can carry out at once.
  std::vector<Command> TakeCommands(size_t limit = SIZE_MAX);

  // `observer` may be null and must outlive the engine otherwise.
  void Observe(DecisionObserver* observer);

  // Explains what would become of `pod` if it were tried now. The pod need not be known to the
  // engine; nothing changes. Fails if no profile serves the pod's schedulerName.
  Result<Explanation> Explain(std::shared_ptr<const api::Pod> pod, Instant now);

  const model::Cluster& cluster() const;
  const queue::SchedulingQueue& queue() const;
  // The pods that Permit plugins hold back.
  const framework::WaitingPods& waiting_pods() const;
  size_t bindings_under_way() const;

 private:
  explicit Engine(std::unique_ptr<EngineState> state);
  std::unique_ptr<EngineState> state_;
};

}  // namespace berth::scheduler::engine
