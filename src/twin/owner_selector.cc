#include "twin/owner_selector.h"

#include <algorithm>

namespace berth::twin {
namespace {

// Of equal keys the later one wins.
void Merge(const api::StringMap& from, api::StringMap& into) {
  for (const auto& [key, value] : from) into.insert_or_assign(key, value);
}

template <typename T>
void AddRequirements(const T* owner, api::Selector& selector) {
  if (owner == nullptr) return;
  const auto own = api::Selector::FromLabelSelector(owner->selector);
  if (!own || own->nothing()) return;
  for (const api::Requirement& requirement : own->requirements()) selector.Add(requirement);
}

}  // namespace

api::Selector OwnerSelector(const World& world, const api::Pod& pod) {
  const std::string& namespace_ = pod.metadata.namespace_;
  api::StringMap labels;
  for (const auto& [key, service] : world.services) {
    if (key.namespace_ != namespace_ || !service->selector) continue;
    if (api::Selector::FromMap(*service->selector).Matches(pod.metadata.labels)) {
      Merge(*service->selector, labels);
    }
  }
  const auto& owners = pod.metadata.owner_references;
  const auto owner =
      std::ranges::find_if(owners, [](const auto& o) { return o.controller == true; });
  if (owner == owners.end()) return api::Selector::FromMap(labels);

  if (owner->api_version == "v1" && owner->kind == "ReplicationController") {
    const auto* controller = Find(world.replication_controllers, namespace_, owner->name);
    if (controller != nullptr) Merge(controller->selector, labels);
  }
  api::Selector selector = api::Selector::FromMap(labels);
  if (owner->api_version == "apps/v1" && owner->kind == "ReplicaSet") {
    AddRequirements(Find(world.replica_sets, namespace_, owner->name), selector);
  }
  if (owner->api_version == "apps/v1" && owner->kind == "StatefulSet") {
    AddRequirements(Find(world.stateful_sets, namespace_, owner->name), selector);
  }
  return selector;
}

}  // namespace berth::twin
