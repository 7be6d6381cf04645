// How the engine schedules one pod: it finds a node, assumes the pod there, and starts the binding
// cycle.

#include <fmt/format.h>

#include <array>

#include "base/check.h"
#include "scheduler/engine/engine_state.h"
#include "scheduler/engine/explain.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {
namespace {

// The chosen node and the next best.
constexpr size_t kReportedCandidates = 3;

}  // namespace

bool Engine::State::ScheduleOne() {
  if (cycle_waits() || preempting_ != nullptr) return false;
  std::optional<queue::QueueEntry> entry = queue_.Pop(now());
  if (!entry) return false;
  if (cluster_.features().has_groups()) {
    if (auto group = model::GroupNamedBy(*cluster_.pod(entry->order.pod).object)) {
      TryGroup(*std::move(entry), *std::move(group));
      return true;
    }
  }
  if (log_.IsOn(4)) [[unlikely]]
    LogAttempt(entry->order.pod, 4);
  if (IsSkipped(*entry)) return true;
  if (log_.IsOn(3)) [[unlikely]]
    LogAttempt(entry->order.pod, 3);
  TryPod(*std::move(entry));
  return true;
}

bool Engine::State::IsSkipped(const queue::QueueEntry& entry) {
  const model::PodRecord& pod = cluster_.pod(entry.order.pod);
  if (pod.terminating()) {
    const api::ObjectKey key = pod.key();
    ENGINE_LOG(log_, 3, "Skip schedule deleting pod", {{"pod", key.ToString()}});
    outbox_.Post(framework::RecordEvent{
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
  queue_.Done(entry.uid);
  return true;
}

namespace {

Decision FailedDecision(const model::PodRecord& pod, const Failure& failure) {
  Decision decision;
  decision.pod = pod.id;
  decision.key = pod.key();
  decision.kind = failure.rejected ? Decision::Kind::kUnschedulable : Decision::Kind::kFailed;
  decision.message = failure.message;
  return decision;
}

}  // namespace

void Engine::State::TryPod(queue::QueueEntry entry) {
  const ServedProfile& served = profiles_[entry.profile];
  const model::PodId id = entry.order.pod;
  const framework::AttemptMeter meter = MakeMeter(entry.profile);
  const Failure* known = explain_ ? nullptr : failure_cache_.Find(cluster_.pod(id), entry.profile);
  if (known != nullptr && !paranoid_) {
    const Failure failure = *known;
    const model::PodRecord pod = cluster_.pod(id);
    if (failure.preemption_tried && measurements_ != nullptr) measurements_->PreemptionTried();
    ReportFailed(entry, pod, failure, meter, nullptr, nullptr);
    HandleFailure(std::move(entry), pod, failure, meter);
    return Report(FailedDecision(pod, failure));
  }

  auto pod = std::make_unique<const model::PodRecord>(cluster_.Retain(id));
  auto results = served.results->For(*pod);
  Decision decision;
  decision.pod = id;
  decision.key = pod->key();
  if (explain_) {
    framework::Attempt explained(cluster_, *served.profile, *results, *pod);
    decision.explanation =
        ExplainAttempt(explained, outbox_.latest_wall(), random_, ExplainDepth::kDetails);
  }

  auto attempt = std::make_unique<framework::Attempt>(cluster_, *served.profile, *results, *pod);
  attempt->Measure(meter);
  if (attempts_ != nullptr) {
    ranking_.Advance(present().steady);
    attempt->RankWithin(ranking_);
  }
  attempt->cycle().set_background(&background_);
  Task<CycleOutcome> search =
      FindNode(*attempt, {.now = outbox_.latest_wall(),
                          .random = random_,
                          .extenders = extenders_.empty() ? nullptr : &extenders_,
                          .writes = &cycle_writes_,
                          .percentage_of_nodes_to_score = served.percentage_of_nodes_to_score,
                          .next_start = NextStart(),
                          .log = log_});
  BindingCycle::Placement placement{
      std::move(entry), std::move(pod), results->share_compiled(), std::move(attempt), {}};
  cycle_.reset(new RunningCycle{std::move(results), std::move(placement), std::move(decision),
                                std::move(search)});
  cycle_->search.Start();
  if (cycle_->search.done()) FinishCycle();
}

void Engine::State::FinishCycle() {
  std::unique_ptr<RunningCycle> cycle = std::move(cycle_);
  const CycleOutcome& outcome = cycle->search.result();
  BindingCycle::Placement& placement = cycle->placement;
  Decision& decision = cycle->decision;
  const ServedProfile& served = profiles_[placement.entry.profile];
  if (served.paranoid_check != nullptr) {
    served.paranoid_check->Check(*placement.attempt, outcome, outbox_.latest_wall());
    const bool known_to_fail =
        failure_cache_.Find(*placement.pod, placement.entry.profile) != nullptr;
    CHECK(!known_to_fail || outcome.kind != CycleOutcome::Kind::kNode);
  }
  const framework::AttemptMeter& meter = placement.attempt->meter();
  if (meter.to() != nullptr) meter.to()->AlgorithmEnded(meter.so_far());
  placement.node = outcome.node;
  std::optional<Failure> failure;
  if (outcome.kind == CycleOutcome::Kind::kNode) {
    decision.node = cluster_.nodes().name(outcome.node);
    placement.evaluated = outcome.evaluated;
    placement.feasible = outcome.feasible;
    failure = Place(placement);
  } else {
    failure = FailureOf(outcome, served);
    CacheFailure(*placement.pod, placement.entry.profile, *failure);
  }
  if (failure) {
    const Decision failed = FailedDecision(*placement.pod, *failure);
    decision.kind = failed.kind;
    decision.message = failed.message;
    decision.node.clear();
    const std::vector<model::PodId>& victims = outcome.post_filter.victims;
    for (model::PodId victim : victims) {
      decision.nominated_node = cluster_.symbols().Text(outcome.post_filter.nomination.node);
      decision.victims.push_back(cluster_.pod(victim).key());
    }
    if (!victims.empty() && !cluster_.features().scheduler_async_preemption) {
      PreemptWithinCycle(std::move(cycle), *std::move(failure));
      return Reap();
    }
    if (!victims.empty())
      evictions_.Start(*placement.pod, outcome.post_filter.nomination.node, victims);
    EndFailedCycle(*cycle, *failure);
  } else {
    Report(decision);
  }
  Reap();
}

void Engine::State::EndFailedCycle(RunningCycle& cycle, const Failure& failure) {
  BindingCycle::Placement& placement = cycle.placement;
  const CycleOutcome& outcome = cycle.search.result();
  ReportFailed(placement.entry, *placement.pod, failure, placement.attempt->meter(),
               &cycle.decision,
               outcome.kind == CycleOutcome::Kind::kFitError ? &outcome.diagnosis : nullptr);
  HandleFailure(std::move(placement.entry), *placement.pod, failure, placement.attempt->meter());
  cluster_.Release(*placement.pod);
  Report(cycle.decision);
}

void Engine::State::PreemptWithinCycle(std::unique_ptr<RunningCycle> cycle, Failure failure) {
  preempting_.reset(new PreemptingCycle{std::move(cycle), std::move(failure),
                                        SymbolHolder(cluster_.mutable_symbols())});
  const RunningCycle& running = *preempting_->cycle;
  preempting_->symbols.Intern(running.decision.nominated_node);
  const framework::PostFilterResult& chosen = running.search.result().post_filter;
  evictions_.StartSynchronously(
      *running.placement.pod, chosen.nomination.node, chosen.victims,
      [this](const framework::Verdict& evicted) { FinishPreemptingCycle(evicted); });
}

void Engine::State::FinishPreemptingCycle(const framework::Verdict& evicted) {
  const std::unique_ptr<PreemptingCycle> preempting = std::move(preempting_);
  Failure& failure = preempting->failure;
  Decision& decision = preempting->cycle->decision;
  if (!evicted.ok()) {
    framework::Diagnosis diagnosis = preempting->cycle->search.result().diagnosis;
    diagnosis.post_filter_message = "preemption: " + evicted.Message();
    failure.message = diagnosis.Message();
    failure.account = Account(diagnosis);
    failure.nomination = {.replace = false, .node = {}};
    decision.message = failure.message;
    decision.nominated_node.clear();
    decision.victims.clear();
  }
  EndFailedCycle(*preempting->cycle, failure);
}

// Pods of the same signature will fail as well, while nothing changes; extenders may decide
// otherwise.
void Engine::State::CacheFailure(const model::PodRecord& pod, size_t profile,
                                 const Failure& failure) {
  if (!extenders_.empty()) return;
  if (const Failure* known = failure_cache_.Find(pod, profile)) {
    CHECK(failure.message == known->message);  // In paranoid mode the pod is tried all the same.
  }
  failure_cache_.Add(pod, profile, failure);
}

Failure Engine::State::FailureOf(const CycleOutcome& outcome, const ServedProfile& served) {
  Failure failure;
  failure.rejected = outcome.kind != CycleOutcome::Kind::kError;
  failure.message = outcome.Message();
  if (outcome.kind != CycleOutcome::Kind::kFitError) return failure;
  failure.why = served.RejectorsIn(outcome.diagnosis);
  failure.account = Account(outcome.diagnosis);
  failure.preemption_tried = outcome.preemption_tried;
  if (!served.profile->post_filter().empty()) failure.nomination = outcome.post_filter.nomination;
  return failure;
}

Failure Engine::State::FailureAt(model::NodeRow node, framework::Verdict verdict,
                                 const ServedProfile& served) {
  Failure failure;
  failure.rejected = verdict.rejected();
  if (!failure.rejected) {
    failure.message = verdict.Message();
    return failure;
  }
  framework::Diagnosis diagnosis;
  diagnosis.all_nodes = 1;
  diagnosis.Add(node, std::move(verdict));
  failure.message = diagnosis.Message();
  failure.why = served.RejectorsIn(diagnosis);
  failure.account = Account(diagnosis);
  return failure;
}

std::optional<Failure> Engine::State::Place(BindingCycle::Placement& placement) {
  std::array<framework::ScoredNode, kReportedCandidates> best;
  const size_t ranked = attempts_ == nullptr ? 0 : RankNodes(*placement.attempt, best);
  cluster_.Assume(placement.pod->id, placement.node);
  const size_t profile = placement.entry.profile;
  const auto revert = [&] {
    Unreserve(*placement.attempt, placement.node);
    cluster_.Forget(placement.pod->id);
  };
  if (auto failure = RunReservePlugins(profile, *placement.attempt, placement.node)) {
    revert();
    return failure;
  }
  PermitOutcome permit = RunPermitPlugins(profile, *placement.attempt, placement.node);
  if (permit.failure) {
    revert();
    return std::move(permit.failure);
  }
  AwaitPermit(placement, permit);
  if (attempts_ != nullptr)
    placement.reported = ReportPlaced(placement, std::span(best).first(ranked));
  StartBinding(std::move(placement));
  return std::nullopt;
}

std::optional<Failure> Engine::State::RunReservePlugins(size_t profile, framework::Attempt& attempt,
                                                        model::NodeRow node) {
  const ServedProfile& served = profiles_[profile];
  framework::AttemptMeter& meter = attempt.meter();
  framework::PluginTimer timer(meter);
  for (const framework::ReservePlugin* plugin : served.profile->reserve()) {
    framework::Verdict verdict = plugin->Reserve(attempt.cycle(), node);
    timer.End(*plugin, framework::MeasuredPoint::kReserve, verdict.code());
    if (verdict.ok()) continue;
    LogRejection(attempt.cycle().pod(), *plugin, verdict);
    if (!verdict.rejected()) {
      verdict = framework::Verdict::Error(
          fmt::format("running Reserve plugin \"{}\": {}", plugin->name(), verdict.Message()));
    }
    meter.End(framework::MeasuredPoint::kReserve, verdict.code());
    return FailureAt(node, std::move(verdict).By(plugin->name()), served);
  }
  meter.End(framework::MeasuredPoint::kReserve, framework::Code::kSuccess,
            !served.profile->reserve().empty());
  return std::nullopt;
}

PermitOutcome Engine::State::RunPermitPlugins(size_t profile, framework::Attempt& attempt,
                                              model::NodeRow node) {
  const ServedProfile& served = profiles_[profile];
  framework::AttemptMeter& meter = attempt.meter();
  PermitOutcome outcome;
  framework::PluginTimer timer(meter);
  for (const framework::PermitPlugin* plugin : served.profile->permit()) {
    framework::PermitResult result = plugin->Permit(attempt.cycle(), node, waiting_);
    timer.End(*plugin, framework::MeasuredPoint::kPermit, result.verdict.code());
    if (result.verdict.ok()) continue;
    if (result.verdict.code() == framework::Code::kWait) {
      outcome.timeouts.emplace(plugin->name(), result.timeout);
      outcome.message = result.verdict.Message();
      continue;
    }
    LogRejection(attempt.cycle().pod(), *plugin, result.verdict);
    if (!result.verdict.rejected()) {
      result.verdict = framework::Verdict::Error(fmt::format(
          "running Permit plugin \"{}\": {}", plugin->name(), result.verdict.Message()));
    }
    meter.End(framework::MeasuredPoint::kPermit, result.verdict.code());
    outcome.failure = FailureAt(node, std::move(result.verdict).By(plugin->name()), served);
    return outcome;
  }
  meter.End(framework::MeasuredPoint::kPermit,
            outcome.timeouts.empty() ? framework::Code::kSuccess : framework::Code::kWait,
            !served.profile->permit().empty());
  return outcome;
}

void Engine::State::AwaitPermit(BindingCycle::Placement& placement, const PermitOutcome& permit) {
  if (permit.timeouts.empty()) return;
  placement.waits = true;
  ENGINE_LOG(log_, 4, "One or more plugins asked to wait and no plugin rejected pod",
             {{"pod", placement.pod->key().ToString()}});
  waiting_.Add(placement.pod->uid(), placement.pod->key(), cluster_.nodes().name(placement.node),
               permit.timeouts, now());
}

void Engine::State::StartBinding(BindingCycle::Placement placement) {
  placement.attempt->EndSteps();
  Activate(placement.attempt->cycle());
  cluster_.HoldRow(placement.node);  // Until the binding ends, even if the node is deleted.
  auto binding = std::make_unique<BindingCycle>(
      std::move(placement),
      BindingCycle::Services{outbox_, status_, extenders_, queue_, finished_bindings_, log_});
  BindingCycle& started = *binding;
  bindings_.emplace(&started, std::move(binding));
  const std::string& uid = started.pod().uid();
  binding_of_.erase(uid);  // Its key may not outlive the other binding cycle: see FinishBinding.
  binding_of_.emplace(uid, &started);
  started.Start();
}

template <typename Answer>
Result<Answer> Engine::State::Ask(std::shared_ptr<const api::Pod> pod,
                                  const std::function<Answer(framework::Attempt&)>& question) {
  const auto profile = handlers_.ProfileOf(*pod);
  if (!profile) {
    return Fail(fmt::format("no profile serves schedulerName \"{}\" of pod {}/{}",
                            pod->spec.scheduler_name, pod->metadata.namespace_,
                            pod->metadata.name));
  }
  const ServedProfile& served = profiles_[*profile];
  const model::PodRecord visitor = cluster_.MakeHypotheticalPod(std::move(pod));
  Answer answer;
  {
    auto results = served.results->For(visitor);
    framework::Attempt attempt(cluster_, *served.profile, *results, visitor);
    answer = question(attempt);
  }
  cluster_.Release(visitor);
  DropRemovedClasses();  // Those of thousands of questions would remain otherwise.
  return answer;
}

Result<Explanation> Engine::State::Explain(std::shared_ptr<const api::Pod> pod, Instant at) {
  return Ask<Explanation>(std::move(pod), [&](framework::Attempt& attempt) {
    return ExplainAttempt(attempt, at, random_, ExplainDepth::kDetails);
  });
}

Result<bool> Engine::State::MightDecide(std::shared_ptr<const api::Pod> pod,
                                        const std::string& node, bool* has_equals) {
  return Ask<bool>(std::move(pod), [&](framework::Attempt& attempt) {
    const model::NodeTable& nodes = cluster_.nodes();
    if (node.empty()) return FitsNowhere(attempt);
    const model::NodeRow row = nodes.Find(cluster_.symbols().Find(node));
    return row.valid() && nodes.present().Test(row.index()) &&
           MightChoose(attempt, row, has_equals);
  });
}

Result<Decision> Engine::State::Preview(std::shared_ptr<const api::Pod> pod, Instant at) {
  const std::shared_ptr<const api::Pod> asked = pod;
  return Ask<Decision>(std::move(pod), [&](framework::Attempt& attempt) {
    Random random = random_;  // A copy: asking does not advance the engine's generator.
    size_t next_start = next_start_;
    Task<CycleOutcome> search =
        FindNode(attempt, {.now = at, .random = random, .next_start = next_start});
    search.Start();  // No extender is called and nothing is written, so it does not wait.
    return DecisionOf(*asked, search.result());
  });
}

Decision Engine::State::DecisionOf(const api::Pod& pod, const CycleOutcome& outcome) const {
  Decision decision;
  decision.key = {pod.metadata.namespace_, pod.metadata.name};
  if (outcome.kind == CycleOutcome::Kind::kNode) {
    decision.node = cluster_.nodes().name(outcome.node);
    return decision;
  }
  decision.kind = outcome.kind == CycleOutcome::Kind::kError ? Decision::Kind::kFailed
                                                             : Decision::Kind::kUnschedulable;
  decision.message = outcome.Message();
  for (model::PodId victim : outcome.post_filter.victims) {
    decision.nominated_node = cluster_.symbols().Text(outcome.post_filter.nomination.node);
    decision.victims.push_back(cluster_.pod(victim).key());
  }
  return decision;
}

Result<PodFit> Engine::State::Evaluate(std::shared_ptr<const api::Pod> pod,
                                       std::span<const std::string> nodes, Instant at) {
  return Ask<PodFit>(std::move(pod), [&](framework::Attempt& attempt) {
    return EvaluateNodes(attempt, nodes, at);
  });
}

}  // namespace berth::scheduler::engine
