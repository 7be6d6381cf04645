// Paranoia makes each decision of a profile twice more and ends the program if they differ: once
// through the same plugins, but node by node and without kept results; and once through the slow
// twin (src/twin), which shares no rule with them.
//
// The twin is made of the in-tree rules. A profile that finds nodes with a plugin of somebody
// else's, or a pod that claims devices, is held against the fresh evaluation alone. A check costs
// about nodes times pods.
#pragma once

#include <string>

#include "engine/scheduling_cycle.h"
#include "engine/twin_comparison.h"
#include "framework/profile_config.h"

namespace berth {

class Paranoia {
 public:
  explicit Paranoia(const ProfileConfig& config) : rules_(twin::RulesOf(config)) {}

  // `outcome` is what `attempt` came to, in a cluster that has not changed since.
  void Check(Attempt& attempt, const CycleOutcome& outcome, Instant now) const;

  // The same, but returns the differences.
  TwinDifferences Differences(Attempt& attempt, const CycleOutcome& outcome, Instant now) const;

  // True if the twin can judge the attempt.
  static bool TwinKnows(Attempt& attempt);

 private:
  twin::Rules rules_;
};

// The outcome as it is compared.
DecidedAs ByNames(const Cluster& cluster, const CycleOutcome& outcome);

}  // namespace berth
