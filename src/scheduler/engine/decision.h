// Decision is the outcome of a scheduling cycle, and what its explanation says in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "scheduler/framework/explanation.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::engine {

using framework::Explanation;

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
