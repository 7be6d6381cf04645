#include "scheduler/plugins/pod_topology_spread/default_selector.h"

#include <algorithm>

#include "api/workloads.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/owner_selectors.h"

namespace berth::scheduler::plugins {
namespace {

const api::OwnerReference* ControllerOf(const api::ObjectMeta& meta) {
  auto found = std::ranges::find_if(
      meta.owner_references, [](const auto& owner) { return owner.controller.value_or(false); });
  return found == meta.owner_references.end() ? nullptr : &*found;
}

template <typename Owner>
void AddSelectorOf(const model::Objects<Owner>& owners, const api::ObjectKey& key,
                   api::Selector& selector) {
  const Owner* owner = owners.Find(key);
  if (owner == nullptr) return;
  const auto own = api::Selector::FromLabelSelector(owner->selector);
  if (!own) return;
  for (const api::Requirement& requirement : own->requirements()) selector.Add(requirement);
}

}  // namespace

api::Selector DefaultSelector(const model::Cluster& cluster, const api::Pod& pod) {
  const api::ObjectMeta& meta = pod.metadata;
  api::StringMap conditions;
  cluster.owner_selectors().ForEachServiceOf(meta, [&](const api::Service& service) {
    for (const auto& [key, value] : *service.selector) conditions.insert_or_assign(key, value);
  });
  const api::OwnerReference* owner = ControllerOf(meta);
  const bool owned_by_controller =
      owner != nullptr && owner->api_version == "v1" && owner->kind == "ReplicationController";
  if (owned_by_controller) {
    const auto* controller =
        cluster.objects<api::ReplicationController>().Find({meta.namespace_, owner->name});
    if (controller != nullptr) {
      for (const auto& [key, value] : controller->selector) conditions.insert_or_assign(key, value);
    }
  }
  api::Selector selector = api::Selector::FromMap(conditions);
  if (owner != nullptr && owner->api_version == "apps/v1") {
    const api::ObjectKey key{meta.namespace_, owner->name};
    if (owner->kind == "ReplicaSet")
      AddSelectorOf(cluster.objects<api::ReplicaSet>(), key, selector);
    if (owner->kind == "StatefulSet")
      AddSelectorOf(cluster.objects<api::StatefulSet>(), key, selector);
  }
  return selector;
}

uint64_t DefaultSelectorVersion(const model::Cluster& cluster) {
  return cluster.owner_selectors().version();
}

}  // namespace berth::scheduler::plugins
