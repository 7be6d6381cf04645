// DryRun tries preemption out on one node after another, on the model, until it has enough
// candidates.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "framework/failed_cycle.h"
#include "plugins/kept_trials.h"

namespace berth {

class DryRun {
 public:
  struct Candidate {
    NodeRow node;
    const TrialResult* result;
  };

  // Tries `nodes`, from one chosen at random on, until `wanted` candidates are found of which one
  // breaks no budget; all of them if somebody wants a report. `kept` and the cluster must not
  // change while the results are in use.
  DryRun(FailedCycle& failed, const KeptTrials& kept, const std::vector<NodeRow>& nodes,
         size_t wanted);
  DryRun(const DryRun&) = delete;
  DryRun& operator=(const DryRun&) = delete;

  const std::vector<Candidate>& candidates() const {
    return candidates_;
  }                                                // Unbroken budgets first.
  const Diagnosis& vain() const { return vain_; }  // The nodes where it does not work.
  const std::vector<std::string>& errors() const { return errors_; }  // Each once.

 private:
  const TrialResult& Try(NodeRow node);

  FailedCycle& failed_;
  const KeptTrials& kept_;
  const bool keeps_;
  std::deque<TrialResult> unkept_;
  std::vector<Candidate> candidates_;
  Diagnosis vain_;
  std::vector<std::string> errors_;
};

}  // namespace berth
