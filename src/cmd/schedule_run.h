// Drives an engine over a given cluster until no pod is left to try.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "cmd/explanation_summary.h"
#include "scheduler/engine/engine.h"
#include "scheduler/recording/recording.h"

namespace berth::cmd {

// What became of a pod that had no node at the start.
struct PodOutcome {
  enum class Kind {
    kScheduled,
    kUnschedulable,   // Fits nowhere.
    kFailed,          // The cycle ended with an error.
    kGated,           // Has scheduling gates.
    kOtherScheduler,  // Names another scheduler.
    kTerminating,     // Being deleted.
    kPreempted,       // Was placed, and then made room for a more important pod.
    kPending,         // Was not tried.
  };

  api::ObjectKey pod;
  Kind kind = Kind::kPending;
  std::string node;                          // If scheduled.
  std::string message;                       // If not.
  std::vector<api::ObjectKey> victims = {};  // Pods that had to leave to make room for it.
  std::optional<ExplanationSummary> explanation;
  // Of the earlier attempt that had the victims evicted, if they left before this one.
  std::optional<ExplanationSummary> first_attempt = {};
};

// As in the output: "Scheduled".
std::string_view ToString(PodOutcome::Kind kind);

// A pod that was evicted to make room for a more important one.
struct EvictedPod {
  api::ObjectKey pod;
  std::string node;
};

struct ScheduleReport {
  size_t nodes = 0;
  size_t running = 0;            // Pods that had a node at the start.
  std::vector<PodOutcome> pods;  // In the order in which they were given.

  std::vector<EvictedPod> evicted;  // In the order in which they left.

  size_t Count(PodOutcome::Kind kind) const;
};

// Feeds the objects (pods last, in order), then plays the API server: every bind that the engine
// asks for is done. `objects` must be complete, see admission.h. What the engine hears and answers
// goes to `record`, unless it is null. Fails if a profile cannot be built.
Result<ScheduleReport> ScheduleAll(const std::vector<api::Object>& objects,
                                   const scheduler::engine::EngineOptions& options,
                                   const scheduler::framework::Registry& registry, Instant start,
                                   scheduler::recording::RecordWriter* record = nullptr);

}  // namespace berth::cmd
