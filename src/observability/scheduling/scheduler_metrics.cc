#include "observability/scheduling/scheduler_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "scheduler/framework/profile.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::observability::scheduling {
namespace {

using enum Stability;

MetricSpec Spec(std::string name, Stability stability, std::vector<std::string> labels,
                std::string help, std::vector<double> buckets = {}) {
  return {.name = "scheduler_" + std::move(name),
          .help = std::move(help),
          .stability = stability,
          .labels = std::move(labels),
          .buckets = std::move(buckets)};
}

// Registers metrics of kube-scheduler that stay zero in Berth, so that queries find them.
void RegisterUnused(MetricRegistry& registry) {
  registry.AddCounter(
      Spec("batch_attempts_total", kAlpha, {"profile", "result"},
           "Number of attempts to use a node hint of a pod with the same signature."));
  registry.AddCounter(Spec("batch_cache_flushed_total", kAlpha, {"profile", "reason"},
                           "Number of cache flushes of node hints, by reason."));
  registry.AddHistogram(Spec("get_node_hint_duration_seconds", kAlpha, {"hinted", "profile"},
                             "Latency of getting a node hint.",
                             ExponentialBuckets(0.00001, 2, 12)));
  registry.AddHistogram(Spec("store_schedule_results_duration_seconds", kAlpha, {"profile"},
                             "Latency of storing scheduling results for node hints.",
                             ExponentialBuckets(0.00001, 2, 12)));
  registry.AddCounter(Spec("volume_binder_cache_requests_total", kAlpha, {"operation"},
                           "Number of requests to the volume binding cache; always zero."));
  registry.AddCounter(Spec("async_api_call_execution_total", kAlpha, {"call_type", "result"},
                           "Number of API calls executed by the asynchronous dispatcher."));
  registry.AddHistogram(Spec("async_api_call_execution_duration_seconds", kAlpha,
                             {"call_type", "result"},
                             "Latency of API calls executed by the asynchronous dispatcher.",
                             ExponentialBuckets(0.001, 2, 15)));
  registry.AddGauge(Spec("pending_async_api_calls", kAlpha, {"call_type"},
                         "Number of pending API calls in the asynchronous dispatcher."));
}

}  // namespace

SchedulerMetrics::SchedulerMetrics(MetricRegistry& registry)
    : schedule_attempts(registry.AddCounter(
          Spec("schedule_attempts_total", kStable, {"result", "profile"},
               "Number of attempts to schedule pods, by result. 'unschedulable' means that no node "
               "fits the pod, 'error' means an internal scheduler problem."))),
      attempt_duration(registry.AddHistogram(
          Spec("scheduling_attempt_duration_seconds", kStable, {"result", "profile"},
               "Latency of scheduling attempts (scheduling algorithm and binding).",
               ExponentialBuckets(0.001, 2, 15)))),
      algorithm_duration(registry
                             .AddHistogram(Spec("scheduling_algorithm_duration_seconds", kAlpha, {},
                                                "Latency of the scheduling algorithm.",
                                                ExponentialBuckets(0.001, 2, 15)))
                             .With({})),
      group_attempts(registry.AddCounter(
          Spec("podgroup_schedule_attempts_total", kAlpha, {"result", "profile"},
               "Number of attempts to schedule pod groups, by result."))),
      group_attempt_duration(registry.AddHistogram(
          Spec("podgroup_scheduling_attempt_duration_seconds", kAlpha, {"result", "profile"},
               "Latency of attempts to schedule pod groups.", ExponentialBuckets(0.001, 2, 15)))),
      group_algorithm_duration(
          registry.AddHistogram(Spec("podgroup_scheduling_algorithm_duration_seconds", kAlpha, {},
                                     "Latency of the scheduling algorithm for pod groups.",
                                     ExponentialBuckets(0.001, 2, 15)))),
      pod_attempts(registry
                       .AddHistogram(Spec("pod_scheduling_attempts", kStable, {},
                                          "Number of attempts to successfully schedule a pod.",
                                          ExponentialBuckets(1, 2, 5)))
                       .With({})),
      sli_duration(registry.AddHistogram(
          Spec("pod_scheduling_sli_duration_seconds", kBeta, {"attempts"},
               "End-to-end latency of a pod, from its first time in the active queue until it was "
               "bound, over all attempts.",
               ExponentialBuckets(0.01, 2, 20)))),
      point_duration(
          registry.AddHistogram(Spec("framework_extension_point_duration_seconds", kStable,
                                     {"extension_point", "status", "profile"},
                                     "Latency of running all plugins of an extension point.",
                                     ExponentialBuckets(0.0001, 2, 12)))),
      plugin_duration(registry.AddHistogram(
          Spec("plugin_execution_duration_seconds", kAlpha, {"plugin", "extension_point", "status"},
               "Latency of running a plugin at an extension point, sampled in one of ten attempts.",
               ExponentialBuckets(0.00001, 1.5, 20)))),
      plugin_evaluations(registry.AddCounter(Spec(
          "plugin_evaluation_total", kBeta, {"plugin", "extension_point", "profile"},
          "Number of attempts in which a plugin was evaluated at PreFilter, Filter, PreScore or "
          "Score."))),
      permit_wait(registry.AddHistogram(Spec("permit_wait_duration_seconds", kBeta, {"result"},
                                             "Time that pods waited at Permit.",
                                             ExponentialBuckets(0.001, 2, 15)))),
      scheduled_after_flush(
          registry
              .AddCounter(Spec("pod_scheduled_after_flush_total", kAlpha, {},
                               "Number of pods scheduled after the periodic flush of unschedulable "
                               "pods: a queueing hint may have missed an event."))
              .With({})),
      pending_pods(registry.AddGauge(
          Spec("pending_pods", kStable, {"queue"},
               "Number of pending pods, by queue: 'active', 'backoff', 'unschedulable' (attempted, "
               "no node fits) and 'gated' (rejected by PreEnqueue)."))),
      queue_incoming(registry.AddCounter(
          Spec("queue_incoming_pods_total", kStable, {"queue", "event"},
               "Number of pods added to scheduling queues, by event and queue."))),
      unschedulable_pods(registry.AddGauge(Spec("unschedulable_pods", kBeta, {"plugin", "profile"},
                                                "Number of unschedulable pods, by plugin. A pod "
                                                "counts for each plugin that rejected it."))),
      event_handling(registry.AddHistogram(Spec("event_handling_duration_seconds", kAlpha,
                                                {"event"}, "Latency of event handling.",
                                                ExponentialBuckets(0.0001, 2, 12)))),
      hint_duration(registry.AddHistogram(
          Spec("queueing_hint_execution_duration_seconds", kAlpha, {"plugin", "event", "hint"},
               "Latency of a plugin's queueing hint.", ExponentialBuckets(0.00001, 1.5, 20)))),
      inflight_events(registry.AddGauge(Spec(
          "inflight_events", kAlpha, {"event"},
          "Number of events recorded for in-flight pods, and, as PodPopped, in-flight pods."))),
      preemption_attempts(registry
                              .AddCounter(Spec("preemption_attempts_total", kStable, {},
                                               "Number of preemption attempts."))
                              .With({})),
      preemption_victims(registry
                             .AddHistogram(Spec("preemption_victims", kStable, {},
                                                "Number of selected preemption victims.",
                                                ExponentialBuckets(1, 2, 7)))
                             .With({})),
      eviction_duration(registry.AddHistogram(Spec(
          "preemption_goroutines_duration_seconds", kAlpha, {"result"},
          "Latency of evicting the victims of a preemption.", ExponentialBuckets(0.01, 2, 20)))),
      evictions(registry.AddCounter(
          Spec("preemption_goroutines_execution_total", kAlpha, {"result"},
               "Number of executed preemptions, by whether all victims could be evicted."))),
      goroutines(registry.AddGauge(Spec("goroutines", kBeta, {"operation"},
                                        "Number of concurrent operations, by operation."))),
      cache_size(registry.AddGauge(
          Spec("cache_size", kAlpha, {"type"},
               "Number of nodes, pods and assumed pods in the scheduler cache."))),
      volume_stage_errors(
          registry.AddCounter(Spec("volume_scheduling_stage_error_total", kAlpha, {"operation"},
                                   "Volume scheduling stage error count"))),
      resource_claim_creates(
          registry.AddCounter(Spec("resourceclaim_creates_total", kAlpha, {"status"},
                                   "Number of ResourceClaim creations for extended resources."))),
      device_binding_allocations(registry.AddCounter(
          Spec("dra_bindingconditions_allocations_total", kAlpha, {"profile", "driver", "status"},
               "Number of allocations of devices with binding conditions."))),
      device_binding_wait(registry.AddHistogram(Spec(
          "dra_bindingconditions_wait_duration_seconds", kAlpha, {"profile", "driver", "status"},
          "Time that pods waited for the binding conditions of their devices.",
          ExponentialBuckets(0.1, 2, 14)))) {
  RegisterUnused(registry);
}

namespace {

constexpr std::string_view kResultNames[] = {"scheduled", "unschedulable", "error"};
constexpr std::string_view kQueueNames[] = {"active", "backoff", "unschedulable"};
constexpr std::string_view kHintNames[] = {"Queue", "QueueSkip", "Error"};

size_t IndexOf(auto value) { return static_cast<size_t>(value); }

// Returns the series at `cached`, which is looked up the first time. Labels are built only then.
template <typename Series, typename MakeLabels>
Series& CachedSeries(Series*& cached, MetricFamily<Series>& family, MakeLabels&& labels) {
  if (cached == nullptr) {
    const auto values = labels();
    const std::vector<std::string_view> views(values.begin(), values.end());
    cached = &family.With(views);
  }
  return *cached;
}

using Labels = std::vector<std::string>;
std::string Text(auto name) { return std::string(scheduler::framework::ToString(name)); }

void ForEachSlot(scheduler::framework::PluginMask plugins, auto&& visit) {
  for (; plugins != 0; plugins &= plugins - 1)
    visit(static_cast<size_t>(std::countr_zero(plugins)));
}

}  // namespace

EngineMeasurements::EngineMeasurements(SchedulerMetrics& metrics, Stopwatch stopwatch)
    : scheduler::framework::Measurements(stopwatch),
      metrics_(metrics),
      active_(metrics.pending_pods.With({"active"})),
      backoff_(metrics.pending_pods.With({"backoff"})),
      unschedulable_(metrics.pending_pods.With({"unschedulable"})),
      gated_(metrics.pending_pods.With({"gated"})),
      bindings_(metrics.goroutines.With({"binding"})),
      evictions_(metrics.goroutines.With({"DefaultPreemption"})),
      nodes_(metrics.cache_size.With({"nodes"})),
      pods_(metrics.cache_size.With({"pods"})),
      assumed_pods_(metrics.cache_size.With({"assumed_pods"})) {}

EngineMeasurements::~EngineMeasurements() = default;

void EngineMeasurements::Serve(std::span<const scheduler::framework::Profile* const> profiles) {
  for (const scheduler::framework::Profile* profile : profiles) {
    auto known = std::make_unique<OfProfile>();
    known->name = profile->scheduler_name();
    known->extender.name = "Extender";
    for (const auto& plugin : profile->plugins()) {
      known->plugins.push_back(std::make_unique<OfPlugin>());
      known->plugins.back()->name = plugin->name();
    }
    profiles_.push_back(std::move(known));
  }
}

EngineMeasurements::OfPlugin* EngineMeasurements::PluginIn(OfProfile& profile, size_t slot) {
  if (slot < profile.plugins.size()) return profile.plugins[slot].get();
  return scheduler::framework::PluginMask{1} << slot == scheduler::queue::Rejectors::kExtender
             ? &profile.extender
             : nullptr;
}

// --- attempts ---

void EngineMeasurements::AttemptEnded(size_t profile, scheduler::framework::AttemptResult result,
                                      Duration took) {
  OfProfile& of = *profiles_[profile];
  const size_t i = IndexOf(result);
  auto labels = [&] { return Labels{std::string(kResultNames[i]), of.name}; };
  CachedSeries(of.attempts[i], metrics_.schedule_attempts, labels).IncrementAlone();
  CachedSeries(of.attempt_duration[i], metrics_.attempt_duration, labels)
      .ObserveAlone(took.seconds());
}

void EngineMeasurements::AlgorithmEnded(Duration took) {
  metrics_.algorithm_duration.ObserveAlone(took.seconds());
}

void EngineMeasurements::GroupAttemptEnded(size_t profile,
                                           scheduler::framework::GroupAttemptResult result,
                                           Duration took) {
  static constexpr std::string_view kNames[] = {"scheduled", "unschedulable",
                                                "waiting_on_preemption", "error"};
  const std::string_view label = kNames[IndexOf(result)];
  const std::string& name = profiles_[profile]->name;
  metrics_.group_attempts.With({label, name}).Increment();
  metrics_.group_attempt_duration.With({label, name}).Observe(took.seconds());
}

void EngineMeasurements::GroupAlgorithmEnded(Duration took) {
  metrics_.group_algorithm_duration.With({}).Observe(took.seconds());
}

void EngineMeasurements::PointEnded(size_t profile, scheduler::framework::MeasuredPoint point,
                                    scheduler::framework::Code code, Duration took) {
  OfProfile& of = *profiles_[profile];
  CachedSeries(of.points[IndexOf(point)][IndexOf(code)], metrics_.point_duration, [&] {
    return Labels{Text(point), Text(code), of.name};
  }).ObserveAlone(took.seconds());
}

void EngineMeasurements::PluginEnded(size_t profile, const scheduler::framework::Plugin& plugin,
                                     scheduler::framework::MeasuredPoint point,
                                     scheduler::framework::Code code, Duration took) {
  OfPlugin& of = *profiles_[profile]->plugins[plugin.slot()];
  CachedSeries(of.duration[IndexOf(point)][IndexOf(code)], metrics_.plugin_duration, [&] {
    return Labels{of.name, Text(point), Text(code)};
  }).ObserveAlone(took.seconds());
}

void EngineMeasurements::PluginsTookPart(size_t profile, scheduler::framework::MeasuredPoint point,
                                         scheduler::framework::PluginMask plugins) {
  OfProfile& of = *profiles_[profile];
  ForEachSlot(plugins, [&](size_t slot) {
    OfPlugin& plugin = *of.plugins[slot];
    CachedSeries(plugin.evaluations[IndexOf(point)], metrics_.plugin_evaluations, [&] {
      return Labels{plugin.name, Text(point), of.name};
    }).IncrementAlone();
  });
}

void EngineMeasurements::PermitWaited(scheduler::framework::Code code, Duration waited) {
  CachedSeries(permit_wait_[IndexOf(code)], metrics_.permit_wait, [&] {
    return Labels{Text(code)};
  }).ObserveAlone(waited.seconds());
}

void EngineMeasurements::PodBound(uint32_t attempts, Duration since_ready, bool after_flush) {
  metrics_.pod_attempts.ObserveAlone(attempts);
  const size_t label = std::clamp<size_t>(attempts, 1, kAttemptLabels);
  CachedSeries(sli_[label - 1], metrics_.sli_duration, [&] {
    return Labels{label == kAttemptLabels ? "15+" : fmt::format("{}", label)};
  }).ObserveAlone(since_ready.seconds());
  if (after_flush) metrics_.scheduled_after_flush.IncrementAlone();
}

// --- preemption ---

void EngineMeasurements::PreemptionTried() { metrics_.preemption_attempts.IncrementAlone(); }

void EngineMeasurements::VictimsChosen(size_t victims) {
  metrics_.preemption_victims.ObserveAlone(static_cast<double>(victims));
}

void EngineMeasurements::EvictionEnded(bool all_went, Duration took) {
  const std::string_view result = all_went ? "success" : "error";
  metrics_.evictions.With({result}).IncrementAlone();
  metrics_.eviction_duration.With({result}).ObserveAlone(took.seconds());
}

// --- the queue ---

void EngineMeasurements::PodsQueued(scheduler::framework::QueueName queue,
                                    scheduler::framework::EventLabel why, size_t count) {
  CachedSeries(incoming_[IndexOf(queue)][why.index()], metrics_.queue_incoming, [&] {
    return Labels{std::string(kQueueNames[IndexOf(queue)]), why.Text()};
  }).IncrementAlone(static_cast<double>(count));
}

void EngineMeasurements::RejectionsChanged(size_t profile, scheduler::framework::PluginMask plugins,
                                           int delta) {
  OfProfile& of = *profiles_[profile];
  ForEachSlot(plugins, [&](size_t slot) {
    OfPlugin* plugin = PluginIn(of, slot);
    if (plugin == nullptr) return;  // No plugin rejected it.
    CachedSeries(plugin->unschedulable, metrics_.unschedulable_pods, [&] {
      return Labels{plugin->name, of.name};
    }).AddAlone(delta);
  });
}

void EngineMeasurements::InFlightChanged(scheduler::framework::EventLabel label, int delta) {
  CachedSeries(in_flight_[label.index()], metrics_.inflight_events, [&] {
    return Labels{label.Text()};
  }).AddAlone(delta);
}

void EngineMeasurements::HintGiven(size_t profile, const scheduler::framework::Plugin& plugin,
                                   scheduler::framework::EventLabel event,
                                   scheduler::framework::HintOutcome outcome, Duration took) {
  OfPlugin& of = *profiles_[profile]->plugins[plugin.slot()];
  CachedSeries(of.hints[event.index()][IndexOf(outcome)], metrics_.hint_duration, [&] {
    return Labels{of.name, event.Text(), std::string(kHintNames[IndexOf(outcome)])};
  }).ObserveAlone(took.seconds());
}

// --- the rest ---

void EngineMeasurements::EventHandled(scheduler::framework::EventLabel event, Duration took) {
  CachedSeries(handling_[event.index()], metrics_.event_handling, [&] {
    return Labels{event.Text()};
  }).ObserveAlone(took.seconds());
}

void EngineMeasurements::VolumeStageFailed(scheduler::framework::VolumeStage stage) {
  constexpr const char* kOperations[] = {"predicate", "assume", "bind"};
  metrics_.volume_stage_errors.With({kOperations[static_cast<size_t>(stage)]}).Increment();
}

void EngineMeasurements::ResourceClaimCreated(bool ok) {
  metrics_.resource_claim_creates.With({ok ? "success" : "failure"}).Increment();
}

namespace {

constexpr std::string_view kDeviceBindingResults[] = {"success", "failure", "timeout", "error"};

}  // namespace

void EngineMeasurements::DeviceBindingWaited(std::string_view scheduler_name,
                                             std::string_view driver,
                                             scheduler::framework::DeviceBindingResult result,
                                             Duration waited) {
  metrics_.device_binding_wait
      .With({scheduler_name, driver, kDeviceBindingResults[IndexOf(result)]})
      .Observe(waited.seconds());
}

void EngineMeasurements::DeviceBindingEnded(std::string_view scheduler_name,
                                            std::string_view driver,
                                            scheduler::framework::DeviceBindingResult result) {
  metrics_.device_binding_allocations
      .With({scheduler_name, driver, kDeviceBindingResults[IndexOf(result)]})
      .Increment();
}

void EngineMeasurements::SizesAre(const scheduler::framework::EngineSizes& sizes) {
  auto set = [](Gauge& gauge, size_t size) { gauge.Set(static_cast<double>(size)); };
  set(active_, sizes.active);
  set(backoff_, sizes.backoff);
  set(unschedulable_, sizes.unschedulable);
  set(gated_, sizes.gated);
  set(bindings_, sizes.bindings);
  set(evictions_, sizes.evictions);
  set(nodes_, sizes.nodes);
  set(pods_, sizes.pods);
  set(assumed_pods_, sizes.assumed_pods);
}

}  // namespace berth::observability::scheduling
