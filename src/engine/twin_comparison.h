// Compares what the engine says about a pod with what its slow twin says.
#pragma once

#include <string>
#include <vector>

#include "engine/explanation.h"
#include "twin/answer.h"
#include "twin/rules.h"

namespace berth {

// One thing that the two do not agree on.
struct TwinDifference {
  std::string what;  // "node n1, plugin NodeAffinity", "choice" and so on.
  std::string fast;  // What the engine says,
  std::string slow;  // and what the twin says.
  friend bool operator==(const TwinDifference&, const TwinDifference&) = default;

  // "node n1: fast says ..., slow says ..."
  std::string Text() const;
};
using TwinDifferences = std::vector<TwinDifference>;

// All that an explanation tells: the verdict of each node, the scores of each plugin, the best
// nodes, why there is none, and what preemption found. Of several errors that end a cycle any may
// be told: kube-scheduler takes the one that comes first.
TwinDifferences CompareWithTwin(const Explanation& fast, const twin::Answer& slow);

// What was decided, by names.
struct DecidedAs {
  std::string node;     // The choice, or empty.
  std::string message;  // Why there is none.
  bool failed = false;  // Something went wrong: `message` is an error.
  std::string nominated_node;
  std::vector<std::string> victims;
};

// `node_order` lists all nodes: the first of the best ones is the right choice. Preemption need
// not look at more candidates than `rules` ask for, so that its choice need not be the best of all.
TwinDifferences CompareDecision(const DecidedAs& fast, const twin::Answer& slow,
                                const std::vector<std::string>& node_order,
                                const twin::Rules& rules);

}  // namespace berth
