// Explanation is the full account of a scheduling cycle: what each plugin said about each node, by
// name.
//
// Made on demand from the same plugins as the decision itself; far more costly than a decision.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "framework/verdict.h"
#include "framework/victim_order.h"

namespace berth {

struct Explanation {
  struct Node {
    Verdict verdict;
    std::string details;  // What the reasons leave out, in a sentence; may be empty.
    bool excluded_by_pre_filter = false;    // Not looked at: PreFilter left it out.
    std::map<std::string, int64_t> scores;  // By plugin, weighted; of feasible nodes.
    int64_t total = 0;
  };

  struct Preemption {
    struct Victim {
      std::string pod;  // "namespace/name"
      int32_t priority = 0;
      bool over_budget = false;  // Its eviction breaks a PodDisruptionBudget.
    };
    struct Candidate {
      std::vector<Victim> victims;  // Most important first.
      int64_t budget_violations = 0;
      Instant started = {};  // The first of its most important victims.
      // What the selected node is better by; kNone also if nothing tells the two apart.
      VictimCriterion lost_by = VictimCriterion::kNone;
    };
    bool eligible = false;
    int32_t priority = 0;                         // Of the pod that room is made for.
    std::map<std::string, Candidate> candidates;  // By node.
    std::map<std::string, Verdict> rejected;      // By node.
    std::vector<std::string> equally_good;        // Sorted.
    std::string selected;
  };

  Verdict pre_filter;
  std::optional<std::vector<std::string>> restricted_to;  // Node names, sorted.
  std::map<std::string, Node> nodes;                      // Empty if PreFilter rejected the pod.
  std::vector<std::string> scoring_plugins;               // In order; those that did not skip.
  std::vector<std::string> best_nodes;                    // All with the highest total, sorted.
  bool nominated_node_fits = false;  // The pod's own nominated node was taken unseen.

  std::string error;      // The cycle failed with this, if not empty.
  std::string fit_error;  // The whole message, if the pod fits nowhere.
  std::string fit_error_before_post_filter;
  std::vector<std::string> rejected_by;  // Plugins, sorted.
  Verdict post_filter;
  std::optional<Preemption> preemption;  // If preemption was asked.
};

}  // namespace berth
