#include "client/informers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace berth::client {
Informers::Informers(RestClient& client, net::Executor& executor, std::vector<WatchSource> sources,
                     const InformersOptions& options, const Reflector::Sink& sink,
                     std::function<void()> on_synced, const Warn& warn)
    : on_synced_(std::move(on_synced)), unsynced_(sources.size()) {
  Random seeds(options.seed);
  const auto outage = std::make_shared<OutageLog>(warn);
  for (WatchSource& source : sources) {
    ReflectorOptions one{.resource = std::move(source.resource),
                         .path = std::move(source.path),
                         .other_path = std::move(source.other_path),
                         .field_selector = std::move(source.field_selector),
                         .codec = source.codec,
                         .protobuf = options.protobuf,
                         .watch_list = options.watch_list,
                         .seed = seeds.Next(),
                         .count_undecodable = options.count_undecodable,
                         .count_silent_watch = options.count_silent_watch,
                         .outage = outage};
    reflectors_.push_back(std::make_unique<Reflector>(
        client, executor, std::move(one), sink, [this] { OnSynced(); }, warn));
  }
}

Informers::~Informers() = default;

void Informers::Start() {
  for (const auto& reflector : reflectors_) reflector->Start();
}

void Informers::Refresh(std::string_view resource, std::function<void()> done) {
  const auto found = std::ranges::find(reflectors_, resource, [](const auto& reflector) {
    return std::string_view(reflector->options().resource);
  });
  CHECK(found != reflectors_.end());
  (*found)->Refresh(std::move(done));
}

void Informers::OnSynced() {
  if (--unsynced_ == 0 && on_synced_) on_synced_();
}

std::vector<CollectionState> Informers::states() const {
  std::vector<CollectionState> states;
  for (const auto& reflector : reflectors_) {
    states.push_back({.resource = reflector->options().resource,
                      .resource_version = reflector->resource_version(),
                      .objects = reflector->cache().size(),
                      .lists = reflector->lists(),
                      .synced = reflector->synced()});
  }
  return states;
}

const ObjectCache* Informers::cache(std::string_view resource) const {
  for (const auto& reflector : reflectors_) {
    if (reflector->options().resource == resource) return &reflector->cache();
  }
  return nullptr;
}

}  // namespace berth::client
