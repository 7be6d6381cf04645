// ParanoidCheck makes each decision of a profile twice more and ends the program if they differ:
// once through the same plugins, but node by node and without kept results; and once through the
// slow twin (src/twin), which shares no rule with them.
//
// The twin is made of the in-tree rules. A profile that finds nodes with a plugin of somebody
// else's, or a pod that claims devices, is held against the fresh evaluation alone. A check costs
// about nodes times pods.
#pragma once

#include <string>

#include "scheduler/engine/reference_comparison.h"
#include "scheduler/engine/scheduling_cycle.h"
#include "scheduler/framework/profile.h"

namespace berth::scheduler::engine {

class ParanoidCheck {
 public:
  explicit ParanoidCheck(const framework::ProfileConfig& config)
      : rules_(reference::ReferenceProfileOf(config)) {}

  // `outcome` is what `attempt` came to, in a cluster that has not changed since.
  void Check(framework::Attempt& attempt, const CycleOutcome& outcome, Instant now) const;

  // The same, but returns the differences.
  ReferenceMismatches Differences(framework::Attempt& attempt, const CycleOutcome& outcome,
                                  Instant now) const;

  // True if the twin can judge the attempt.
  static bool ReferenceSupports(framework::Attempt& attempt);

 private:
  reference::ReferenceProfile rules_;
};

// The outcome as it is compared.
NamedDecision ToNamedDecision(const model::Cluster& cluster, const CycleOutcome& outcome);

}  // namespace berth::scheduler::engine
