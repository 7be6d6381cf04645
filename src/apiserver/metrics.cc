#include "apiserver/metrics.h"

#include <fmt/format.h>

#include <iterator>

#include "kinds/kinds.h"

namespace berth::apiserver {
namespace {

void AppendHead(std::string& out, std::string_view name, std::string_view type,
                std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

}  // namespace

void Metrics::CountRequest(std::string_view verb, std::string_view resource, int code) {
  const RequestView key(verb, resource, code);
  const std::lock_guard lock(mutex_);
  auto at = requests_.find(key);
  if (at == requests_.end()) at = requests_.emplace(RequestKey(key), 0).first;
  ++at->second;
}

std::shared_ptr<void> Metrics::OpenWatch(std::string_view resource) {
  {
    const std::lock_guard lock(mutex_);
    ++watches_.try_emplace(std::string(resource), 0).first->second;
  }
  return {nullptr, [self = shared_from_this(), name = std::string(resource)](void*) {
            const std::lock_guard lock(self->mutex_);
            --self->watches_[name];
          }};
}

std::string Metrics::Text(const store::Store& store) const {
  std::string out;
  const auto to = std::back_inserter(out);
  {
    const std::lock_guard lock(mutex_);
    AppendHead(out, "apiserver_request_total", "counter", "Requests answered.");
    for (const auto& [key, count] : requests_) {
      const auto& [verb, resource, code] = key;
      fmt::format_to(to, "apiserver_request_total{{verb=\"{}\",resource=\"{}\",code=\"{}\"}} {}\n",
                     verb, resource, code, count);
    }
    AppendHead(out, "apiserver_registered_watchers", "gauge", "Watches that are open.");
    for (const auto& [resource, count] : watches_) {
      fmt::format_to(to, "apiserver_registered_watchers{{resource=\"{}\"}} {}\n", resource, count);
    }
  }
  AppendHead(out, "apiserver_storage_objects", "gauge", "Objects stored.");
  for (const Kind& kind : Kinds()) {
    if (!kind.stored || kind.group == "events.k8s.io") continue;
    fmt::format_to(to, "apiserver_storage_objects{{resource=\"{}\"}} {}\n", kind.group_resource(),
                   store.Count(kind.collection));
  }
  AppendHead(out, "berth_store_version", "gauge", "The newest resourceVersion.");
  fmt::format_to(to, "berth_store_version {}\n", store.version());
  return out;
}

}  // namespace berth::apiserver
