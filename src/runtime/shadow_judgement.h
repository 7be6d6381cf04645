// Judgement is what shadow mode finds about one decision of another scheduler, and ShadowTotals
// counts them.
#pragma once

#include <array>
#include <cstddef>
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
    kSameScore,       // It agrees there; other nodes have the same score.
    kAgreesInFlight,  // It agrees on the cluster as it may have been when the pod was tried.
    // It has a better node, but the other scheduler scores a sample of the nodes, in which its node
    // can have been the best.
    kSampled,
    kDiffers,    // It agrees on no cluster that the other scheduler can have seen.
    kNotJudged,  // There are more of those than are tried, or the order of decisions is not known.
  };
  static constexpr size_t kResults = 6;

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

  bool agrees() const { return result <= Result::kAgreesInFlight; }
};

// Returns "placed", "unschedulable" or "nominated".
std::string_view ToString(Judgement::Kind kind);
// Returns "agrees", "same_score", "agrees_in_flight", "sampled", "differs" or "not_judged".
std::string_view ToString(Judgement::Result result);

// Returns the decision by which a pod that was `before` is `after`, if any.
std::optional<Judgement::Kind> KindOfDecision(const api::Pod& before, const api::Pod& after);

// Completes the judgement with what the engine would do: own_choice, difference and same_words.
void Compare(const scheduler::engine::Explanation& explanation, const api::Pod& after,
             Judgement& judgement);

// Logs a judgement: a difference always, agreement from -v=3 on.
void LogJudgement(const Judgement& judgement);

struct ShadowTotals {
  std::array<uint64_t, Judgement::kResults> counts = {};  // By result.

  uint64_t operator[](Judgement::Result result) const {
    return counts[static_cast<size_t>(result)];
  }
  uint64_t agreed() const;
  // All decisions, judged or not.
  uint64_t seen() const;
  void Add(Judgement::Result result) { ++counts[static_cast<size_t>(result)]; }
};

// Logs the totals; `what` is the message.
void LogTotals(std::string_view what, const ShadowTotals& totals);

}  // namespace berth::runtime
