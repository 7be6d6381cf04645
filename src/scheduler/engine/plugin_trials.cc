#include "scheduler/engine/plugin_trials.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "scheduler/engine/explain.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::engine {

PluginTrials::PluginTrials(const EngineOptions& options, const Services& services)
    : explain_(options.explain),
      paranoid_(options.paranoid),
      equals_take_turns_(options.equals_take_turns),
      services_(services),
      cycle_writes_(services.outbox),
      checks_(services.profiles.size()),
      turns_{.random = Random(options.seed)} {
  for (size_t i = 0; i < checks_.size(); ++i) {
    // The reference implementation neither calls extenders nor samples nodes.
    const bool samples = services.profiles[i].percentage_of_nodes_to_score.has_value();
    if (!paranoid_ || samples || !services.extenders.empty()) continue;
    checks_[i] = std::make_unique<ParanoidCheck>(options.profiles[i], options.features);
  }
}

// --- one trial ---

// Pods of the same signature fail as well, while nothing changes; but extenders may decide
// otherwise.
const queue::Failure* PluginTrials::FindKnown(const groups::TrialRequest& request,
                                              queue::FailureCache& failures) const {
  if (paranoid_ || explain_ || !services_.extenders.empty()) return nullptr;
  return failures.Find(request.pod, request.profile);
}

framework::AttemptMeter PluginTrials::MeterOfKnown(const groups::TrialRequest& request,
                                                   const queue::Failure& known) {
  framework::AttemptMeter meter = MakeMeter(request);
  if (known.preemption_tried && meter.to() != nullptr) meter.to()->PreemptionTried();
  return meter;
}

void PluginTrials::Begin(const groups::TrialRequest& request, groups::PodTrial& trial) {
  const ServedProfile& served = services_.profiles[request.profile];
  const framework::AttemptMeter meter = MakeMeter(request);
  trial.results = served.results->For(request.pod);
  if (explain_ && request.explains) {
    framework::Attempt explained(services_.cluster, *served.profile, *trial.results, request.pod);
    if (request.placement != nullptr) explained.ConfineTo(&request.placement->nodes);
    trial.explanation = ExplainAttempt(explained, date(), turns_.random, ExplainDepth::kDetails);
  }
  MakeAttempt(request, meter, trial);
  if (!request.in_group) services_.reporter.LimitRanking(*trial.attempt);
  if (request.placement != nullptr) trial.attempt->ConfineTo(&request.placement->nodes);
}

void PluginTrials::MakeAttempt(const groups::TrialRequest& request,
                               const framework::AttemptMeter& meter, groups::PodTrial& trial) {
  trial.attempt = std::make_unique<framework::Attempt>(
      services_.cluster, *services_.profiles[request.profile].profile, *trial.results, request.pod);
  trial.attempt->Measure(meter);
  trial.attempt->cycle().set_background(&services_.background);
}

Task<CycleOutcome> PluginTrials::Search(const groups::TrialRequest& request,
                                        groups::PodTrial& trial) {
  if (!equals_take_turns_) turns_.next_start = 0;
  const bool calls_extenders = !services_.extenders.empty() && !request.is_preview;
  return FindNode(*trial.attempt,
                  {.now = date(),
                   .random = turns_.random,
                   .extenders = calls_extenders ? &services_.extenders : nullptr,
                   .writes = &cycle_writes_,
                   .percentage_of_nodes_to_score =
                       services_.profiles[request.profile].percentage_of_nodes_to_score,
                   .next_start = turns_.next_start,
                   .post_filters = request.post_filters,
                   .log = request.is_preview ? framework::Log() : services_.log});
}

void PluginTrials::End(const groups::TrialRequest& request, const CycleOutcome& outcome,
                       queue::FailureCache& failures, groups::PodTrial& trial) {
  if (paranoid_) Check(request, outcome, failures, *trial.attempt);
  if (request.placement != nullptr) trial.attempt->ConfineTo(nullptr);
  const framework::AttemptMeter& meter = trial.attempt->meter();
  if (meter.to() != nullptr) meter.to()->AlgorithmEnded(meter.so_far());
  trial.node = outcome.node;
  trial.evaluated = outcome.evaluated;
  trial.feasible = outcome.feasible;
  if (outcome.kind == CycleOutcome::Kind::kNode) return;
  trial.failure = FailureOf(outcome, services_.profiles[request.profile]);
  for (model::PodId victim : outcome.post_filter.victims)
    trial.victims.push_back(services_.cluster.pod(victim).key());
  failures.Add(request.pod, request.profile, *trial.failure);
}

void PluginTrials::Check(const groups::TrialRequest& request, const CycleOutcome& outcome,
                         queue::FailureCache& failures, framework::Attempt& attempt) const {
  if (const ParanoidCheck* check = checks_[request.profile].get()) {
    if (request.in_group) {
      check->CheckMember(attempt, outcome, date(), request.post_filters);
    } else {
      check->Check(attempt, outcome, date());
    }
  }
  const queue::Failure* known = failures.Find(request.pod, request.profile);
  if (known == nullptr || !services_.extenders.empty()) return;
  CHECK(outcome.kind != CycleOutcome::Kind::kNode && outcome.Message() == known->message);
}

void PluginTrials::Assume(const groups::TrialRequest& request, groups::PodTrial& trial) {
  const Symbol nominated = services_.cluster.nominations().NodeOf(request.pod.id);
  if (nominated.valid()) trial.nominated_before = services_.cluster.symbols().Text(nominated);
  services_.cluster.Assume(request.pod.id, trial.node);
  std::optional<queue::Failure> failure =
      RunReservePlugins(request.profile, *trial.attempt, trial.node);
  if (!failure) {
    trial.permit = RunPermitPlugins(request.profile, *trial.attempt, trial.node);
    failure = std::exchange(trial.permit.failure, std::nullopt);
    trial.permitted = trial.permit.timeouts.empty();
  }
  if (!failure) return;
  TakeBack(request.pod, trial);
  trial.node = {};
  trial.needs_preemption = false;
  trial.failure = std::move(failure);
}

// --- for groups ---

Task<groups::PodTrial> PluginTrials::Try(groups::TrialRequest request,
                                         queue::FailureCache& failures) {
  groups::PodTrial trial;
  if (const queue::Failure* known = FindKnown(request, failures)) {
    trial.failure = *known;
    trial.meter = MeterOfKnown(request, *known);
    co_return trial;
  }
  Begin(request, trial);
  Task<CycleOutcome> search = Search(request, trial);
  const CycleOutcome outcome = co_await search;
  End(request, outcome, failures, trial);
  if (trial.failure) {
    const Symbol nominated = outcome.post_filter.nomination.node;
    if (!trial.victims.empty())
      services_.evictions.Start(request.pod, nominated, outcome.post_filter.victims);
    if (!nominated.valid()) {
      trial.meter = trial.attempt->meter();
      trial.DropAttempt();  // A group may have many members that fit nowhere.
      co_return trial;
    }
    // The others see it where it will be, together with its victims.
    trial.node = services_.cluster.nodes().Find(nominated);
    trial.needs_preemption = true;
  }
  Assume(request, trial);
  trial.meter = trial.attempt->meter();
  if (!trial.node.valid()) trial.DropAttempt();
  co_return trial;
}

groups::PodTrial PluginTrials::TryOn(const groups::TrialRequest& request, model::NodeRow node) {
  groups::PodTrial trial;
  trial.results = services_.profiles[request.profile].results->For(request.pod);
  MakeAttempt(request, MakeMeter(request), trial);
  framework::Attempt& attempt = *trial.attempt;
  attempt.cycle().set_date(date());
  if (!attempt.PreFilter().ok() || !attempt.FilterNode(node).ok()) return trial;
  trial.node = node;
  Assume(request, trial);
  trial.meter = attempt.meter();
  return trial;
}

void PluginTrials::TakeBack(const model::PodRecord& pod, groups::PodTrial& trial) {
  Unreserve(*trial.attempt, trial.node);
  services_.cluster.Forget(pod.id);
  if (!trial.nominated_before.empty())
    services_.cluster.NominateByName(pod.id, trial.nominated_before);
}

// --- plugins ---

std::optional<queue::Failure> PluginTrials::RunReservePlugins(size_t profile,
                                                              framework::Attempt& attempt,
                                                              model::NodeRow node) {
  const ServedProfile& served = services_.profiles[profile];
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

groups::PermitOutcome PluginTrials::RunPermitPlugins(size_t profile, framework::Attempt& attempt,
                                                     model::NodeRow node) {
  const ServedProfile& served = services_.profiles[profile];
  framework::AttemptMeter& meter = attempt.meter();
  groups::PermitOutcome outcome;
  framework::PluginTimer timer(meter);
  for (const framework::PermitPlugin* plugin : served.profile->permit()) {
    framework::PermitResult result = plugin->Permit(attempt.cycle(), node, services_.waiting);
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

queue::Failure PluginTrials::FailureOf(const CycleOutcome& outcome, const ServedProfile& served) {
  queue::Failure failure;
  failure.rejected = outcome.kind != CycleOutcome::Kind::kError;
  failure.message = outcome.Message();
  if (outcome.kind != CycleOutcome::Kind::kFitError) return failure;
  failure.why = served.RejectorsIn(outcome.diagnosis);
  failure.account = services_.reporter.Account(outcome.diagnosis);
  failure.preemption_tried = outcome.preemption_tried;
  if (!served.profile->post_filter().empty()) failure.nomination = outcome.post_filter.nomination;
  return failure;
}

queue::Failure PluginTrials::FailureAt(model::NodeRow node, framework::Verdict verdict,
                                       const ServedProfile& served) {
  queue::Failure failure;
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
  failure.account = services_.reporter.Account(diagnosis);
  return failure;
}

void PluginTrials::Unreserve(framework::Attempt& attempt, model::NodeRow node) {
  const auto plugins = attempt.profile().reserve();
  attempt.meter().Begin();
  framework::PluginTimer timer(attempt.meter());
  for (size_t i = plugins.size(); i-- > 0;) {
    plugins[i]->Unreserve(attempt.cycle(), node);
    timer.End(*plugins[i], framework::MeasuredPoint::kUnreserve, framework::Code::kSuccess);
  }
  attempt.meter().End(framework::MeasuredPoint::kUnreserve, framework::Code::kSuccess);
}

void PluginTrials::LogRejection(const model::PodRecord& pod, const framework::Plugin& plugin,
                                const framework::Verdict& verdict) const {
  const std::string key = pod.key().ToString();
  if (verdict.rejected()) {
    ENGINE_LOG(services_.log, 4, "Pod rejected by plugin",
               {{"pod", key}, {"plugin", plugin.name()}, {"status", verdict.Message()}});
  } else {
    ENGINE_LOG_ERROR(services_.log, verdict.Message(), "Plugin failed",
                     {{"plugin", plugin.name()}, {"pod", key}});
  }
}

}  // namespace berth::scheduler::engine
