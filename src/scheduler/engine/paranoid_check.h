// ParanoidCheck recomputes each decision of a profile twice and aborts if they differ: once with
// the same plugins, but node by node and without cached results; and once with the reference
// implementation (scheduler/reference), which shares no rule with them.
//
// The reference implementation has the in-tree rules only. For a profile with out-of-tree plugins,
// or a pod with resource claims, only the first check is made. A check costs about nodes times
// pods.
#pragma once

#include <string>

#include "scheduler/engine/reference_comparison.h"
#include "scheduler/engine/scheduling_cycle.h"
#include "scheduler/framework/profile.h"

namespace berth::scheduler::engine {

class ParanoidCheck {
 public:
  explicit ParanoidCheck(const framework::ProfileConfig& config,
                         const model::Features& features = {})
      : rules_(reference::ReferenceProfileOf(config, features)) {}

  // `outcome` is the result of `attempt`, in a cluster that has not changed since.
  void Check(framework::Attempt& attempt, const CycleOutcome& outcome, Instant now) const;

  // Checks the attempt of a member of a group. The reference implementation does not know of
  // groups: it decides only where they make no difference.
  void CheckMember(framework::Attempt& attempt, const CycleOutcome& outcome, Instant now,
                   bool post_filters) const;

  // Returns the differences instead.
  ReferenceMismatches Differences(framework::Attempt& attempt, const CycleOutcome& outcome,
                                  Instant now) const;

  // Returns the differences from the same plugins without cached results.
  static ReferenceMismatches DifferencesFromFresh(framework::Attempt& attempt,
                                                  const CycleOutcome& outcome);

  // Reports whether the reference implementation can evaluate the attempt.
  static bool ReferenceSupports(framework::Attempt& attempt);

 private:
  reference::ReferenceProfile rules_;
};

// The outcome, by names.
NamedDecision ToNamedDecision(const model::Cluster& cluster, const CycleOutcome& outcome);

}  // namespace berth::scheduler::engine
