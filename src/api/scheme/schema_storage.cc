// The schemas of storage and devices; schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view StorageSchemas() {
  return R"(
package io.k8s.api.resource.v1
type AllocatedDeviceStatus
  conditions []meta.Condition, data object, device! string, driver! string
  networkData NetworkDeviceData, pool! string, shareID string
type AllocationResult
  allocationTimestamp time, devices DeviceAllocationResult, nodeSelector core.NodeSelector
type CELDeviceSelector
  expression! string
type CapacityRequestPolicy
  default quantity, validRange CapacityRequestPolicyRange, validValues []quantity
type CapacityRequestPolicyRange
  max quantity, min! quantity, step quantity
type CapacityRequirements
  requests {}quantity
type Counter
  value! quantity
type CounterSet
  counters! {}Counter, name! string
type Device
  allNodes bool, allowMultipleAllocations bool, attributes {}DeviceAttribute
  bindingConditions []string, bindingFailureConditions []string, bindsToNode bool
  capacity {}DeviceCapacity, consumesCounters []DeviceCounterConsumption, name! string
  nodeAllocatableResourceMappings {}NodeAllocatableResourceMapping, nodeName string
  nodeSelector core.NodeSelector, taints []DeviceTaint
type DeviceAllocationConfiguration
  opaque OpaqueDeviceConfiguration, requests []string, source! string
type DeviceAllocationResult
  config []DeviceAllocationConfiguration, results []DeviceRequestAllocationResult
type DeviceAttribute
  bool bool, bools []bool, int long, ints []long, string string, strings []string, version string
  versions []string
type DeviceCapacity
  requestPolicy CapacityRequestPolicy, value! quantity
type DeviceClaim
  config []DeviceClaimConfiguration, constraints []DeviceConstraint, requests []DeviceRequest
type DeviceClaimConfiguration
  opaque OpaqueDeviceConfiguration, requests []string
kind DeviceClass: A category of devices.
  spec! DeviceClassSpec
type DeviceClassConfiguration
  opaque OpaqueDeviceConfiguration
type DeviceClassSpec
  config []DeviceClassConfiguration, extendedResourceName string, selectors []DeviceSelector
type DeviceConstraint
  distinctAttribute string, matchAttribute string, requests []string
type DeviceCounterConsumption
  counterSet! string, counters! {}Counter
type DeviceRequest
  exactly ExactDeviceRequest, firstAvailable []DeviceSubRequest, name! string
type DeviceRequestAllocationResult
  adminAccess bool, bindingConditions []string, bindingFailureConditions []string
  consumedCapacity {}quantity, device! string, driver! string, pool! string, request! string
  shareID string, tolerations []DeviceToleration
type DeviceSelector
  cel CELDeviceSelector
type DeviceSubRequest
  allocationMode string, capacity CapacityRequirements, count long, deviceClassName! string
  name! string, selectors []DeviceSelector, tolerations []DeviceToleration
type DeviceTaint
  effect! string, key! string, timeAdded time, value string
type DeviceToleration
  effect string, key string, operator string, tolerationSeconds long, value string
type ExactDeviceRequest
  adminAccess bool, allocationMode string, capacity CapacityRequirements, count long
  deviceClassName! string, selectors []DeviceSelector, tolerations []DeviceToleration
type NetworkDeviceData
  hardwareAddress string, interfaceName string, ips []string
type NodeAllocatableResourceMapping
  allocationMultiplier quantity, capacityKey string
type OpaqueDeviceConfiguration
  driver! string, parameters! object
kind ResourceClaim: A request for devices.
  spec! ResourceClaimSpec: The requested devices.
  status ResourceClaimStatus: The allocated devices and their consumers.
type ResourceClaimConsumerReference
  apiGroup string, name! string, resource! string, uid! string
type ResourceClaimSpec
  devices DeviceClaim
type ResourceClaimStatus
  allocation AllocationResult, devices []AllocatedDeviceStatus
  reservedFor []ResourceClaimConsumerReference @merge:uid
kind ResourceClaimTemplate: Template of claims that are created for pods.
  spec! ResourceClaimTemplateSpec
type ResourceClaimTemplateSpec
  metadata meta.ObjectMeta, spec! ResourceClaimSpec
type ResourcePool
  generation! long, name! string, resourceSliceCount! long
kind ResourceSlice: Devices that a driver offers.
  spec! ResourceSliceSpec: The devices and the nodes that can use them.
type ResourceSliceSpec
  allNodes bool, devices []Device, driver! string, nodeName string, nodeSelector core.NodeSelector
  perDeviceNodeSelection bool, pool! ResourcePool, sharedCounters []CounterSet
package io.k8s.api.storage.v1
kind CSIDriver: Capabilities of a CSI driver.
  spec! CSIDriverSpec
type CSIDriverSpec
  attachRequired bool, fsGroupPolicy string, nodeAllocatableUpdatePeriodSeconds long
  podInfoOnMount bool, preventPodSchedulingIfMissing bool, requiresRepublish bool
  seLinuxMount bool, serviceAccountTokenInSecrets bool, storageCapacity bool
  tokenRequests []TokenRequest, volumeLifecycleModes []string
kind CSINode: CSI drivers on a node.
  spec! CSINodeSpec: The drivers.
type CSINodeDriver: A CSI driver on a node.
  allocatable VolumeNodeResources: Maximum number of volumes on the node.
  name! string, nodeID! string
  topologyKeys []string: Labels of the node that determine which volumes it can access.
type CSINodeSpec
  drivers! []CSINodeDriver @merge:name
kind CSIStorageCapacity: Storage capacity of a CSI driver in a topology segment.
  capacity quantity: Available capacity.
  maximumVolumeSize quantity: Maximum size of a new volume.
  nodeTopology meta.LabelSelector: Nodes that can access the storage.
  storageClassName! string: Class of the volumes.
kind StorageClass: Parameters of dynamic volume provisioning.
  allowVolumeExpansion bool: Whether volumes can be expanded.
  allowedTopologies []core.TopologySelectorTerm: Topologies in which volumes can be provisioned.
  mountOptions []string: Options for mounting.
  parameters {}string: Settings for the provisioner.
  provisioner! string: Provisioner of the volumes.
  reclaimPolicy string: Delete or Retain: what happens to volumes released from their claims.
  volumeBindingMode string: Immediate or WaitForFirstConsumer: when claims are bound.
type TokenRequest
  audience! string, expirationSeconds long
kind VolumeAttachment: Request to attach a volume to a node.
  spec! VolumeAttachmentSpec, status VolumeAttachmentStatus
type VolumeAttachmentSource
  inlineVolumeSpec core.PersistentVolumeSpec, persistentVolumeName string
type VolumeAttachmentSpec
  attacher! string, nodeName! string, source! VolumeAttachmentSource
type VolumeAttachmentStatus
  attachError VolumeError, attached! bool, attachmentMetadata {}string, detachError VolumeError
kind VolumeAttributesClass: Mutable attributes of volumes.
  driverName! string, parameters {}string
type VolumeError
  errorCode int, message string, time time
type VolumeNodeResources
  count int
)";
}

}  // namespace berth::api::scheme
