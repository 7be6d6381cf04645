// What combinations of feature gates mean for the allocation of devices.
#pragma once

#include "scheduler/model/features.h"

namespace berth::scheduler::reference {

// Reports whether devices may have binding conditions, which their status shows.
inline bool UsesBindingConditions(const model::Features& features) {
  return features.dra_resource_claim_device_status && features.dra_device_binding_conditions;
}

// Reports whether kube-scheduler uses its older allocator, which is sufficient then. It rejects
// distinctAttribute and ignores capacity requests and bindsToNode.
inline bool UsesStableAllocator(const model::Features& features) {
  return !features.dra_consumable_capacity && !UsesBindingConditions(features);
}

}  // namespace berth::scheduler::reference
