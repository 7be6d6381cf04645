// What NodeResourcesFit and NodeResourcesBalancedAllocation share: the allocatable and requested
// amounts of each configured resource of a node, and the pod's request.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/saturating.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

// One configured resource, for a pod of some class.
struct ScoredResource {
  enum class Kind : uint8_t { kCpu, kMemory, kEphemeralStorage, kScalar, kUnknown };
  Kind kind = Kind::kUnknown;
  model::ScalarId scalar;
  int64_t weight = 1;
  int64_t request = 0;  // The pod's; see model::AmountOf.

  // A scalar resource that the pod does not request does not count.
  bool counts() const { return kind != Kind::kUnknown && (kind != Kind::kScalar || request != 0); }
};

// The columns of one resource; null if no node has it.
struct ResourceColumns {
  const int64_t* allocatable = nullptr;
  const int64_t* requested = nullptr;

  // What is requested of the row with a pod that requests `more`.
  int64_t RequestedWith(int64_t more, size_t row) const {
    return SaturatingAdd(requested[row], more);
  }
};

// Returns `part` * 100 / `whole`; 0 <= part <= whole, and whole > 0. The product may exceed 64
// bits.
constexpr int64_t Percent(int64_t part, int64_t whole) {
  if (part <= INT64_MAX / 100) [[likely]]
    return part * 100 / whole;
  return MultiplyDivide(part, 100, whole);
}

// The kind of a resource by its name.
ScoredResource::Kind ScoredKindOf(std::string_view resource);

// Resolves `resources` for a pod with these requests; `names` holds the scalar ones.
std::vector<ScoredResource> ResolveResources(const std::vector<ResourceWeight>& resources,
                                             const api::ResourceList& requests,
                                             model::ScalarHolder& names);

// `nonzero` selects the sums in which pods without requests count with defaults.
ResourceColumns ColumnsOf(const ScoredResource& resource, const model::NodeColumns& columns,
                          bool nonzero);

}  // namespace berth::scheduler::framework
