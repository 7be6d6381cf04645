// The scheduling cycle: the search for a pod's node (upstream: schedulePod).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/task.h"
#include "base/time.h"
#include "scheduler/framework/log.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth {
class Random;
}
namespace berth::scheduler::framework {
class Async;
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
  bool preemption_tried = false;  // Upon kFitError.
  // Numbers of nodes, upon kNode; 0 if a search did not count them.
  size_t evaluated = 0, feasible = 0;
  framework::Verdict error;

  // The message for users, unless a node was found.
  std::string Message() const;
};

struct SearchOptions {
  Instant now;  // The date: a pod that has not started counts as starting now.
  Random& random;
  Extenders* extenders = nullptr;      // If there are any.
  framework::Async* writes = nullptr;  // Those of PostFilter plugins. Null: they make none.
  // The percentage of nodes to find before scoring begins; absent means all of them.
  std::optional<int32_t> percentage_of_nodes_to_score = {};
  // The position in node order at which the search begins; advanced by it (upstream:
  // nextStartNodeIndex).
  size_t& next_start;
  // Run the PostFilter plugins if no node fits.
  bool post_filters = true;
  framework::Log log = {};
};

// Runs the plugins, and calls the extenders, for the attempt's pod. Changes nothing: the caller
// executes the outcome. Without extenders it waits only for writes of PostFilter plugins.
Task<CycleOutcome> FindNode(framework::Attempt& attempt, SearchOptions options);

// Returns how many feasible nodes are enough, of `nodes`, for a percentage (upstream:
// numFeasibleNodesToFind).
size_t EnoughNodes(size_t nodes, int32_t percentage);

// The first steps of FindNode, also used to explain: returns the pod's nominated node, if it fits.
model::NodeRow FittingNominatedNode(framework::Attempt& attempt);

// The outcome of FindNode without extenders, or a part of it: whether the pod fits nowhere, and
// whether `node`, which is present, might be chosen because no other is better. The attempt must be
// new. Sets `*has_equals`, if not null, if another node is known to be as good.
bool FitsNowhere(framework::Attempt& attempt);
bool MightChoose(framework::Attempt& attempt, model::NodeRow node, bool* has_equals = nullptr);

// Runs the PostFilter plugins for a pod that fits nowhere.
Task<framework::PostFilterResult> RunPostFilters(framework::FailedCycle& failed);

}  // namespace berth::scheduler::engine
