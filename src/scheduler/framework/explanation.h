// Explanation is the full account of a scheduling cycle: the result of each plugin for each node,
// by name.
//
// Made on demand from the same plugins as the decision itself; far more expensive than a decision.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/resource_claim.h"
#include "base/time.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/framework/verdict.h"

namespace berth::scheduler::framework {

struct Explanation {
  struct Node {
    Verdict verdict;
    std::string details;                    // FilterPlugin::Details; may be empty.
    bool excluded_by_pre_filter = false;    // Not evaluated.
    std::map<std::string, int64_t> scores;  // By plugin, weighted; of feasible nodes.
    int64_t total = 0;
    // Of feasible nodes: the devices for each claim of the pod that has none yet, by its name.
    std::map<std::string, api::AllocationResult> allocations;
  };

  struct Preemption {
    struct Victim {
      std::string pod;  // "namespace/name"
      int32_t priority = 0;
      bool over_budget = false;  // Its eviction violates a PodDisruptionBudget.
    };
    struct Candidate {
      std::vector<Victim> victims;  // Highest priority first.
      int64_t budget_violations = 0;
      Instant started = {};  // Earliest start of its victims of the highest priority.
      // The criterion by which the selected node is better; kNone also if they are equally good.
      VictimCriterion lost_by = VictimCriterion::kNone;
    };
    bool eligible = false;
    int32_t priority = 0;                                // Of the preemptor.
    std::map<std::string, Candidate> candidates;         // By node.
    std::map<std::string, Verdict> rejected;  // By node.
    std::vector<std::string> equally_good;               // Sorted.
    std::string selected;
  };

  Verdict pre_filter;
  std::optional<std::vector<std::string>> restricted_to;  // Node names, sorted.
  std::map<std::string, Node> nodes;                      // Empty if PreFilter rejected the pod.
  std::vector<std::string> scoring_plugins;               // In order; those that did not skip.
  std::vector<std::string> best_nodes;                    // All with the highest total, sorted.
  bool nominated_node_fits = false;  // The nominated node was selected without evaluating others.

  std::string error;      // The cycle failed with this, if not empty.
  std::string fit_error;  // The whole message, if the pod fits nowhere.
  std::string fit_error_before_post_filter;
  std::vector<std::string> rejected_by;  // Plugins, sorted.
  Verdict post_filter;
  std::optional<Preemption> preemption;  // If preemption was tried.
};

}  // namespace berth::scheduler::framework
