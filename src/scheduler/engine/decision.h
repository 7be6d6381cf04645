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

#include "api/meta.h"
#include "base/time.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::engine {

struct Explanation {
  struct Node {
    framework::Verdict verdict;
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
      framework::VictimCriterion lost_by = framework::VictimCriterion::kNone;
    };
    bool eligible = false;
    int32_t priority = 0;                                // Of the pod that room is made for.
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
  bool nominated_node_fits = false;  // The pod's own nominated node was taken unseen.

  std::string error;      // The cycle failed with this, if not empty.
  std::string fit_error;  // The whole message, if the pod fits nowhere.
  std::string fit_error_before_post_filter;
  std::vector<std::string> rejected_by;  // Plugins, sorted.
  framework::Verdict post_filter;
  std::optional<Preemption> preemption;  // If preemption was asked.
};

// Decision is the outcome of one scheduling cycle, told to whoever watches the engine.
struct Decision {
  enum class Kind {
    kPlaced,         // `node` was chosen and a bind was asked for.
    kUnschedulable,  // The pod fits nowhere; `message` is the FitError.
    kFailed,         // The cycle ended with an error; `message` says which.
  };

  model::PodId pod;
  api::ObjectKey key;
  Kind kind = Kind::kPlaced;
  std::string node;
  std::string message;
  // If the pod fits nowhere but preemption makes room for it: where, and who must leave.
  std::string nominated_node = {};
  std::vector<api::ObjectKey> victims = {};
  std::optional<Explanation> explanation;  // If the engine was told to explain.
};

// Called on the engine thread at the end of each cycle; must not call the engine.
class DecisionObserver {
 public:
  virtual ~DecisionObserver() = default;
  virtual void OnDecision(const Decision& decision) = 0;
};

// Sentences that tell why one node was preferred to others.
// Why the pod went to `chosen` and not to the next best node: "scores 468, 12 more than a-1, the
// next best: NodeResourcesFit +7, ImageLocality +5". Empty if `chosen` is, or nothing is known.
std::string WhyChosen(const Explanation& explanation, const std::string& chosen);

// Why the pod would not go to `node`: what a plugin says against it, or "scores 10, 3 less than b:
// ImageLocality -3". Empty if it might as well go there.
std::string WhyNot(const Explanation& explanation, const std::string& node);

// Why preemption prefers the selected node to the candidate `node`; empty if it is the same or none
// was selected.
std::string WhyNotThere(const Explanation::Preemption& preemption, const std::string& node);

}  // namespace berth::scheduler::engine
