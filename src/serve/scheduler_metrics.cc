#include "serve/scheduler_metrics.h"

namespace berth::serve {
namespace {

using net::ExponentialBuckets;
using net::Stability;
using enum net::Stability;

net::MetricSpec Spec(std::string name, Stability stability, std::vector<std::string> labels,
                     std::string help, std::vector<double> buckets = {}) {
  return {.name = "scheduler_" + std::move(name),
          .help = std::move(help),
          .stability = stability,
          .labels = std::move(labels),
          .buckets = std::move(buckets)};
}

// Metrics of what Berth has no use for, or has not got: kube-scheduler has them, and so a query
// that names them finds them.
void RegisterUnmoved(net::MetricRegistry& registry) {
  registry.AddCounter(Spec("batch_attempts_total", kAlpha, {"profile", "result"},
                           "Attempts that looked for a node kept from a pod of the same kind."));
  registry.AddCounter(Spec("batch_cache_flushed_total", kAlpha, {"profile", "reason"},
                           "How often nodes kept for pods of the same kind were dropped."));
  registry.AddHistogram(Spec("get_node_hint_duration_seconds", kAlpha, {"hinted", "profile"},
                             "How long it took to look for a kept node.",
                             ExponentialBuckets(0.00001, 2, 12)));
  registry.AddHistogram(Spec("store_schedule_results_duration_seconds", kAlpha, {"profile"},
                             "How long it took to keep nodes for the next pods.",
                             ExponentialBuckets(0.00001, 2, 12)));
  registry.AddCounter(Spec("resourceclaim_creates_total", kAlpha, {"status"},
                           "ResourceClaims written for extended resources."));
  registry.AddCounter(Spec("dra_bindingconditions_allocations_total", kAlpha,
                           {"profile", "driver", "status"},
                           "Allocations of devices that have binding conditions."));
  registry.AddHistogram(Spec("dra_bindingconditions_wait_duration_seconds", kAlpha,
                             {"profile", "driver", "status"},
                             "How long pods waited for binding conditions of their devices.",
                             ExponentialBuckets(0.1, 2, 14)));
  registry.AddCounter(Spec("volume_binder_cache_requests_total", kAlpha, {"operation"},
                           "Requests to a cache of the volume binder; always none."));
  registry.AddCounter(Spec("volume_scheduling_stage_error_total", kAlpha, {"operation"},
                           "Errors while volumes were looked for, assumed or bound."));
  registry.AddCounter(Spec("async_api_call_execution_total", kAlpha, {"call_type", "result"},
                           "API calls made by a dispatcher of its own."));
  registry.AddHistogram(Spec("async_api_call_execution_duration_seconds", kAlpha,
                             {"call_type", "result"},
                             "How long API calls took that a dispatcher of its own made.",
                             ExponentialBuckets(0.001, 2, 15)));
  registry.AddGauge(Spec("pending_async_api_calls", kAlpha, {"call_type"},
                         "API calls that wait in a dispatcher of their own."));
  registry.AddCounter(Spec("podgroup_schedule_attempts_total", kAlpha, {"result", "profile"},
                           "Attempts to schedule groups of pods, by how they ended."));
  registry.AddHistogram(
      Spec("podgroup_scheduling_attempt_duration_seconds", kAlpha, {"result", "profile"},
           "How long attempts to schedule groups of pods took.", ExponentialBuckets(0.001, 2, 15)));
  registry.AddHistogram(Spec("podgroup_scheduling_algorithm_duration_seconds", kAlpha, {},
                             "How long it took to find nodes for groups of pods.",
                             ExponentialBuckets(0.001, 2, 15)));
}

}  // namespace

SchedulerMetrics::SchedulerMetrics(net::MetricRegistry& registry)
    : schedule_attempts(registry.AddCounter(
          Spec("schedule_attempts_total", kStable, {"result", "profile"},
               "Attempts to schedule pods. 'unschedulable' means that no node could take the pod, "
               "'error' that something went wrong."))),
      attempt_duration(registry.AddHistogram(
          Spec("scheduling_attempt_duration_seconds", kStable, {"result", "profile"},
               "How long attempts took, from the choice of the pod until it was bound or failed.",
               ExponentialBuckets(0.001, 2, 15)))),
      algorithm_duration(registry
                             .AddHistogram(Spec("scheduling_algorithm_duration_seconds", kAlpha, {},
                                                "How long it took to find a node, or none.",
                                                ExponentialBuckets(0.001, 2, 15)))
                             .With({})),
      pod_attempts(registry
                       .AddHistogram(Spec("pod_scheduling_attempts", kStable, {},
                                          "How many attempts it took until a pod was bound.",
                                          ExponentialBuckets(1, 2, 5)))
                       .With({})),
      sli_duration(registry.AddHistogram(
          Spec("pod_scheduling_sli_duration_seconds", kBeta, {"attempts"},
               "How long it took from the first time that a pod could be tried until it was "
               "bound, over all attempts.",
               ExponentialBuckets(0.01, 2, 20)))),
      point_duration(
          registry.AddHistogram(Spec("framework_extension_point_duration_seconds", kStable,
                                     {"extension_point", "status", "profile"},
                                     "How long all plugins of an extension point took together.",
                                     ExponentialBuckets(0.0001, 2, 12)))),
      plugin_duration(registry.AddHistogram(
          Spec("plugin_execution_duration_seconds", kAlpha, {"plugin", "extension_point", "status"},
               "How long a plugin took at an extension point, of one attempt in ten.",
               ExponentialBuckets(0.00001, 1.5, 20)))),
      plugin_evaluations(registry.AddCounter(
          Spec("plugin_evaluation_total", kBeta, {"plugin", "extension_point", "profile"},
               "How often a plugin had a say in an attempt, at PreFilter, Filter, PreScore and "
               "Score."))),
      permit_wait(registry.AddHistogram(Spec("permit_wait_duration_seconds", kBeta, {"result"},
                                             "How long pods waited for Permit plugins.",
                                             ExponentialBuckets(0.001, 2, 15)))),
      scheduled_after_flush(
          registry
              .AddCounter(Spec("pod_scheduled_after_flush_total", kAlpha, {},
                               "Pods bound after they were tried again only because they had "
                               "waited for too long: events that should have woken them did not."))
              .With({})),
      pending_pods(registry.AddGauge(
          Spec("pending_pods", kStable, {"queue"},
               "Pods that wait: 'active' to be tried, 'backoff' until their backoff ends, "
               "'unschedulable' until something happens, 'gated' until they may be tried at "
               "all."))),
      queue_incoming(registry.AddCounter(
          Spec("queue_incoming_pods_total", kStable, {"queue", "event"},
               "Pods that came into a queue, by the event that brought them there."))),
      unschedulable_pods(registry.AddGauge(
          Spec("unschedulable_pods", kBeta, {"plugin", "profile"},
               "Waiting pods that a plugin rejected; a pod counts for each of its plugins."))),
      event_handling(registry.AddHistogram(
          Spec("event_handling_duration_seconds", kAlpha, {"event"},
               "How long it took to take note of an event.", ExponentialBuckets(0.0001, 2, 12)))),
      hint_duration(registry.AddHistogram(
          Spec("queueing_hint_execution_duration_seconds", kAlpha, {"plugin", "event", "hint"},
               "How long a plugin took to say whether an event may help a pod.",
               ExponentialBuckets(0.00001, 1.5, 20)))),
      inflight_events(registry.AddGauge(
          Spec("inflight_events", kAlpha, {"event"},
               "Events kept for pods that are being tried, and, as PodPopped, those pods."))),
      preemption_attempts(registry
                              .AddCounter(Spec("preemption_attempts_total", kStable, {},
                                               "How often preemption was tried."))
                              .With({})),
      preemption_victims(registry
                             .AddHistogram(Spec("preemption_victims", kStable, {},
                                                "How many pods a preemption evicted.",
                                                ExponentialBuckets(1, 2, 7)))
                             .With({})),
      eviction_duration(
          registry.AddHistogram(Spec("preemption_goroutines_duration_seconds", kAlpha, {"result"},
                                     "How long it took to evict the victims of a preemption.",
                                     ExponentialBuckets(0.01, 2, 20)))),
      evictions(registry.AddCounter(
          Spec("preemption_goroutines_execution_total", kAlpha, {"result"},
               "Preemptions carried out, by whether all victims could be evicted."))),
      goroutines(registry.AddGauge(Spec("goroutines", kBeta, {"operation"},
                                        "What is under way side by side, by what it does."))),
      cache_size(
          registry.AddGauge(Spec("cache_size", kAlpha, {"type"},
                                 "Nodes, placed pods and, of these, assumed pods in the model."))) {
  RegisterUnmoved(registry);
}

}  // namespace berth::serve
