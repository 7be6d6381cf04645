#include "scheduler/engine/attempt_reporter.h"

#include "scheduler/framework/attempt.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::engine {

std::shared_ptr<const FailureAccount> AttemptReporter::Account(
    const framework::Diagnosis& diagnosis) {
  if (attempts_ == nullptr) return nullptr;
  return std::make_shared<const FailureAccount>(queue::AccountOf(diagnosis, ++last_failure_));
}

void AttemptReporter::LimitRanking(framework::Attempt& attempt) {
  if (attempts_ == nullptr) return;
  ranking_.Advance(outbox_.now());
  attempt.RankWithin(ranking_);
}

size_t AttemptReporter::RankNodes(framework::Attempt& attempt,
                                  std::span<framework::ScoredNode> into) {
  if (attempts_ == nullptr) return 0;
  using framework::RankingBudget;
  const size_t others = into.size() - 1;
  // Totals that are not in a tournament are all read again.
  const Duration cost = attempt.rank_reads_all_rows()
                            ? RankingBudget::kPerTotal * (others * cluster_.nodes().rows())
                            : RankingBudget::kPerRunnerUp * others;
  if (!ranking_.Take(cost)) into = into.first(1);
  return attempt.Rank(into);
}

uint64_t AttemptReporter::ReportPlaced(const BindingCycle::Placement& placement,
                                       std::span<const framework::ScoredNode> candidates) {
  return attempts_->OnAttempt({.cluster = cluster_,
                               .profile = *profiles_[placement.entry.profile].profile,
                               .pod = *placement.pod,
                               .entry = placement.entry,
                               .now = outbox_.present(),
                               .outcome = placement.waits ? AttemptReport::Outcome::kWaiting
                                                          : AttemptReport::Outcome::kAssumed,
                               .node = cluster_.nodes().name(placement.node),
                               .candidates = candidates,
                               .evaluated = placement.evaluated,
                               .feasible = placement.feasible,
                               .meter = placement.attempt->meter()});
}

void AttemptReporter::ReportFailed(const queue::QueueEntry& entry, const model::PodRecord& pod,
                                   const queue::Failure& failure,
                                   const framework::AttemptMeter& meter, const Decision& decision,
                                   const framework::Diagnosis* diagnosis) {
  if (attempts_ == nullptr) return;
  AttemptReport report{.cluster = cluster_,
                       .profile = *profiles_[entry.profile].profile,
                       .pod = pod,
                       .entry = entry,
                       .now = outbox_.present(),
                       .outcome = failure.rejected ? AttemptReport::Outcome::kUnschedulable
                                                   : AttemptReport::Outcome::kError,
                       .message = failure.message,
                       .failure = failure.account.get(),
                       .diagnosis = diagnosis,
                       .meter = meter};
  if (failure.account != nullptr) report.evaluated = failure.account->evaluated;
  if (!decision.nominated_node.empty()) {
    report.outcome = AttemptReport::Outcome::kNominated;
    report.node = decision.nominated_node;
    report.victims = decision.victims;
  }
  attempts_->OnAttempt(report);
}

void AttemptReporter::ReportBindingEnd(const BindingCycle& binding) {
  if (attempts_ == nullptr) return;
  const framework::Verdict& verdict = binding.verdict();
  const BindingCycle::Placement& placement = binding.placement();
  const std::optional<Instant> ready = placement.entry.first_ready;
  attempts_->OnBindingEnd({.attempt = placement.reported,
                           .now = outbox_.present(),
                           .bound = verdict.ok(),
                           .message = verdict.ok() ? "" : verdict.Message(),
                           .since_ready = outbox_.now() - ready.value_or(outbox_.now()),
                           .meter = placement.attempt->meter()});
}

}  // namespace berth::scheduler::engine
