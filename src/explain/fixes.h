// Finds fixes: the smallest sets of changes that let a pod run which fits nowhere. Each is verified
// by deciding again as if it was made.
//
// The search is bounded by decisions, not by time: the same cluster gives the same fixes. On each
// node it removes the obstacles one after the other, in every way that it knows, with one change,
// then with two, then with three; more are tried only if fewer do not suffice.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/time.h"
#include "explain/change.h"
#include "scheduler/engine/engine.h"

namespace berth::explain {

struct FixOptions {
  // Decisions to try. Each costs some ten microseconds, and a multiple of that for rules that count
  // pods: 3,000 are well below a second in a cluster of 5,000 nodes.
  size_t max_decisions = 3'000;
  size_t max_changes = 3;    // In one fix: what a user would read.
  size_t max_fixes = 12;     // To return: half of them of authors, half of administrators.
  std::string node = {};     // If not empty: only fixes with which the pod fits on this node.
  bool opens_nodes = false;  // Cordons and taints decide: fixes that lift them come first.
};

struct Fix {
  struct Move {
    api::ObjectKey pod;
    std::string from, to;
  };

  std::vector<Change> changes;  // In the order in which they are made.
  std::string node;             // On which the pod then runs.
  std::vector<Move> moves;
  std::vector<api::ObjectKey> victims;  // Pods that are preempted for it.
  size_t similar = 0;          // Fixes of the same kind on other nodes, which are left out.
  std::string forbidden = {};  // What of it the asking user may not do: "patch nodes".
  // What holds replicas of the old template, which exclude those of the new one: to be deleted.
  std::vector<ObjectName> obsolete;
  // Of a group of pods: how many of them it lets run together, and of how many that was tried.
  size_t runs = 0, of = 0;
};

// Who makes the fix: the administrator if any of its changes is theirs.
Audience AudienceOf(const Fix& fix);

struct FixReport {
  std::vector<Fix> fixes;  // Those of authors first, the smallest first.
  size_t decisions = 0;    // That were tried.
  bool complete = true;    // Nothing was left out: without fixes, there are none of these kinds.
};

// `pod` must not be bound. Changes nothing in the engine, which must get no event meanwhile. Fails
// if no profile serves the pod.
Result<FixReport> FindFixes(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pod,
                            Instant now, const FixOptions& options = {});

// Returns the pod as it is with the changes made.
api::Ref<api::Pod> Apply(const std::vector<Change>& changes, const api::Pod& pod);

}  // namespace berth::explain
