// DryRunPreemption tries out preemption on one node after another, on the model, and DryRunCache
// stores the outcomes of a pod class.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/plugins/preemption/quick_dry_run.h"

namespace berth::scheduler::model {
class NodeTable;
}

namespace berth::scheduler::plugins {

// What preemption on one node would result in.
struct DryRunOutcome {
  framework::Verdict verdict;                     // Success, or why it does not help.
  framework::Victims victims;                     // Upon success.
  std::optional<framework::VictimRating> rating;  // Upon success.
  // None of the victims of the highest priority has a start time: they count as starting now.
  bool no_start_time = false;

  framework::VictimRating RatingAt(Instant now) const {
    return no_start_time ? rating->StartingAt(now) : *rating;
  }
};

// DryRunCache stores, for one pod class, the outcome on each node, so that the next pod of the
// class need not try the nodes that did not change.
//
// An outcome must be a function of the class, the node's row and the disruption budgets: only such
// outcomes may be inserted.
class DryRunCache final : public framework::ClassState {
 public:
  // Removes the outcomes of nodes that changed, or all if a disruption budget did.
  void Refresh(const model::Cluster& cluster);

  // Returns null if there is no outcome. Valid until Refresh.
  const DryRunOutcome* Find(model::NodeRow node) const {
    return node.index() < outcomes_.size() ? outcomes_[node.index()].get() : nullptr;
  }
  const DryRunOutcome& Insert(model::NodeRow node, DryRunOutcome outcome);

  // Reports whether the class is tried again and again.
  bool has_ratings() const { return !ratings_.empty(); }
  // The same for quick dry runs, which are not worth storing unless the class is tried again and
  // again. A rating that is not exact is that of victims that violate no budget.
  const std::optional<QuickRating>* FindRating(model::NodeRow node) const {
    return ratings_.empty() ? nullptr : &ratings_[node.index()];
  }
  void InsertRating(model::NodeRow node, const QuickRating& rating) {
    if (!ratings_.empty()) ratings_[node.index()] = rating;
  }

  size_t bytes() const override {
    return outcomes_.capacity() * sizeof(outcomes_[0]) + bytes_ +
           ratings_.capacity() * sizeof(ratings_[0]);
  }

 private:
  void Drop(std::unique_ptr<const DryRunOutcome>& outcome);
  void RefreshRatings(const model::NodeTable& nodes, bool outdated);

  std::vector<std::unique_ptr<const DryRunOutcome>> outcomes_;  // By row.
  size_t bytes_ = 0;                                            // Of all outcomes.
  std::vector<std::optional<QuickRating>> ratings_;             // By row.
  uint64_t position_ = 0;                                       // In the log of changed rows.
  uint64_t budgets_ = 0;                                        // Their version.
};

// Valid while neither the cache nor the cluster changes.
struct DryRunResult {
  struct Candidate {
    model::NodeRow node;
    framework::VictimRating rating;
    // In the cache or in `uncached`; null after a quick dry run, which does not tell the victims.
    const DryRunOutcome* outcome;
  };

  // Those that violate no budget first. After quick dry runs, without those that are certainly not
  // better than one before them.
  std::vector<Candidate> candidates;
  framework::Diagnosis rejected;    // The nodes where preemption does not help.
  std::vector<std::string> errors;  // Each once.
  std::deque<DryRunOutcome> uncached;
};

// Tries `nodes`, starting at a random one, until `wanted` candidates are found of which one
// violates no budget; all nodes if a report is requested. Without `quick` the victims of all
// candidates are known.
DryRunResult DryRunPreemption(framework::FailedCycle& failed, DryRunCache& cache,
                              QuickDryRun* quick, std::span<const model::NodeRow> nodes,
                              size_t wanted);

}  // namespace berth::scheduler::plugins
