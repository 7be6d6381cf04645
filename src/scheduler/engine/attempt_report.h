// AttemptReport is the account of one attempt to schedule a pod, for an AttemptObserver: what was
// decided, and all that led to it and is known anyway.
//
// Unlike a Decision, it is not recorded: it has durations, which differ from run to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "base/now.h"
#include "base/time.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/scores.h"
#include "scheduler/framework/writes.h"
#include "scheduler/queue/failure.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::scheduler::model {
class Cluster;
struct PodRecord;
}  // namespace berth::scheduler::model
namespace berth::scheduler::framework {
class Profile;
}

namespace berth::scheduler::engine {

using queue::FailureAccount;

struct AttemptReport {
  enum class Outcome : uint8_t {
    kAssumed,        // `node` was chosen, and the binding starts.
    kWaiting,        // `node` was chosen, but a Permit plugin delays the binding.
    kUnschedulable,  // The pod fits nowhere.
    kNominated,      // The pod fits nowhere, but preemption frees capacity on `node`.
    kError,
  };

  const model::Cluster& cluster;
  const framework::Profile& profile;
  const model::PodRecord& pod;
  const queue::QueueEntry& entry;  // Of this attempt.
  Now now;
  Outcome outcome = Outcome::kAssumed;
  std::string_view node = {};
  std::string_view message = {};            // Of a failure.
  const FailureAccount* failure = nullptr;  // Null if no plugin rejected the pod.
  // The verdicts of all nodes; null if there was no search, because an equal pod has just failed.
  const framework::Diagnosis* diagnosis = nullptr;
  std::span<const framework::ScoredNode> candidates = {};  // The best, the chosen one first.
  std::span<const api::ObjectKey> victims = {};
  size_t evaluated = 0, feasible = 0;  // Numbers of nodes.
  const framework::AttemptMeter& meter;
};

// How the binding of an attempt ended.
struct BindingReport {
  uint64_t attempt = 0;  // What OnAttempt returned.
  Now now;
  bool bound = false;
  std::string_view message = {};  // Of a failure.
  Duration since_ready;           // Since the pod could first be tried.
  const framework::AttemptMeter& meter;
};

// Called on the engine thread; must not call the engine. Reports are valid during the call.
class AttemptObserver {
 public:
  virtual ~AttemptObserver() = default;

  // A scheduling cycle has ended. Returns a number by which the end of its binding is reported.
  virtual uint64_t OnAttempt(const AttemptReport& report) = 0;
  virtual void OnBindingEnd(const BindingReport& report) = 0;
  // Called at the end of each Engine::Schedule.
  virtual void OnSizes(const Now& now, const framework::EngineSizes& sizes) = 0;
  // The command is about to leave the engine.
  virtual void OnCommand(const Now& now, framework::WriteLane lane) = 0;
};

}  // namespace berth::scheduler::engine
