// Metrics are the metrics of the API server in Prometheus' text format.
//
// Thread-safe; counting a request costs one lock and one lookup.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/scheme/kind_set.h"
#include "apiserver/store/store.h"
#include "observability/metric_registry.h"

namespace berth::apiserver {

// The label of all custom resources together: clients choose their names, and a metric never
// forgets a label.
inline constexpr std::string_view kCustomResources = "customresources";

// Returns the label of a kind: "pods", "deployments.apps".
std::string ResourceLabel(const api::scheme::Kind& kind);

class Metrics : public std::enable_shared_from_this<Metrics> {
 public:
  Metrics();

  // `resource` is a ResourceLabel, empty for other paths.
  void CountRequest(std::string_view verb, std::string_view resource, int code);
  // Counts the watch as open until the result is destroyed.
  std::shared_ptr<void> OpenWatch(std::string_view resource);

  // Adds the metrics of another component, which `text` returns in the same format on any thread.
  // Must be called before the first request.
  void Append(std::function<std::string()> text) { more_ = std::move(text); }

  // Returns all metrics, with the current number of objects of `kinds` in `store`.
  std::string Text(const store::Store& store, const api::scheme::KindSet& kinds) const;

 private:
  observability::MetricRegistry registry_;
  observability::CounterFamily& requests_;
  observability::GaugeFamily& watches_;
  observability::GaugeFamily& objects_;
  observability::Gauge& version_;
  std::function<std::string()> more_;  // May be null.
};

}  // namespace berth::apiserver
