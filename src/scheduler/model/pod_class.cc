#include "scheduler/model/pod_class.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/check.h"
#include "scheduler/model/key_writer.h"
#include "scheduler/model/volume_claims.h"

namespace berth::scheduler::model {
namespace {

constexpr std::string_view kResizePending = "PodResizePending";

bool ResizeInfeasible(const api::PodStatus& status) {
  for (const api::PodCondition& condition : status.conditions) {
    if (condition.type == kResizePending) return condition.reason == "Infeasible";
  }
  return false;
}

// A status without resources does not change the requests; most pods have none.
bool ShowsResources(const api::PodStatus& status) {
  auto shows = [](const api::ContainerStatus& s) {
    return s.resources.has_value() || !s.allocated_resources.empty();
  };
  return status.resources.has_value() || !status.allocated_resources.empty() ||
         std::ranges::any_of(status.container_statuses, shows) ||
         std::ranges::any_of(status.init_container_statuses, shows);
}

bool HasGeneratedClaimNames(const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [](const api::Volume& volume) {
    return std::holds_alternative<api::EphemeralSource>(volume.source);
  });
}

api::Pod ExampleOf(const api::Pod& pod) {
  api::Pod example;
  example.metadata.name = pod.metadata.name;
  example.metadata.namespace_ = pod.metadata.namespace_;
  example.spec = pod.spec;
  if (!ShowsResources(pod.status)) return example;
  const api::PodStatus& status = pod.status;
  std::ranges::copy_if(
      status.conditions, std::back_inserter(example.status.conditions),
      [](const api::PodCondition& condition) { return condition.type == kResizePending; });
  example.status.container_statuses = status.container_statuses;
  example.status.init_container_statuses = status.init_container_statuses;
  example.status.resources = status.resources;
  example.status.allocated_resources = status.allocated_resources;
  return example;
}

}  // namespace

std::string PodClassKey(const api::Pod& pod, bool with_node_name) {
  std::string key;
  key.reserve(512);
  KeyWriter writer(key);
  const api::PodSpec& spec = pod.spec;
  writer.PutAll(pod.metadata.namespace_, spec.scheduler_name, pod.priority(),
                spec.preemption_policy, spec.init_containers, spec.containers, spec.resources,
                spec.overhead, spec.node_selector, spec.affinity, spec.tolerations,
                spec.topology_spread_constraints, spec.scheduling_gates, spec.volumes,
                spec.resource_claims, spec.host_network, spec.host_users);
  writer.Put(with_node_name ? spec.node_name : std::string());
  // The claim of a generic ephemeral volume is named after the pod, so each such pod has a class of
  // its own.
  writer.Put(HasGeneratedClaimNames(spec) ? pod.metadata.name : std::string());
  const bool shows_resources = ShowsResources(pod.status);
  writer.Put(shows_resources);
  if (shows_resources) {
    writer.PutAll(pod.status.container_statuses, pod.status.init_container_statuses,
                  pod.status.resources, pod.status.allocated_resources,
                  ResizeInfeasible(pod.status));
  }
  return key;
}

PodClass CompilePodClass(const api::Pod& pod, bool with_node_name, SymbolTable& symbols,
                         ScalarNames& scalars, const Features& features) {
  PodClass compiled(symbols, scalars);
  if (with_node_name) compiled.node_name = pod.spec.node_name;
  compiled.namespace_ = compiled.symbols.Intern(pod.metadata.namespace_);
  compiled.priority = pod.priority();
  compiled.requests =
      ResourceVector::From(api::PodRequests(pod, NewPodRequests(features)), compiled.scalar_names);
  const api::PodRequestOptions placed = PlacedPodRequests(features);
  compiled.placed = ResourceVector::From(api::PodRequests(pod, placed), compiled.scalar_names);
  compiled.placed_nonzero = api::PlacedNonZeroRequest(pod, placed);
  if (const auto& affinity = pod.spec.affinity) {
    compiled.has_pod_affinity = affinity->pod_affinity || affinity->pod_anti_affinity;
  }
  compiled.host_ports = HostPortsOf(pod.spec, compiled.symbols);
  for (const api::Volume& volume : pod.spec.volumes) {
    if (const auto* claim = std::get_if<api::PersistentVolumeClaimSource>(&volume.source)) {
      compiled.claims.push_back(compiled.symbols.Intern(claim->claim_name));
    }
  }
  compiled.uses_storage = UsesStorage(pod.spec);
  compiled.example = ExampleOf(pod);
  return compiled;
}

PodClassId PodClasses::Acquire(const api::Pod& pod, bool with_node_name) {
  auto [found, added] = ids_.try_emplace(PodClassKey(pod, with_node_name));
  if (added) {
    PodClassId id;
    if (free_.empty()) {
      id = PodClassId{static_cast<uint32_t>(slots_.size())};
      slots_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    auto compiled = std::make_unique<PodClass>(
        CompilePodClass(pod, with_node_name, symbols_, scalars_, features_));
    compiled->id = id;
    slots_[id.index()] = {std::move(compiled), &found->first, 0, next_serial_++, 0};
    found->second = id;
  }
  Slot& slot = slots_[found->second.index()];
  if (slot.members++ == 0 && !added) empty_bytes_ -= slot.key->size();
  return found->second;
}

void PodClasses::Release(PodClassId id) {
  Slot& slot = slots_[id.index()];
  CHECK(slot.members > 0);
  if (--slot.members > 0) return;
  slot.emptied = next_serial_++;
  empty_.emplace_back(id, slot.emptied);
  empty_bytes_ += slot.key->size();
  if (empty_.size() <= kMaxEmptyClasses && empty_bytes_ <= kMaxEmptyBytes) return;
  // Half of them, so that those who follow removed() need not do so often.
  DropEmpty(kMaxEmptyClasses / 2, kMaxEmptyBytes / 2);
}

void PodClasses::DropEmpty(size_t number, size_t bytes) {
  while (empty_.size() > number || empty_bytes_ > bytes) {
    const auto [id, emptied] = empty_.front();
    empty_.pop_front();
    Slot& slot = slots_[id.index()];
    if (slot.compiled == nullptr || slot.members > 0 || slot.emptied != emptied) continue;
    empty_bytes_ -= slot.key->size();
    ids_.erase(ids_.find(*slot.key));
    slot = {};
    free_.push_back(id);
    ++removed_;
  }
}

}  // namespace berth::scheduler::model
