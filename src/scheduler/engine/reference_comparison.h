// Comparison of the engine's results with those of the reference implementation.
#pragma once

#include <string>
#include <vector>

#include "scheduler/engine/decision.h"
#include "scheduler/reference/evaluate.h"
#include "scheduler/reference/reference_profile.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::model {
class Cluster;
}

namespace berth::scheduler::engine {

// Returns the engine's cluster as the reference implementation reads it: whole objects. Assumed
// pods are on the nodes they are assumed on, and nominated ones have the nodes that the engine
// nominated, whatever their objects say. O(objects): nothing is cached.
reference::Snapshot SnapshotOf(const model::Cluster& cluster);
// Lets the snapshot of `cluster` show claims as allocated that members of the group are allocating,
// for another member that may share them.
void ShowAllocationsOf(const api::ObjectKey& group, const model::Cluster& cluster,
                       reference::Snapshot& snapshot);

// A result in which the two differ.
struct ReferenceMismatch {
  std::string what;  // "node n1, plugin NodeAffinity", "choice" and so on.
  std::string fast;  // The engine's result.
  std::string slow;  // The reference implementation's.
  friend bool operator==(const ReferenceMismatch&, const ReferenceMismatch&) = default;

  // "node n1: fast says ..., slow says ..."
  std::string Text() const;
};
using ReferenceMismatches = std::vector<ReferenceMismatch>;

// Compares the whole explanation: the verdict of each node, the scores of each plugin, the best
// nodes, why there is none, and the result of preemption. Of several errors that end a cycle any
// may be reported: kube-scheduler reports the first to occur.
ReferenceMismatches CompareWithReference(const Explanation& fast,
                                         const reference::Evaluation& slow);

// A decision, by names.
struct NamedDecision {
  std::string node;     // The choice, or empty.
  std::string message;  // Why there is none.
  bool failed = false;  // `message` is an error.
  std::string nominated_node;
  std::vector<std::string> victims;
};

// `node_order` lists all nodes: the first of the best ones is the right choice. Preemption need not
// try more candidates than `rules` require, so that its choice need not be the best of all.
ReferenceMismatches CompareDecision(const NamedDecision& fast, const reference::Evaluation& slow,
                                    const std::vector<std::string>& node_order,
                                    const reference::ReferenceProfile& rules);

}  // namespace berth::scheduler::engine
