// Decision is the outcome of a scheduling cycle; Explanation is the full account of one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/resource_claim.h"
#include "base/time.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::engine {

// Explanation is the full account of a scheduling cycle: the result of each plugin for each node,
// by name.
//
// Made on demand from the same plugins as the decision itself; far more expensive than a decision.
struct Explanation {
  struct Node {
    framework::Verdict verdict;
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
      framework::VictimCriterion lost_by = framework::VictimCriterion::kNone;
    };
    bool eligible = false;
    int32_t priority = 0;                                // Of the preemptor.
    std::map<std::string, Candidate> candidates;         // By node.
    std::map<std::string, framework::Verdict> rejected;  // By node.
    std::vector<std::string> equally_good;               // Sorted.
    std::string selected;
  };

  framework::Verdict pre_filter;
  std::optional<std::vector<std::string>> restricted_to;  // Node names, sorted.
  std::map<std::string, Node> nodes;                      // Empty if PreFilter rejected the pod.
  std::vector<std::string> scoring_plugins;               // In order; those that did not skip.
  std::vector<std::string> best_nodes;                    // All with the highest total, sorted.
  bool nominated_node_fits = false;  // The nominated node was selected without evaluating others.

  std::string error;      // The cycle failed with this, if not empty.
  std::string fit_error;  // The whole message, if the pod fits nowhere.
  std::string fit_error_before_post_filter;
  std::vector<std::string> rejected_by;  // Plugins, sorted.
  framework::Verdict post_filter;
  std::optional<Preemption> preemption;  // If preemption was tried.
};

// Decision is the outcome of one scheduling cycle, reported to a DecisionObserver.
struct Decision {
  enum class Kind {
    kPlaced,         // `node` was selected and the binding cycle started.
    kUnschedulable,  // The pod fits nowhere; `message` is the FitError.
    kFailed,         // The cycle ended with an error; `message` says which.
  };

  model::PodId pod;
  api::ObjectKey key;
  Kind kind = Kind::kPlaced;
  std::string node;
  std::string message;
  // The result of preemption for a pod that fits nowhere, if any.
  std::string nominated_node = {};
  std::vector<api::ObjectKey> victims = {};
  std::optional<Explanation> explanation;  // If EngineOptions::explain is set.
};

// Called on the engine thread at the end of each cycle; must not call the engine.
class DecisionObserver {
 public:
  virtual ~DecisionObserver() = default;
  virtual void OnDecision(const Decision& decision) = 0;
};

// Returns why the pod was placed on `chosen` and not on the next best node: "scores 468, 12 more
// than a-1, the next best: NodeResourcesFit +7, ImageLocality +5". Empty if `chosen` is empty or
// has no scores.
std::string WhyChosen(const Explanation& explanation, const std::string& chosen);

// Returns why the pod was not placed on `node`: a plugin's rejection, or "scores 10, 3 less than b:
// ImageLocality -3". Empty if it is as good as the chosen one.
std::string WhyNot(const Explanation& explanation, const std::string& node);

// Returns why preemption prefers the selected node to the candidate `node`; empty if it is the same
// or none was selected.
std::string WhyNotThere(const Explanation::Preemption& preemption, const std::string& node);

}  // namespace berth::scheduler::engine
