// The plan of a service's EndpointSlices as a pure function: which endpoints each slice holds.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "apiserver/store/stored_object.h"
#include "localcluster/service_endpoints.h"

namespace berth::localcluster {

// As in Kubernetes.
inline constexpr size_t kMaxInSlice = 100;

// A slice as it is to be: one that exists, or a new one without a name.
struct PlannedSlice {
  std::optional<ObjectName> name;
  const EndpointGroup* group = nullptr;  // Null: no endpoint has its ports any more.
  std::vector<const ServiceEndpoint*> endpoints = {};
};

struct SlicePlan {
  std::vector<PlannedSlice> slices;
  // How many endpoints and slices the plan looked at, for tests: linear in their number.
  size_t steps = 0;
};

// Plans the slices of the groups. Endpoints stay in the existing slice that they are in, so that
// few slices change. A group without endpoints has one slice, which is empty; other empty slices
// are to be deleted. The plan refers to `groups`.
SlicePlan PlanSlices(const EndpointGroups& groups,
                     std::span<const apiserver::store::ObjectPtr> existing);

}  // namespace berth::localcluster
