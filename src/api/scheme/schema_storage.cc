// The schemas of storage and devices; schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view StorageSchemas() {
  return R"(
package io.k8s.api.resource.v1
type AllocatedDeviceStatus
  1 driver! string, 2 pool! string, 3 device! string, 4 conditions []meta.Condition, 5 data *object
  6 networkData *NetworkDeviceData, 7 shareID *string
type AllocationResult
  1 devices DeviceAllocationResult, 3 nodeSelector *core.NodeSelector, 5 allocationTimestamp *time
type CELDeviceSelector
  1 expression! string
type CapacityRequestPolicy
  1 default *quantity, 3 validValues []quantity, 4 validRange *CapacityRequestPolicyRange
type CapacityRequestPolicyRange
  1 min! *quantity, 2 max *quantity, 3 step *quantity
type CapacityRequirements
  1 requests {}quantity
type Counter
  1 value! quantity
type CounterSet
  1 name! string, 2 counters! {}Counter
type Device
  1 name! string, 2 attributes {}DeviceAttribute, 3 capacity {}DeviceCapacity
  4 consumesCounters []DeviceCounterConsumption, 5 nodeName *string
  6 nodeSelector *core.NodeSelector, 7 allNodes *bool, 8 taints []DeviceTaint, 9 bindsToNode *bool
  10 bindingConditions []string, 11 bindingFailureConditions []string
  12 allowMultipleAllocations *bool
  13 nodeAllocatableResourceMappings {}NodeAllocatableResourceMapping
type DeviceAllocationConfiguration
  1 source! string, 2 requests []string, 3 = DeviceConfiguration
type DeviceAllocationResult
  1 results []DeviceRequestAllocationResult, 2 config []DeviceAllocationConfiguration
type DeviceAttribute
  2 int *long, 3 bool *bool, 4 string *string, 5 version *string, 6 ints []long, 7 bools []bool
  8 strings []string, 9 versions []string
type DeviceCapacity
  1 value! quantity, 2 requestPolicy *CapacityRequestPolicy
type DeviceClaim
  1 requests []DeviceRequest, 2 constraints []DeviceConstraint, 3 config []DeviceClaimConfiguration
type DeviceClaimConfiguration
  1 requests []string, 2 = DeviceConfiguration
kind DeviceClass: A category of devices.
  2 spec! DeviceClassSpec
type DeviceClassConfiguration
  1 = DeviceConfiguration
type DeviceClassSpec
  1 selectors []DeviceSelector, 2 config []DeviceClassConfiguration, 4 extendedResourceName *string
type DeviceConfiguration
  1 opaque *OpaqueDeviceConfiguration
type DeviceConstraint
  1 requests []string, 2 matchAttribute *string, 3 distinctAttribute *string
type DeviceCounterConsumption
  1 counterSet! string, 2 counters! {}Counter
type DeviceRequest
  1 name! string, 2 exactly *ExactDeviceRequest, 3 firstAvailable []DeviceSubRequest
type DeviceRequestAllocationResult
  1 request! string, 2 driver! string, 3 pool! string, 4 device! string, 5 adminAccess *bool
  6 tolerations []DeviceToleration, 7 bindingConditions []string
  8 bindingFailureConditions []string, 9 shareID *string, 10 consumedCapacity {}quantity
type DeviceSelector
  1 cel *CELDeviceSelector
type DeviceSubRequest
  1 name! string, 2 deviceClassName! string, 3 selectors []DeviceSelector, 4 allocationMode string
  5 count long, 6 tolerations []DeviceToleration, 7 capacity *CapacityRequirements
type DeviceTaint
  1 key! string, 2 value string, 3 effect! string, 4 timeAdded *time
type DeviceToleration
  1 key string, 2 operator string, 3 value string, 4 effect string, 5 tolerationSeconds *long
type ExactDeviceRequest
  1 deviceClassName! string, 2 selectors []DeviceSelector, 3 allocationMode string, 4 count long
  5 adminAccess *bool, 6 tolerations []DeviceToleration, 7 capacity *CapacityRequirements
type NetworkDeviceData
  1 interfaceName string, 2 ips []string, 3 hardwareAddress string
type NodeAllocatableResourceMapping
  1 capacityKey *string, 2 allocationMultiplier *quantity
type OpaqueDeviceConfiguration
  1 driver! string, 2 parameters! object
kind ResourceClaim: A request for devices.
  2 spec! ResourceClaimSpec: The requested devices.
  3 status ResourceClaimStatus: The allocated devices and their consumers.
type ResourceClaimConsumerReference
  1 apiGroup string, 3 resource! string, 4 name! string, 5 uid! string
type ResourceClaimSpec
  1 devices DeviceClaim
type ResourceClaimStatus
  1 allocation *AllocationResult, 2 reservedFor []ResourceClaimConsumerReference @merge:uid
  4 devices []AllocatedDeviceStatus
kind ResourceClaimTemplate: Template of claims that are created for pods.
  2 spec! ResourceClaimTemplateSpec
type ResourceClaimTemplateSpec
  1 metadata meta.ObjectMeta, 2 spec! ResourceClaimSpec
type ResourcePool
  1 name! string, 2 generation! long, 3 resourceSliceCount! long
kind ResourceSlice: Devices that a driver offers.
  2 spec! ResourceSliceSpec: The devices and the nodes that can use them.
type ResourceSliceSpec
  1 driver! string, 2 pool! ResourcePool, 3 nodeName *string, 4 nodeSelector *core.NodeSelector
  5 allNodes *bool, 6 devices []Device, 7 perDeviceNodeSelection *bool
  8 sharedCounters []CounterSet
package io.k8s.api.storage.v1
kind CSIDriver: Capabilities of a CSI driver.
  2 spec! CSIDriverSpec
type CSIDriverSpec
  1 attachRequired *bool, 2 podInfoOnMount *bool, 3 volumeLifecycleModes []string
  4 storageCapacity *bool, 5 fsGroupPolicy *string, 6 tokenRequests []TokenRequest
  7 requiresRepublish *bool, 8 seLinuxMount *bool, 9 nodeAllocatableUpdatePeriodSeconds *long
  10 serviceAccountTokenInSecrets *bool, 11 preventPodSchedulingIfMissing *bool
kind CSINode: CSI drivers on a node.
  2 spec! CSINodeSpec: The drivers.
type CSINodeDriver: A CSI driver on a node.
  1 name! string, 2 nodeID! string
  3 topologyKeys []string: Labels of the node that determine which volumes it can access.
  4 allocatable *VolumeNodeResources: Maximum number of volumes on the node.
type CSINodeSpec
  1 drivers! []CSINodeDriver @merge:name
kind CSIStorageCapacity: Storage capacity of a CSI driver in a topology segment.
  2 nodeTopology *meta.LabelSelector: Nodes that can access the storage.
  3 storageClassName! string: Class of the volumes.
  4 capacity *quantity: Available capacity.
  5 maximumVolumeSize *quantity: Maximum size of a new volume.
kind StorageClass: Parameters of dynamic volume provisioning.
  2 provisioner! string: Provisioner of the volumes.
  3 parameters {}string: Settings for the provisioner.
  4 reclaimPolicy *string: Delete or Retain: what happens to volumes released from their claims.
  5 mountOptions []string: Options for mounting.
  6 allowVolumeExpansion *bool: Whether volumes can be expanded.
  7 volumeBindingMode *string: Immediate or WaitForFirstConsumer: when claims are bound.
  8 allowedTopologies []core.TopologySelectorTerm: Topologies in which volumes can be provisioned.
type TokenRequest
  1 audience! string, 2 expirationSeconds *long
kind VolumeAttachment: Request to attach a volume to a node.
  2 spec! VolumeAttachmentSpec, 3 status VolumeAttachmentStatus
type VolumeAttachmentSource
  1 persistentVolumeName *string, 2 inlineVolumeSpec *core.PersistentVolumeSpec
type VolumeAttachmentSpec
  1 attacher! string, 2 source! VolumeAttachmentSource, 3 nodeName! string
type VolumeAttachmentStatus
  1 attached! bool, 2 attachmentMetadata {}string, 3 attachError *VolumeError
  4 detachError *VolumeError
kind VolumeAttributesClass: Mutable attributes of volumes.
  2 driverName! string, 3 parameters {}string
type VolumeError
  1 time time, 2 message string, 3 errorCode *int
type VolumeNodeResources
  1 count *int
)";
}

}  // namespace berth::api::scheme
