// Shadow compares the decisions of another scheduler, one by one, with what the engine would have
// decided on the same cluster state.
//
// The engine gets all events but never schedules: only the other scheduler places pods, so that one
// difference does not lead to others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "scheduler/engine/engine.h"

namespace berth::runtime {

struct Judgement {
  enum class Kind {
    kPlaced,         // The other scheduler bound the pod to `node`.
    kUnschedulable,  // It found no node.
    kNominated,      // It found none, and preempts pods on `node`.
  };

  api::ObjectKey pod;
  std::string scheduler_name;
  Kind kind = Kind::kPlaced;
  std::string node;
  bool agrees = false;
  std::string own_choice;   // The node that the engine would have chosen; empty if none.
  std::string difference;   // Why the engine disagrees, in a sentence; empty if it agrees.
  bool same_words = false;  // For unschedulable pods: the messages are identical.
};

// Returns "placed", "unschedulable" or "nominated".
std::string_view ToString(Judgement::Kind kind);

class Shadow {
 public:
  // `engine` must outlive the shadow.
  explicit Shadow(scheduler::engine::Engine& engine) : engine_(engine) {}

  // Judges the decision of another scheduler in `event`, or returns nullopt if it has none. The
  // engine must not have handled the event yet.
  std::optional<Judgement> Judge(const scheduler::engine::Event& event, Instant now);

 private:
  // Returns the previous version of the pod; null if it was unknown, or a different pod of the same
  // name.
  std::shared_ptr<const api::Pod> Before(const api::Pod& pod) const;

  scheduler::engine::Engine& engine_;
};

// Logs a judgement: a difference always, agreement from -v=3 on.
void LogJudgement(const Judgement& judgement, Duration took);
// Logs the totals.
void LogSummary(uint64_t judged, uint64_t agreed);

}  // namespace berth::runtime
