// DryRunCache remembers, for one pod class, what preemption would come to on each node, so that the
// next pod of the class need not try out the nodes that did not change.
//
// What it holds is a function of the class, the node's row and the disruption budgets. Whoever
// cacheable a result sees to it that nothing else had a part in it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/post_filter.h"

namespace berth::scheduler::plugins {

// What taking pods off one node would come to.
struct DryRunOutcome {
  framework::Verdict verdict;                     // Success, or why it does not work.
  framework::PreemptionReport::Victims victims;   // Upon success.
  std::optional<framework::VictimRating> rating;  // Upon success.
  bool no_start_time =
      false;  // None of the most important victims has a start time: they start now.

  framework::VictimRating RatingAt(Instant now) const {
    return no_start_time ? rating->StartingAt(now) : *rating;
  }
};

class DryRunCache final : public framework::ClassState {
 public:
  // Forgets what is no longer true of `cluster`.
  void Refresh(const model::Cluster& cluster) const;

  // Null if nothing is known of the node. Stays valid until Refresh.
  const DryRunOutcome* Find(model::NodeRow node) const {
    return node.index() < results_.size() ? results_[node.index()].get() : nullptr;
  }
  const DryRunOutcome& Insert(model::NodeRow node, DryRunOutcome result) const;

 private:
  // Mutable, because others see the same answers with and without what is cache.
  mutable std::vector<std::unique_ptr<const DryRunOutcome>> results_;  // By row.
  mutable uint64_t position_ = 0;                                      // In the rows' changes.
  mutable uint64_t budgets_ = 0;                                       // Their version.
};

// DryRun tries preemption out on one node after another, on the model, until it has enough
// candidates.
class DryRun {
 public:
  struct Candidate {
    model::NodeRow node;
    const DryRunOutcome* result;
  };

  // Tries `nodes`, from one chosen at random on, until `wanted` candidates are found of which one
  // breaks no budget; all of them if somebody wants a report. `cache` and the cluster must not
  // change while the results are in use.
  DryRun(framework::FailedCycle& failed, const DryRunCache& cache,
         const std::vector<model::NodeRow>& nodes, size_t wanted);
  DryRun(const DryRun&) = delete;
  DryRun& operator=(const DryRun&) = delete;

  const std::vector<Candidate>& candidates() const {
    return candidates_;
  }  // Unbroken budgets first.
  const framework::Diagnosis& rejected() const {
    return rejected_;
  }  // The nodes where it does not work.
  const std::vector<std::string>& errors() const { return errors_; }  // Each once.

 private:
  const DryRunOutcome& Try(model::NodeRow node);

  framework::FailedCycle& failed_;
  const DryRunCache& cache_;
  const bool cacheable_;
  std::deque<DryRunOutcome> uncached_;
  std::vector<Candidate> candidates_;
  framework::Diagnosis rejected_;
  std::vector<std::string> errors_;
};

}  // namespace berth::scheduler::plugins
