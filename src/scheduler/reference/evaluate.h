// Evaluation is all that there is to say about one pod in one world.
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
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

struct NodeEvaluation {
  // Success, or the word of the first filter that says no.
  framework::Verdict verdict;
  // True if the node was not looked at because PreFilter named others.
  bool excluded_by_pre_filter = false;
  // Of feasible nodes: the weighted scores by plugin, without plugins that skip, and their sum.
  std::map<std::string, int64_t> scores;
  int64_t total = 0;
};

// A node where the pod would fit if the victims went.
struct Candidate {
  std::vector<api::ObjectKey> victims;  // Most important first.
  int pdb_violations = 0;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct Preemption {
  bool eligible = true;
  std::map<std::string, Candidate> candidates;
  // Nodes that were tried in vain, and why.
  std::map<std::string, framework::Verdict> rejected;
  // The candidates than which none is better, by name.
  std::vector<std::string> equally_good;
};

struct Evaluation {
  framework::Verdict pre_filter;
  // The nodes that PreFilter named, whether they exist or not; absent if it named none.
  std::optional<std::vector<std::string>> restricted_to;
  // Every node of the world; empty if PreFilter failed.
  std::map<std::string, NodeEvaluation> nodes;
  // The nodes with the highest total, by name; just the nominated node if the pod fits there. Empty
  // if there is no place for the pod.
  std::vector<std::string> best_nodes;
  bool nominated_node_fits = false;
  // The cycle went wrong: neither a place nor a reason why there is none.
  std::string error;
  // Why no node will do; empty if one does.
  std::string fit_error;
  std::string fit_error_before_post_filter;
  // The plugins that stood in the pod's way.
  std::set<std::string> unschedulable_plugins;
  // What is done about it; absent if a node will do or the cycle went wrong.
  std::optional<Preemption> preemption;
  framework::Verdict post_filter;
};

// Evaluate answers where a pod may go, by the rules of kube-scheduler v1.36, each applied as it is
// written down: every rule to every node, over whole objects, from scratch.
//
// It is the slow twin of the engine: tests and the checking mode compare the engine's decisions
// with it. Nothing is kept from one call to the next. A call costs about nodes times pods, times
// victims where preemption is tried.
// All nodes are looked at and scored. `pod` itself need not be in `world`; `now` is when pods
// without a start time started. Claims for devices are not looked at: the pod must not have any.
Evaluation Evaluate(const Snapshot& world, const api::Pod& pod, const ReferenceProfile& rules,
                    Instant now);

}  // namespace berth::scheduler::reference
