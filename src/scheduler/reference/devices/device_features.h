// DeviceFeatures are the feature gates of kube-scheduler v1.36 that change how devices are
// allocated, with their defaults there.
#pragma once

namespace berth::scheduler::reference {

struct DeviceFeatures {
  bool prioritized_list = true;              // DRAPrioritizedList
  bool partitionable_devices = true;         // DRAPartitionableDevices
  bool device_taints = true;                 // DRADeviceTaints
  bool consumable_capacity = true;           // DRAConsumableCapacity
  bool resource_claim_device_status = true;  // DRAResourceClaimDeviceStatus
  bool device_binding_conditions = true;     // DRADeviceBindingConditions
  bool extended_resource = true;             // DRAExtendedResource

  // Binding conditions are reported in the status of the devices.
  bool binding_conditions() const {
    return resource_claim_device_status && device_binding_conditions;
  }
  // Reports whether kube-scheduler uses its older allocator, which is sufficient then. It rejects
  // distinctAttribute and ignores capacity requests and bindsToNode.
  bool stable_allocator() const { return !consumable_capacity && !binding_conditions(); }
};

}  // namespace berth::scheduler::reference
