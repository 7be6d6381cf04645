// Messages of storage.k8s.io/v1.
#include "kinds/protobuf_tables.h"

namespace berth::apiserver {

const ProtobufTable kProtobufStorage = {"storage", R"(
StorageClass: 1 metadata ObjectMeta; 2 provisioner; 3 parameters {}string;
  4 reclaimPolicy *string; 5 mountOptions []string; 6 allowVolumeExpansion *bool;
  7 volumeBindingMode *string; 8 allowedTopologies []core.TopologySelectorTerm
CSINode: 1 metadata ObjectMeta; 2 spec CSINodeSpec
CSINodeSpec: 1 drivers []CSINodeDriver
CSINodeDriver: 1 name; 2 nodeID; 3 topologyKeys []string; 4 allocatable *VolumeNodeResources
VolumeNodeResources: 1 count *int
CSIDriver: 1 metadata ObjectMeta; 2 spec CSIDriverSpec
CSIDriverSpec: 1 attachRequired *bool; 2 podInfoOnMount *bool; 3 volumeLifecycleModes []string;
  4 storageCapacity *bool; 5 fsGroupPolicy *string; 6 tokenRequests []TokenRequest;
  7 requiresRepublish *bool; 8 seLinuxMount *bool; 9 nodeAllocatableUpdatePeriodSeconds *int;
  10 serviceAccountTokenInSecrets *bool; 11 preventPodSchedulingIfMissing *bool
TokenRequest: 1 audience; 2 expirationSeconds *int
CSIStorageCapacity: 1 metadata ObjectMeta; 2 nodeTopology *LabelSelector; 3 storageClassName;
  4 capacity *Quantity; 5 maximumVolumeSize *Quantity
VolumeAttachment: 1 metadata ObjectMeta; 2 spec VolumeAttachmentSpec;
  3 status VolumeAttachmentStatus
VolumeAttachmentSpec: 1 attacher; 2 source VolumeAttachmentSource; 3 nodeName
VolumeAttachmentSource: 1 persistentVolumeName *string;
  2 inlineVolumeSpec *core.PersistentVolumeSpec
VolumeAttachmentStatus: 1 attached *bool; 2 attachmentMetadata {}string;
  3 attachError *VolumeError; 4 detachError *VolumeError
VolumeError: 1 time Time; 2 message; 3 errorCode *int
VolumeAttributesClass: 1 metadata ObjectMeta; 2 driverName; 3 parameters {}string
)"};

}  // namespace berth::apiserver
