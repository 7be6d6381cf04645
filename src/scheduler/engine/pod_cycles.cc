#include "scheduler/engine/pod_cycles.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "api/object.h"
#include "base/check.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {
namespace {

// The chosen node and the next best.
constexpr size_t kReportedCandidates = 3;

}  // namespace

bool PodCycles::Skip(const queue::QueueEntry& entry) {
  const model::PodRecord& pod = services_.cluster.pod(entry.order.pod);
  if (pod.terminating()) {
    const api::ObjectKey key = pod.key();
    ENGINE_LOG(services_.log, 3, "Skip schedule deleting pod", {{"pod", key.ToString()}});
    services_.outbox.Post(framework::RecordEvent{
        .pod = key,
        .uid = pod.uid(),
        .type = "Warning",
        .reason = "FailedScheduling",
        .action = "Scheduling",
        .note = fmt::format("skip schedule deleting pod: {}/{}", key.namespace_, key.name),
        .scheduler_name = pod.object->spec.scheduler_name,
        .resource_version = pod.object->metadata.resource_version});
  } else if (pod.state == model::PodState::kPending) {
    return false;
  }
  services_.queue.Done(entry.uid);
  return true;
}

void PodCycles::Run(queue::QueueEntry entry) {
  const model::PodId id = entry.order.pod;
  const groups::TrialRequest asked{
      .pod = services_.cluster.pod(id), .profile = entry.profile, .in_group = false};
  if (const queue::Failure* known = services_.trials.FindKnown(asked, failure_cache_)) {
    const queue::Failure failure = *known;
    const model::PodRecord pod = asked.pod;
    return services_.failures.EndAttempt(std::move(entry), pod, failure,
                                         services_.trials.MeterOfKnown(asked, failure),
                                         FailedDecision(pod, failure));
  }
  cycle_ = std::make_unique<Cycle>();
  cycle_->entry = std::move(entry);
  cycle_->pod = std::make_unique<const model::PodRecord>(services_.cluster.Retain(id));
  const groups::TrialRequest request = cycle_->request();
  services_.trials.Begin(request, cycle_->trial);
  cycle_->decision.pod = id;
  cycle_->decision.key = cycle_->pod->key();
  cycle_->decision.explanation = std::move(cycle_->trial.explanation);
  cycle_->search.emplace(services_.trials.Search(request, cycle_->trial));
  cycle_->search->Start();
  if (cycle_->search->done()) Finish();
}

bool PodCycles::Resume() {
  if (!cycle_->search->done()) return false;
  Finish();
  return true;
}

void PodCycles::Finish() {
  std::unique_ptr<Cycle> cycle = std::move(cycle_);
  services_.trials.End(cycle->request(), cycle->search->result(), failure_cache_, cycle->trial);
  if (cycle->trial.failure || !Bind(*cycle)) Fail(std::move(cycle));
}

bool PodCycles::Bind(Cycle& cycle) {
  std::array<framework::ScoredNode, kReportedCandidates> best;
  const size_t ranked = services_.reporter.RankNodes(*cycle.trial.attempt, best);
  services_.trials.Assume(cycle.request(), cycle.trial);
  if (cycle.trial.failure) return false;
  cycle.decision.node = services_.cluster.nodes().name(cycle.trial.node);
  services_.bindings.Start(std::move(cycle.entry), std::move(cycle.pod), std::move(cycle.trial),
                           cycle.trial.permit, std::span(best).first(ranked));
  services_.reporter.Report(cycle.decision);
  return true;
}

void PodCycles::Fail(std::unique_ptr<Cycle> cycle) {
  const framework::PostFilterResult& chosen = cycle->search->result().post_filter;
  Decision& decision = cycle->decision;
  const Decision failed = FailedDecision(*cycle->pod, *cycle->trial.failure);
  decision.kind = failed.kind;
  decision.message = failed.message;
  if (!chosen.victims.empty()) {
    decision.nominated_node = services_.cluster.symbols().Text(chosen.nomination.node);
    decision.victims = cycle->trial.victims;
    if (!services_.cluster.features().scheduler_async_preemption)
      return PreemptWithinCycle(std::move(cycle));
    services_.evictions.Start(*cycle->pod, chosen.nomination.node, chosen.victims);
  }
  EndFailedCycle(*cycle);
}

void PodCycles::EndFailedCycle(Cycle& cycle) {
  const CycleOutcome& outcome = cycle.search->result();
  services_.failures.EndAttempt(
      std::move(cycle.entry), *cycle.pod, *cycle.trial.failure, cycle.trial.attempt->meter(),
      cycle.decision, outcome.kind == CycleOutcome::Kind::kFitError ? &outcome.diagnosis : nullptr);
  services_.cluster.Release(*cycle.pod);
}

void PodCycles::PreemptWithinCycle(std::unique_ptr<Cycle> cycle) {
  preempting_.reset(
      new PreemptingCycle{std::move(cycle), SymbolHolder(services_.cluster.mutable_symbols())});
  const Cycle& running = *preempting_->cycle;
  preempting_->symbols.Intern(running.decision.nominated_node);
  const framework::PostFilterResult& chosen = running.search->result().post_filter;
  services_.evictions.StartSynchronously(
      *running.pod, chosen.nomination.node, chosen.victims,
      [this](const framework::Verdict& evicted) { FinishPreemptingCycle(evicted); });
}

void PodCycles::FinishPreemptingCycle(const framework::Verdict& evicted) {
  const std::unique_ptr<PreemptingCycle> preempting = std::move(preempting_);
  Cycle& cycle = *preempting->cycle;
  if (!evicted.ok()) {
    queue::Failure& failure = *cycle.trial.failure;
    framework::Diagnosis diagnosis = cycle.search->result().diagnosis;
    diagnosis.post_filter_message = "preemption: " + evicted.Message();
    failure.message = diagnosis.Message();
    failure.account = services_.reporter.Account(diagnosis);
    failure.nomination = {.replace = false, .node = {}};
    cycle.decision.message = failure.message;
    cycle.decision.nominated_node.clear();
    cycle.decision.victims.clear();
  }
  EndFailedCycle(cycle);
}

std::string PodCycles::pod_in_cycle() const {
  if (cycle_ != nullptr) return cycle_->pod->uid();
  return preempting_ != nullptr ? preempting_->cycle->pod->uid() : "";
}

}  // namespace berth::scheduler::engine
