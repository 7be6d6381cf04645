// PodExplanation answers "why": why a pod is pending, or why it is where it is, and what would
// change that. It is data; docs/why.md describes its JSON form.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "base/time.h"
#include "explain/explanation_summary.h"
#include "explain/fixes.h"
#include "explain/group_explanation.h"
#include "explain/wording.h"
#include "explain/workload.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/engine.h"

namespace berth::explain {

enum class PodState : uint8_t {
  kPending,    // Has no node.
  kNominated,  // Has no node yet, but is nominated to one.
  kGated,      // Has scheduling gates.
  kWaiting,    // Has a node, for which it waits at Permit. Known to its scheduler alone.
  kRunning,    // Has a node.
  kSucceeded,
  kFailed,
};

// As in JSON: "Pending".
std::string_view ToString(PodState state);

// What the scheduler would decide about the pod now.
enum class Outcome : uint8_t {
  kFits,
  kPreempts,  // Fits once others are preempted.
  kUnschedulable,
  kError,  // The cycle ends with an error.
};

// As in JSON: "Fits".
std::string_view ToString(Outcome outcome);

struct PodExplanation {
  api::ObjectKey pod;
  Sentence sentence;  // What decides.
  std::string uid;
  PodState state = PodState::kPending;
  bool terminating = false;
  std::string scheduler_name;
  int32_t priority = 0;
  Workload workload;
  std::string node;                            // It runs or waits on.
  std::string nominated_node;                  // If nominated.
  std::vector<std::string> gates;              // If gated.
  std::vector<std::string> permit;             // If waiting: the plugins that delay it.
  std::optional<api::PodCondition> condition;  // PodScheduled: what its scheduler says.
  // Of a member of a PodGroup: it is bound with the others only. The rest is about the pod alone.
  std::optional<GroupExplanation> group;

  // What would be decided now; of a running pod: if it had no node. Absent if the pod has finished.
  struct Decision {
    Outcome outcome = Outcome::kFits;
    std::vector<std::string> best_nodes;   // If it fits: any of these.
    std::string nominated_node;            // If it preempts.
    std::string message;                   // If it does not fit: as in the condition.
    std::vector<std::string> rejected_by;  // Likewise: plugins.
    ExplanationSummary explanation;
  };
  std::optional<Decision> decision;

  // What the decision means for one node.
  struct Placement {
    std::string node;
    bool node_exists = true;
    bool fits = false;
    bool chosen = false;  // No other node is better.
    std::string why_not;  // If not chosen.
  };
  std::optional<Placement> placement;  // Of a running pod: of its node.
  std::optional<Placement> on;         // Of the node that was asked for.

  std::optional<FixReport> fixes;  // If the pod is unschedulable, or a node was asked for.
  std::vector<std::string> notes;
};

// Returns the full account of what the scheduler would decide about the pod now: about a running
// pod, if it had no node. A pod of another scheduler is decided about as one of `profile`. Changes
// nothing in the engine, which must get no event meanwhile.
Result<scheduler::engine::Explanation> DecideAgain(scheduler::engine::Engine& engine,
                                                   const api::Pod& pod, const std::string& profile,
                                                   Instant now);

struct ExplainOptions {
  bool fixes = true;
  bool group = true;
  // Of a pod that fits nowhere, nothing about single nodes but the sentence: several times as fast.
  bool brief = false;
  FixOptions fix = {};
  // In groups: returns what keeps a pod that has a node from running. May be null.
  std::function<std::optional<Sentence>(const api::Pod&)> trouble = {};
};

// Explains the pod, which need not be known to the engine. Changes nothing in the engine, which
// must get no event meanwhile. A pod of another scheduler is explained as if it was one of the
// engine's first profile, `profile`, and has a note about that.
Result<PodExplanation> ExplainPod(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pod,
                                  const std::string& profile, Instant now,
                                  const ExplainOptions& options = {});

// Explains the pod as ExplainPod would with the fix made; without further fixes.
Result<PodExplanation> ExplainWithFix(scheduler::engine::Engine& engine,
                                      const api::Ref<api::Pod>& pod, const Fix& fix,
                                      const std::string& profile, Instant now);

}  // namespace berth::explain
