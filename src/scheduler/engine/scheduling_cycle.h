// The scheduling cycle: from a pod to the node it should run on, or to the reasons why there is
// none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/task.h"
#include "base/time.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth {
class Random;
}
namespace berth::scheduler::framework {
class Attempt;
struct FailedCycle;
}  // namespace berth::scheduler::framework

namespace berth::scheduler::engine {

class Extenders;

struct CycleOutcome {
  enum class Kind {
    kNode,      // `node` is the choice.
    kNoNodes,   // There are no nodes at all.
    kFitError,  // No node fits: see `diagnosis` and `post_filter`.
    kError,     // A plugin failed: see `error`.
  };
  Kind kind = Kind::kNode;
  model::NodeRow node;
  framework::Diagnosis diagnosis;
  framework::PostFilterResult post_filter;
  framework::Verdict error;

  // What users are told, unless a node was found.
  std::string Message() const;
};

// How the search goes about it.
struct SearchOptions {
  Instant now;
  Random& random;
  Extenders* extenders = nullptr;  // If there are any.
  // The share of nodes to find before scoring begins, in percent; absent means all of them.
  std::optional<int32_t> percentage_of_nodes_to_score = {};
  // Where a search over a part of the nodes begins; moved on by it.
  size_t* next_start = nullptr;
};

// Runs the plugins, and asks the extenders, for the attempt's pod. Changes nothing: the caller
// carries out what was found. Without extenders it never waits.
Task<CycleOutcome> FindNode(framework::Attempt& attempt, SearchOptions options);

// How many feasible nodes are enough, of `nodes`, when so many percent of them are.
size_t EnoughNodes(size_t nodes, int32_t percentage);

// The first steps of FindNode, also used to explain: the node that was promised to the pod, if it
// fits.
model::NodeRow FittingNominatedNode(framework::Attempt& attempt);

// Asks the PostFilter plugins what can be done about a pod that fits nowhere.
Task<framework::PostFilterResult> RunPostFilters(framework::FailedCycle& failed);

}  // namespace berth::scheduler::engine
