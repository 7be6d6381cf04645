// Judgement is what shadow mode finds about one decision of another scheduler, and ShadowTotals
// counts them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/meta.h"
#include "api/pod.h"
#include "base/time.h"
#include "scheduler/engine/decision.h"

namespace berth::runtime {

struct Judgement {
  enum class Kind {
    kPlaced,         // The other scheduler bound the pod to `node`.
    kUnschedulable,  // It found no node.
    kNominated,      // It found none, and preempts pods on `node`.
  };
  enum class Result {
    kAgrees,          // The engine agrees, on the cluster as it was when the decision was seen.
    kAgreesInFlight,  // It agrees on the cluster as it may have been when the pod was tried.
    kDiffers,         // It agrees on no cluster that the other scheduler can have seen.
    kUndecided,       // There are more of those than are tried.
  };

  api::ObjectKey pod;
  std::string scheduler_name;
  Kind kind = Kind::kPlaced;
  std::string node;
  Result result = Result::kDiffers;
  std::string own_choice;   // The node that the engine would have chosen; empty if none or unknown.
  std::string difference;   // Why the engine disagrees, in a sentence; empty if it agrees.
  bool same_words = false;  // For unschedulable pods: the messages are identical.
  uint32_t tried = 0;       // How many states of the cluster were tried.
  Duration took;

  bool agrees() const { return result == Result::kAgrees || result == Result::kAgreesInFlight; }
};

// Returns "placed", "unschedulable" or "nominated".
std::string_view ToString(Judgement::Kind kind);
// Returns "agrees", "agrees_in_flight", "differs" or "undecided".
std::string_view ToString(Judgement::Result result);

// Returns the decision by which a pod that was `before` is `after`, if any.
std::optional<Judgement::Kind> KindOfDecision(const api::Pod& before, const api::Pod& after);

// Completes the judgement with what the engine would do: own_choice, difference and same_words.
void Compare(const scheduler::engine::Explanation& explanation, const api::Pod& after,
             Judgement& judgement);

// Logs a judgement: a difference always, agreement from -v=3 on.
void LogJudgement(const Judgement& judgement);

struct ShadowTotals {
  uint64_t directly = 0, in_flight = 0, differed = 0, undecided = 0;

  uint64_t agreed() const { return directly + in_flight; }
  uint64_t judged() const { return agreed() + differed + undecided; }
  void Add(Judgement::Result result);
};

// Logs the totals.
void LogSummary(const ShadowTotals& totals);

}  // namespace berth::runtime
