#include "apiserver/request_metrics.h"

#include <fmt/format.h>

#include "observability/metric_registry.h"

namespace berth::apiserver {

using observability::Stability;

std::string ResourceLabel(const api::scheme::Kind& kind) {
  return kind.custom != nullptr ? std::string(kCustomResources) : kind.group_resource();
}

Metrics::Metrics()
    : requests_(registry_.AddCounter({.name = "apiserver_request_total",
                                      .help = "Requests answered.",
                                      .stability = Stability::kStable,
                                      .labels = {"verb", "resource", "code"}})),
      watches_(registry_.AddGauge({.name = "apiserver_registered_watchers",
                                   .help = "Watches that are open.",
                                   .labels = {"resource"}})),
      objects_(registry_.AddGauge({.name = "apiserver_storage_objects",
                                   .help = "Objects stored.",
                                   .stability = Stability::kStable,
                                   .labels = {"resource"}})),
      version_(registry_
                   .AddGauge({.name = "berth_store_version",
                              .help = "The newest resourceVersion.",
                              .stability = Stability::kNone})
                   .With({})) {}

void Metrics::CountRequest(std::string_view verb, std::string_view resource, int code) {
  requests_.With({verb, resource, fmt::format_int(code).c_str()}).Increment();
}

std::shared_ptr<void> Metrics::OpenWatch(std::string_view resource) {
  observability::Gauge& open = watches_.With({resource});
  open.Add(+1);
  return {nullptr, [self = shared_from_this(), &open](void*) { open.Add(-1); }};
}

std::string Metrics::Text(const store::Store& store, const api::scheme::KindSet& kinds) const {
  size_t custom = 0;
  for (const api::scheme::KindPtr& kind : kinds.stored()) {
    const size_t count = store.Count(kind->collection);
    if (kind->custom != nullptr) {
      custom += count;
    } else {
      objects_.With({kind->group_resource()}).Set(static_cast<double>(count));
    }
  }
  objects_.With({kCustomResources}).Set(static_cast<double>(custom));
  version_.Set(static_cast<double>(store.version()));
  std::string text = observability::MetricsText(registry_);
  if (more_) text += more_();
  return text;
}

}  // namespace berth::apiserver
