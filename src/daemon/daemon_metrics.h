// DaemonMetrics is the content of /metrics: the metrics of kube-scheduler, those of every
// Kubernetes component, and those of shadow mode.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "client/rest_client.h"
#include "daemon/delegated_access.h"
#include "daemon/duty_metrics.h"
#include "daemon/flags.h"
#include "features/feature_gates.h"
#include "observability/component_metrics.h"
#include "observability/metric_registry.h"
#include "observability/scheduling/scheduler_metrics.h"
#include "runtime/shadow_judgement.h"

namespace berth::daemon {

class DaemonMetrics final : private client::RestObserver, private AccessObserver {
 public:
  DaemonMetrics(const MetricsFlags& flags, const features::FeatureGates& gates);

  // The observers for the engine, the API clients and access reviews.
  scheduler::framework::Measurements& engine() { return engine_; }
  client::RestObserver& requests() { return *this; }
  AccessObserver& access() { return *this; }

  void SetLeader(bool leads);
  void NoteSlowElection();
  void Note(const runtime::Judgement& judgement);
  // `fields` of an object of the resource ("pods") could not be decoded.
  void NoteUndecodable(std::string_view resource, size_t fields);

  DutyMetrics& duty() { return duty_; }
  // `read` is called for each request of the metrics, on its thread. Call this before any.
  void ReadDutyFrom(std::function<DutyValues()> read) { read_duty_ = std::move(read); }

  // Both may be called on any thread.
  std::string Text();
  void Reset() { registry_.Reset(); }

 private:
  void Tried(std::string_view method, std::string_view host, int code) override;
  void Retried(std::string_view method, std::string_view host, int code) override;
  void Finished(std::string_view method, std::string_view host, Duration took) override;
  void Waited(std::string_view method, std::string_view host, Duration time) override;
  void Sent(std::string_view method, std::string_view host, size_t bytes) override;
  void Received(std::string_view method, std::string_view host, size_t bytes) override;

  void Authenticated(std::string_view result, Duration took) override;
  void AuthenticatedAs(std::string_view user) override;
  void Authorized(std::string_view result, Duration took) override;

  observability::MetricRegistry registry_;
  observability::scheduling::SchedulerMetrics scheduler_;
  observability::ComponentMetrics generic_;
  observability::CounterFamily& shadow_decisions_;  // decision, result
  observability::Counter& shadow_states_;
  observability::Histogram& shadow_duration_;
  observability::CounterFamily& undecodable_fields_;  // resource
  observability::scheduling::EngineMeasurements engine_;
  DutyMetrics duty_;
  std::function<DutyValues()> read_duty_;
};

}  // namespace berth::daemon
