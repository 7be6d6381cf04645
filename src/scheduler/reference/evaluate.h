// Evaluate decides where a pod may run, by the rules of kube-scheduler v1.36, each applied as it is
// specified: every rule to every node, over whole objects, from scratch.
//
// It is the reference implementation of the engine: tests and paranoid mode compare the engine's
// decisions with it. Nothing is cached between calls. A call costs about nodes times pods, times
// victims where preemption is tried.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/pod.h"
#include "base/time.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/reference/reference_profile.h"
#include "scheduler/reference/rule.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

struct NodeEvaluation {
  // Success, or the verdict of the first filter that rejects the node.
  framework::Verdict verdict;
  // True if the node was not filtered because PreFilter restricted the nodes.
  bool excluded_by_pre_filter = false;
  // For feasible nodes: the weighted scores by plugin, without plugins that skip, and their sum.
  std::map<std::string, int64_t> scores;
  int64_t total = 0;
  // For feasible nodes: the devices for each claim that has none yet, in order.
  std::vector<ClaimAllocation> allocations;
};

// What must be evicted from a node so that the pod fits.
struct Candidate {
  std::vector<api::ObjectKey> victims;  // Most important first.
  int pdb_violations = 0;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct Preemption {
  bool eligible = true;
  std::map<std::string, Candidate> candidates;
  // Nodes that are no candidates, and why.
  std::map<std::string, framework::Verdict> rejected;
  // The best candidates, by name.
  std::vector<std::string> equally_good;
};

// The full outcome of one scheduling cycle.
struct Evaluation {
  framework::Verdict pre_filter;
  // The nodes that PreFilter restricts the search to, whether they exist or not.
  std::optional<std::vector<std::string>> restricted_to;
  // Every node of the snapshot; empty if PreFilter failed.
  std::map<std::string, NodeEvaluation> nodes;
  // The nodes with the highest total, by name, or only the nominated node if the pod fits there.
  // Empty if the pod fits nowhere.
  std::vector<std::string> best_nodes;
  bool nominated_node_fits = false;
  // Set if the cycle failed with an error.
  std::string error;
  // Why no node fits; empty if one does.
  std::string fit_error;
  std::string fit_error_before_post_filter;
  // The plugins that rejected the pod or a node.
  std::set<std::string> unschedulable_plugins;
  // Set if no node fits and the cycle did not fail.
  std::optional<Preemption> preemption;
  framework::Verdict post_filter;
  // The search for devices reached its bound on some node: the rest is not meaningful.
  bool gave_up = false;
};

// Evaluates all nodes. `pod` need not be in `snapshot`; pods without a start time count as started
// at `now`.
Evaluation Evaluate(const Snapshot& snapshot, const api::Pod& pod, const ReferenceProfile& profile,
                    Instant now);

}  // namespace berth::scheduler::reference
