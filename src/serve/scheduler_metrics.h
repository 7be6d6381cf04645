// SchedulerMetrics are kube-scheduler's own metrics: their names, labels and buckets are those that
// dashboards and alerts know.
//
// All are registered, also those that nothing in Berth ever moves: what has no name here is one of
// them.
#pragma once

#include "net/metric_registry.h"

namespace berth::serve {

struct SchedulerMetrics {
  // `registry` must outlive this.
  explicit SchedulerMetrics(net::MetricRegistry& registry);

  // --- attempts ---
  net::CounterFamily& schedule_attempts;   // result, profile
  net::HistogramFamily& attempt_duration;  // result, profile
  net::Histogram& algorithm_duration;
  net::Histogram& pod_attempts;
  net::HistogramFamily& sli_duration;      // attempts
  net::HistogramFamily& point_duration;    // extension_point, status, profile
  net::HistogramFamily& plugin_duration;   // plugin, extension_point, status
  net::CounterFamily& plugin_evaluations;  // plugin, extension_point, profile
  net::HistogramFamily& permit_wait;       // result
  net::Counter& scheduled_after_flush;

  // --- the queue ---
  net::GaugeFamily& pending_pods;        // queue
  net::CounterFamily& queue_incoming;    // queue, event
  net::GaugeFamily& unschedulable_pods;  // plugin, profile
  net::HistogramFamily& event_handling;  // event
  net::HistogramFamily& hint_duration;   // plugin, event, hint
  net::GaugeFamily& inflight_events;     // event

  // --- preemption ---
  net::Counter& preemption_attempts;
  net::Histogram& preemption_victims;
  net::HistogramFamily& eviction_duration;  // result
  net::CounterFamily& evictions;            // result

  // --- the rest ---
  net::GaugeFamily& goroutines;  // operation
  net::GaugeFamily& cache_size;  // type
};

}  // namespace berth::serve
