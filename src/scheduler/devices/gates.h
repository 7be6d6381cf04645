// Gates are the feature gates that change how devices are allocated.
#pragma once

namespace berth::scheduler::devices {

struct Gates {
  bool prioritized_list = true;
  bool partitionable_devices = true;
  bool device_taints = true;
  bool consumable_capacity = true;
  // DRADeviceBindingConditions and DRAResourceClaimDeviceStatus.
  bool binding_conditions = true;

  // kube-scheduler then uses an older allocator, with fewer features.
  bool stable() const { return !consumable_capacity && !binding_conditions; }
  friend constexpr bool operator==(const Gates&, const Gates&) = default;
};

}  // namespace berth::scheduler::devices
