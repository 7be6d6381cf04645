#include "scheduler/engine/binding_cycle.h"

#include <fmt/format.h>

#include <tuple>

#include "scheduler/framework/status_retries.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {
namespace {

framework::Verdict AsFailure(framework::Verdict verdict, std::string_view step,
                             const framework::Plugin& plugin) {
  if (verdict.rejected()) return std::move(verdict).By(plugin.name());
  return framework::Verdict::Error(
      fmt::format("running {} plugin \"{}\": {}", step, plugin.name(), verdict.Message()));
}

// --- what is logged, if its level is on ---

void LogBind(const framework::Log& log, const BindingCycle::Placement& placement,
             const std::string& node, const framework::BindPlugin& plugin) {
  const std::string logger = std::string("Bind.").append(plugin.name());
  ENGINE_LOG(log.Named(logger), 3, "Attempting to bind pod to node",
             {{"pod", placement.pod->key().ToString()}, {"node", node}});
}

void LogSuccess(const framework::Log& log, const BindingCycle::Placement& placement,
                const std::string& node) {
  const std::string key = placement.pod->key().ToString();
  ENGINE_LOG(log, 2, "Successfully bound pod to node",
             {{"pod", key},
              {"node", node},
              {"evaluatedNodes", placement.evaluated},
              {"feasibleNodes", placement.feasible}});
  if (placement.entry.flushed == Instant{}) return;
  const queue::Rejectors& rejectors = placement.entry.rejectors;
  const framework::Profile& profile = placement.attempt->profile();
  ENGINE_LOG(
      log, 4, "Pod scheduled after flush from unschedulablePods",
      {{"pod", key},
       {"unschedulablePlugins", LogJson{queue::NamesAsSet(profile, rejectors.unschedulable)}},
       {"pendingPlugins", LogJson{queue::NamesAsSet(profile, rejectors.pending)}}});
}

void LogFailure(const framework::Log& log, const BindingCycle::Placement& placement,
                const std::string& node, std::string_view step, const framework::Plugin& plugin,
                const framework::Verdict& verdict) {
  const std::string key = placement.pod->key().ToString();
  if (!verdict.rejected()) {
    ENGINE_LOG_ERROR(log, verdict.Message(), step == "Bind" ? "Plugin Failed" : "Plugin failed",
                     {{"plugin", plugin.name()}, {"pod", key}, {"node", node}});
    return;
  }
  ENGINE_LOG(
      log, 4, step == "Bind" ? "Pod rejected by Bind plugin" : "Pod rejected by PreBind plugin",
      {{"pod", key}, {"node", node}, {"plugin", plugin.name()}, {"status", verdict.Message()}});
}

// --- reports about a pod that is bound ---

void CountSuccess(const BindingCycle::Placement& placement, Instant now) {
  const framework::AttemptMeter& meter = placement.attempt->meter();
  framework::Measurements* to = meter.to();
  if (to == nullptr) return;
  const queue::QueueEntry& tried = placement.entry;
  to->AttemptEnded(meter.profile(), framework::AttemptResult::kScheduled, meter.so_far());
  to->PodBound(tried.attempts, now - tried.first_ready.value_or(now), tried.flushed != Instant{});
}

framework::RecordEvent SuccessEvent(const model::PodRecord& pod, const std::string& node) {
  api::ObjectKey key = pod.key();
  // Put together by hand: it is written for every pod, and fmt takes five times as long.
  std::string note;
  note.reserve(64 + key.namespace_.size() + key.name.size() + node.size());
  note.append("Successfully assigned ").append(key.namespace_).append("/").append(key.name);
  note.append(" to ").append(node);
  return {.pod = std::move(key),
          .uid = pod.uid(),
          .type = "Normal",
          .reason = "Scheduled",
          .action = "Binding",
          .note = std::move(note),
          .scheduler_name = pod.object->spec.scheduler_name,
          .resource_version = pod.object->metadata.resource_version};
}

}  // namespace

BindingCycle::BindingCycle(Placement placement, const Services& services)
    : placement_(std::move(placement)),
      services_(services),
      node_name_(placement_.attempt->cluster().nodes().name(placement_.node)),
      task_(Run()) {}

void BindingCycle::Permit(framework::Verdict verdict) {
  permitted_ = std::move(verdict);
  if (permit_waiter_) std::exchange(permit_waiter_, {}).resume();
}

bool BindingCycle::Cancel(std::string_view reason) {
  if (!pre_binding_) return false;
  if (!cancel_reason_.empty()) return true;
  cancel_reason_ = reason;
  EndSleep();
  return true;
}

void BindingCycle::Wake(Duration length, std::coroutine_handle<> waiter) {
  std::erase_if(sleepers_, [&](const Outbox::Sleeper& sleeper) { return sleeper.first <= now(); });
  sleepers_.push_back(services_.outbox.WakeAfter(length, waiter));
}

void BindingCycle::EndSleep() {
  for (const Outbox::Sleeper& sleeper : std::exchange(sleepers_, {}))
    services_.outbox.Interrupt(sleeper);
}

Task<framework::Verdict> BindingCycle::Run() {
  framework::Verdict verdict = co_await Steps();
  services_.finished.push_back(this);
  co_return verdict;
}

Task<framework::Verdict> BindingCycle::Steps() {
  framework::Verdict verdict;
  if (placement_.attempt->cluster().features().nominated_node_name_for_expectation) {
    verdict = PreFlight();
    meter().End(framework::MeasuredPoint::kPreBindPreFlight,
                verdict.ok() && work_.empty() ? framework::Code::kSkip : verdict.code(),
                !profile().pre_bind().empty());
    if (!verdict.ok()) co_return verdict;
    if (!work_.empty() || placement_.waits) std::ignore = co_await AnnounceNode();
  } else {
    // Nothing is announced, so PreBindPreFlight is not called: all run, one after the other.
    for (const framework::PreBindPlugin* plugin : profile().pre_bind())
      work_.push_back({plugin, /*may_run_in_parallel=*/false});
  }
  if (placement_.waits) {
    verdict = co_await WaitForPermit();
    if (!verdict.ok()) co_return verdict;
  }
  // From here on events do not matter: later failures are not rejections by a plugin.
  services_.queue.Done(pod().uid());
  if (!work_.empty()) {
    pre_binding_ = true;
    meter().Begin();
    verdict = co_await PreBind();
    pre_binding_ = false;
    meter().End(framework::MeasuredPoint::kPreBind, verdict.code());
    if (!verdict.ok()) co_return verdict;
    // The plugins did not notice.
    if (!cancel_reason_.empty()) co_return framework::Verdict::Error(cancel_reason_);
  } else {
    meter().End(framework::MeasuredPoint::kPreBind, framework::Code::kSuccess, /*took_time=*/false);
  }
  co_await services_.status.Settle(pod().uid());
  verdict = co_await Bind();
  meter().End(framework::MeasuredPoint::kBind, verdict.code());
  if (!verdict.ok()) {
    ENGINE_LOG(services_.log, 1, "Failed to bind pod", {{"pod", pod().key().ToString()}});
    co_return verdict;
  }
  if (services_.log.IsOn(2)) [[unlikely]]
    LogSuccess(services_.log, placement_, node_name_);
  services_.outbox.Post(SuccessEvent(pod(), node_name_));
  CountSuccess(placement_, now());
  framework::PluginTimer timer(meter());
  for (const framework::PostBindPlugin* plugin : profile().post_bind()) {
    plugin->PostBind(*this);
    timer.End(*plugin, framework::MeasuredPoint::kPostBind, framework::Code::kSuccess);
  }
  meter().End(framework::MeasuredPoint::kPostBind, framework::Code::kSuccess,
              !profile().post_bind().empty());
  co_return verdict;
}

framework::Verdict BindingCycle::PreFlight() {
  framework::PluginTimer timer(meter());
  for (const framework::PreBindPlugin* plugin : profile().pre_bind()) {
    const framework::PreBindPlan plan = plugin->PreBindPreFlight(cycle(), node());
    timer.End(*plugin, framework::MeasuredPoint::kPreBindPreFlight, plan.verdict.code());
    if (plan.verdict.skipped()) continue;
    if (!plan.verdict.ok()) {
      LogFailure(services_.log, placement_, node_name_, "PreBindPreFlight", *plugin, plan.verdict);
      return framework::Verdict::Error(fmt::format("running PreBindPreFlight \"{}\": {}",
                                                   plugin->name(), plan.verdict.Message()));
    }
    work_.push_back({plugin, plan.may_run_in_parallel});
  }
  return {};
}

// Writes the nominated node of a pod whose binding takes a while. If that fails, the binding
// continues.
Task<framework::Verdict> BindingCycle::AnnounceNode() {
  if (pod().object->status.nominated_node_name == node_name_) co_return framework::Verdict();
  co_await services_.status.Settle(pod().uid());
  const framework::PatchPodStatus patch{pod().key(), pod().uid(), std::nullopt, node_name_};
  announced_ = node_name_;
  ENGINE_LOG(
      services_.log, 3, "Updating pod condition and nominated node name",
      {{"pod", pod().key().ToString()}, {"nominatedNodeName", node_name_}, {"nominatingMode", 1}});
  co_await framework::WriteStatus(*this, patch);
  co_return framework::Verdict();
}

Task<framework::Verdict> BindingCycle::WaitForPermit() {
  ENGINE_LOG(services_.log, 4, "Pod waiting on permit", {{"pod", pod().key().ToString()}});
  meter().Begin();
  framework::Verdict verdict = co_await PermitWait{*this};
  meter().EndPermitWait(verdict.code());
  if (verdict.ok()) co_return verdict;
  if (!verdict.rejected()) {
    ENGINE_LOG_ERROR(services_.log, verdict.Message(), "Failed waiting on permit for pod",
                     {{"pod", pod().key().ToString()}});
    co_return framework::Verdict::Error(
        fmt::format("waiting on permit for pod: {}", verdict.Message()));
  }
  ENGINE_LOG(services_.log, 4, "Pod rejected while waiting on permit",
             {{"pod", pod().key().ToString()}, {"status", verdict.Message()}});
  rejected_by_permit_ = true;
  const std::string plugin = verdict.plugin();
  const framework::Code code = verdict.code();
  framework::Diagnosis diagnosis;
  diagnosis.all_nodes = 1;
  diagnosis.Add(node(), std::move(verdict));
  co_return framework::Verdict(code, diagnosis.Message()).By(plugin);
}

// Adjacent plugins that may run in parallel do so; the others run alone, in order.
Task<framework::Verdict> BindingCycle::PreBind() {
  for (size_t first = 0; first < work_.size();) {
    size_t end = first + 1;
    while (end < work_.size() && work_[first].may_run_in_parallel &&
           work_[end].may_run_in_parallel) {
      ++end;
    }
    std::vector<Task<framework::Verdict>> side_by_side;
    for (; first < end; ++first) {
      side_by_side.push_back(PreBindOne(*work_[first].plugin));
      side_by_side.back().Start();
    }
    for (Task<framework::Verdict>& task : side_by_side) std::ignore = co_await task.Join();
    if (!pre_bind_failure_.ok()) break;
  }
  co_return pre_bind_failure_;
}

Task<framework::Verdict> BindingCycle::PreBindOne(const framework::PreBindPlugin& plugin) {
  framework::PluginTimer timer(meter());
  framework::Verdict verdict = co_await plugin.PreBind(*this);
  timer.End(plugin, framework::MeasuredPoint::kPreBind, verdict.code());
  if (verdict.ok()) co_return verdict;
  // A plugin that gives up because the binding is cancelled fails with the reason of that.
  if (!verdict.rejected() && !cancel_reason_.empty())
    verdict = framework::Verdict::Error(cancel_reason_);
  LogFailure(services_.log, placement_, node_name_, "PreBind", plugin, verdict);
  verdict = AsFailure(std::move(verdict), "PreBind", plugin);
  if (pre_bind_failure_.ok()) {
    pre_bind_failure_ = verdict;
    EndSleep();
  }
  co_return verdict;
}

Task<framework::Verdict> BindingCycle::Bind() {
  if (!services_.extenders.empty()) {
    const framework::BindPod bind{pod().key(), pod().uid(), node_name_};
    framework::Verdict verdict = co_await services_.extenders.Bind(*pod().object, bind);
    if (!verdict.skipped()) co_return verdict;
  }
  framework::PluginTimer timer(meter());
  for (const framework::BindPlugin* plugin : profile().bind()) {
    if (services_.log.IsOn(3)) [[unlikely]]
      LogBind(services_.log, placement_, node_name_, *plugin);
    framework::Verdict verdict = co_await plugin->Bind(*this);
    timer.End(*plugin, framework::MeasuredPoint::kBind, verdict.code());
    if (verdict.skipped()) continue;
    if (verdict.ok()) co_return verdict;
    LogFailure(services_.log, placement_, node_name_, "Bind", *plugin, verdict);
    co_return AsFailure(std::move(verdict), "Bind", *plugin);
  }
  co_return framework::Verdict::Error("no Bind plugin wanted the pod");
}

}  // namespace berth::scheduler::engine
