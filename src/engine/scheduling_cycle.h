// The scheduling cycle: from a pod to the node it should run on, or to the reasons why there is
// none.
#pragma once

#include "framework/attempt.h"
#include "framework/failed_cycle.h"

namespace berth {

struct CycleOutcome {
  enum class Kind {
    kNode,      // `node` is the choice.
    kNoNodes,   // There are no nodes at all.
    kFitError,  // No node fits: see `diagnosis` and `post_filter`.
    kError,     // A plugin failed: see `error`.
  };
  Kind kind = Kind::kNode;
  NodeRow node;
  Diagnosis diagnosis;
  PostFilterResult post_filter;
  Verdict error;

  // What users are told, unless a node was found.
  std::string Message() const;
};

// Runs the plugins for the attempt's pod. Changes nothing: the caller carries out what was found.
CycleOutcome FindNode(Attempt& attempt, Instant now, Random& random);

// The first steps of FindNode, also used to explain: the node that was promised to the pod, if it
// fits.
NodeRow FittingNominatedNode(Attempt& attempt);

// Asks the PostFilter plugins what can be done about a pod that fits nowhere.
PostFilterResult RunPostFilters(FailedCycle& failed);

}  // namespace berth
