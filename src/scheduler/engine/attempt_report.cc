// How the engine reports attempts to an AttemptObserver.
#include "scheduler/engine/attempt_report.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "scheduler/engine/engine_state.h"

namespace berth::scheduler::engine {

FailureAccount AccountOf(const framework::Diagnosis& diagnosis, uint64_t id) {
  FailureAccount account;
  account.id = id;
  account.evaluated = diagnosis.judged();
  std::ranges::set_union(diagnosis.rejected_by, diagnosis.pending_on,
                         std::back_inserter(account.plugins));
  std::map<std::pair<std::string_view, std::string_view>, size_t> counts;
  diagnosis.ForEachVerdict([&](const framework::Verdict& verdict, size_t nodes) {
    for (const std::string& reason : verdict.reasons()) counts[{verdict.plugin(), reason}] += nodes;
  });
  std::vector<std::pair<size_t, const decltype(counts)::key_type*>> largest;
  for (const auto& [reason, nodes] : counts) largest.emplace_back(nodes, &reason);
  std::ranges::stable_sort(largest, std::greater(), [](const auto& group) { return group.first; });
  if (largest.size() > FailureAccount::kMaxGroups) largest.resize(FailureAccount::kMaxGroups);
  for (const auto& [nodes, reason] : largest)
    account.groups.push_back({std::string(reason->first), std::string(reason->second), nodes});
  return account;
}

size_t FailureAccount::bytes() const {
  size_t bytes = sizeof(*this);
  for (const std::string& plugin : plugins) bytes += sizeof(plugin) + plugin.size();
  for (const Group& group : groups)
    bytes += sizeof(group) + group.plugin.size() + group.reason.size();
  return bytes;
}

// --- Engine::State ---

std::shared_ptr<const FailureAccount> Engine::State::Account(
    const framework::Diagnosis& diagnosis) {
  if (attempts_ == nullptr) return nullptr;
  return std::make_shared<const FailureAccount>(AccountOf(diagnosis, ++last_failure_));
}

size_t Engine::State::RankNodes(framework::Attempt& attempt,
                                std::span<framework::ScoredNode> into) {
  using framework::RankingBudget;
  const size_t others = into.size() - 1;
  // Totals that are not in a tournament are all read again.
  const Duration cost = attempt.rank_reads_all_rows()
                            ? RankingBudget::kPerTotal * (others * cluster_.nodes().rows())
                            : RankingBudget::kPerRunnerUp * others;
  if (!ranking_.Take(cost)) into = into.first(1);
  return attempt.Rank(into);
}

uint64_t Engine::State::ReportPlaced(const BindingCycle::Placement& placement,
                                     std::span<const framework::ScoredNode> candidates) {
  return attempts_->OnAttempt({.cluster = cluster_,
                               .profile = *profiles_[placement.entry.profile].profile,
                               .pod = *placement.pod,
                               .entry = placement.entry,
                               .now = present(),
                               .outcome = placement.waits ? AttemptReport::Outcome::kWaiting
                                                          : AttemptReport::Outcome::kAssumed,
                               .node = cluster_.nodes().name(placement.node),
                               .candidates = candidates,
                               .evaluated = placement.evaluated,
                               .feasible = placement.feasible,
                               .meter = placement.attempt->meter()});
}

void Engine::State::ReportFailed(const queue::QueueEntry& entry, const model::PodRecord& pod,
                                 const Failure& failure, const framework::AttemptMeter& meter,
                                 const Decision* decision, const framework::Diagnosis* diagnosis) {
  if (attempts_ == nullptr) return;
  AttemptReport report{.cluster = cluster_,
                       .profile = *profiles_[entry.profile].profile,
                       .pod = pod,
                       .entry = entry,
                       .now = present(),
                       .outcome = failure.rejected ? AttemptReport::Outcome::kUnschedulable
                                                   : AttemptReport::Outcome::kError,
                       .message = failure.message,
                       .failure = failure.account.get(),
                       .diagnosis = diagnosis,
                       .meter = meter};
  if (failure.account != nullptr) report.evaluated = failure.account->evaluated;
  if (decision != nullptr && !decision->nominated_node.empty()) {
    report.outcome = AttemptReport::Outcome::kNominated;
    report.node = decision->nominated_node;
    report.victims = decision->victims;
  }
  attempts_->OnAttempt(report);
}

}  // namespace berth::scheduler::engine
