#include "scheduler/framework/scored_resource.h"

#include "api/pod_resources.h"

namespace berth::scheduler::framework {

ScoredResource::Kind ScoredKindOf(std::string_view resource) {
  using enum ScoredResource::Kind;
  if (resource == "cpu") return kCpu;
  if (resource == "memory") return kMemory;
  if (resource == "ephemeral-storage") return kEphemeralStorage;
  return api::IsScalarResource(resource) ? kScalar : kUnknown;
}

std::vector<ScoredResource> ResolveResources(const std::vector<ResourceWeight>& resources,
                                             const api::ResourceList& requests,
                                             model::ScalarHolder& names) {
  std::vector<ScoredResource> resolved;
  for (const ResourceWeight& resource : resources) {
    ScoredResource& scored = resolved.emplace_back();
    scored.weight = resource.weight;
    scored.kind = ScoredKindOf(resource.name);
    if (scored.kind == ScoredResource::Kind::kScalar) scored.scalar = names.Intern(resource.name);
    if (auto found = requests.find(resource.name); found != requests.end()) {
      scored.request = model::AmountOf(resource.name, found->second);
    }
  }
  return resolved;
}

ResourceColumns ColumnsOf(const ScoredResource& resource, const model::NodeColumns& columns,
                          bool nonzero) {
  switch (resource.kind) {
    case ScoredResource::Kind::kCpu:
      return {columns.allocatable_cpu.data(),
              nonzero ? columns.nonzero_cpu.data() : columns.requested_cpu.data()};
    case ScoredResource::Kind::kMemory:
      return {columns.allocatable_memory.data(),
              nonzero ? columns.nonzero_memory.data() : columns.requested_memory.data()};
    case ScoredResource::Kind::kEphemeralStorage:
      return {columns.allocatable_ephemeral.data(), columns.requested_ephemeral.data()};
    case ScoredResource::Kind::kScalar: {
      const model::NodeColumns::Scalar* column = columns.scalar(resource.scalar);
      if (column == nullptr) return {};
      return {column->allocatable.data(), column->requested.data()};
    }
    case ScoredResource::Kind::kUnknown:
      return {};
  }
  return {};
}

}  // namespace berth::scheduler::framework
