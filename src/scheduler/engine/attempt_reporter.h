// AttemptReporter tells those who observe an engine what it does: durations
// (framework/measurements.h), attempts (AttemptObserver) and decisions (DecisionObserver).
//
// Owned by the engine. No decision depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "scheduler/engine/attempt_report.h"
#include "scheduler/engine/binding_cycle.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/served_profiles.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/ranking_budget.h"
#include "scheduler/framework/scores.h"

namespace berth::scheduler::engine {

class AttemptReporter {
 public:
  // All must outlive this; `measurements` and `attempts` may be null.
  AttemptReporter(const model::Cluster& cluster, const ServedProfiles& profiles,
                  const Outbox& outbox, framework::Measurements* measurements,
                  AttemptObserver* attempts)
      : cluster_(cluster),
        profiles_(profiles),
        outbox_(outbox),
        measurements_(measurements),
        attempts_(attempts) {}

  // Null if nobody observes attempts.
  AttemptObserver* attempts() const { return attempts_; }

  // Returns the meter of an attempt that begins now.
  framework::AttemptMeter MakeMeter(size_t profile) {
    if (measurements_ == nullptr) return {};
    return {*measurements_, profile, sampler_.Next()};
  }

  // `observer` may be null and must outlive this otherwise.
  void Observe(DecisionObserver* observer) { decisions_ = observer; }
  void Report(const Decision& decision) const {
    if (decisions_ != nullptr) decisions_->OnDecision(decision);
  }

  // Null if nobody observes attempts.
  std::shared_ptr<const FailureAccount> Account(const framework::Diagnosis& diagnosis);
  // Lets a new attempt know its next best nodes, as far as there is time for that.
  void LimitRanking(framework::Attempt& attempt);
  // Writes the best nodes of an attempt that has just found one; returns how many. None if nobody
  // observes attempts.
  size_t RankNodes(framework::Attempt& attempt, std::span<framework::ScoredNode> into);

  // The pod is assumed. Returns a number by which the end of its binding is reported.
  uint64_t ReportPlaced(const BindingCycle::Placement& placement,
                        std::span<const framework::ScoredNode> candidates);
  // `decision` has the result of preemption; `diagnosis` the verdicts of all nodes, or is null.
  void ReportFailed(const queue::QueueEntry& entry, const model::PodRecord& pod,
                    const queue::Failure& failure, const framework::AttemptMeter& meter,
                    const Decision& decision, const framework::Diagnosis* diagnosis);
  void ReportBindingEnd(const BindingCycle& binding);

 private:
  const model::Cluster& cluster_;
  const ServedProfiles& profiles_;
  const Outbox& outbox_;
  framework::Measurements* const measurements_;
  AttemptObserver* const attempts_;
  DecisionObserver* decisions_ = nullptr;
  framework::Sampler sampler_;
  uint64_t last_failure_ = 0;  // The id of the last FailureAccount.
  framework::RankingBudget ranking_;
};

}  // namespace berth::scheduler::engine
