// WorldOf gives the engine's cluster as the twin looks at it: whole objects, with what the engine
// has decided in its place.
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

// Assumed pods are on the nodes they are assumed on, and nominated ones with the nodes that the
// engine promised them, whatever their objects say. O(objects): nothing is kept from call to call.
reference::Snapshot WorldOf(const model::Cluster& cluster);

// Compares what the engine says about a pod with what its slow twin says.
// One thing that the two do not agree on.
struct ReferenceMismatch {
  std::string what;  // "node n1, plugin NodeAffinity", "choice" and so on.
  std::string fast;  // What the engine says,
  std::string slow;  // and what the twin says.
  friend bool operator==(const ReferenceMismatch&, const ReferenceMismatch&) = default;

  // "node n1: fast says ..., slow says ..."
  std::string Text() const;
};
using ReferenceMismatches = std::vector<ReferenceMismatch>;

// All that an explanation tells: the verdict of each node, the scores of each plugin, the best
// nodes, why there is none, and what preemption found. Of several errors that end a cycle any may
// be told: kube-scheduler takes the one that comes first.
ReferenceMismatches CompareWithReference(const Explanation& fast,
                                         const reference::Evaluation& slow);

// What was decided, by names.
struct NamedDecision {
  std::string node;     // The choice, or empty.
  std::string message;  // Why there is none.
  bool failed = false;  // Something went wrong: `message` is an error.
  std::string nominated_node;
  std::vector<std::string> victims;
};

// `node_order` lists all nodes: the first of the best ones is the right choice. Preemption need
// not look at more candidates than `rules` ask for, so that its choice need not be the best of all.
ReferenceMismatches CompareDecision(const NamedDecision& fast, const reference::Evaluation& slow,
                                    const std::vector<std::string>& node_order,
                                    const reference::ReferenceProfile& rules);

}  // namespace berth::scheduler::engine
