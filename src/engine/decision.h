// Decision is the outcome of one scheduling cycle, told to whoever watches the engine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "cluster/ids.h"
#include "engine/explanation.h"

namespace berth {

struct Decision {
  enum class Kind {
    kPlaced,         // `node` was chosen and a bind was asked for.
    kUnschedulable,  // The pod fits nowhere; `message` is the FitError.
    kFailed,         // The cycle ended with an error; `message` says which.
  };

  PodId pod;
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

}  // namespace berth
