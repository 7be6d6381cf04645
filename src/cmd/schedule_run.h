// Runs an engine on a given cluster until no pod is left to schedule.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "explain/explanation_summary.h"
#include "explain/refusal.h"
#include "scheduler/engine/engine.h"
#include "scheduler/recording/recording.h"

namespace berth::cmd {

// The result for a pod that had no node at the start.
struct PodOutcome {
  enum class Kind {
    kScheduled,
    kUnschedulable,   // No node fits.
    kFailed,          // The scheduling cycle returned an error.
    kGated,           // Has scheduling gates.
    kOtherScheduler,  // spec.schedulerName names no profile.
    kTerminating,     // Being deleted.
    kPreempted,       // Was bound, then evicted for a pod with higher priority.
    kPending,         // Not attempted.
  };

  api::ObjectKey pod;
  Kind kind = Kind::kPending;
  std::string node;                          // If scheduled.
  std::string message;                       // If not.
  std::vector<api::ObjectKey> victims = {};  // Pods evicted for it.
  std::optional<explain::ExplanationSummary> explanation;
  // Of the earlier attempt that evicted the victims.
  std::optional<explain::ExplanationSummary> first_attempt = {};
};

// Returns the status as printed: "Scheduled".
std::string_view ToString(PodOutcome::Kind kind);

// A pod that was evicted for one with higher priority.
struct EvictedPod {
  api::ObjectKey pod;
  std::string node;
};

// The result for a PodGroup.
struct GroupOutcome {
  api::ObjectKey group;
  size_t members = 0;
  size_t placed = 0;                           // Members that have a node.
  std::optional<api::PodCondition> condition;  // PodGroupScheduled.
};

struct ScheduleReport {
  size_t nodes = 0;
  size_t running = 0;            // Pods that had a node at the start.
  std::vector<PodOutcome> pods;  // In input order.

  std::vector<EvictedPod> evicted;         // In order of eviction.
  std::vector<GroupOutcome> groups;        // By name.
  std::vector<explain::Refusal> refusals;  // Workloads of which pods would not be created.

  size_t Count(PodOutcome::Kind kind) const;
};

// Delivers the objects (pods last, in order) to a new engine, schedules, and acts as the API
// server: every write of the engine succeeds. `objects` must be defaulted, see offline_admission.h.
// Records events and decisions to `record` unless it is null. Fails if a profile cannot be built.
Result<ScheduleReport> ScheduleAll(const std::vector<api::Object>& objects,
                                   const scheduler::engine::EngineOptions& options,
                                   const scheduler::framework::Registry& registry, Instant start,
                                   scheduler::recording::Recorder* record = nullptr);

}  // namespace berth::cmd
