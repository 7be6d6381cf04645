// The schemas of volumes and claims; schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view VolumeSchemas() {
  return R"(
package io.k8s.api.core.v1
type AWSElasticBlockStoreVolumeSource
  1 volumeID! string, 2 fsType string, 3 partition int, 4 readOnly bool
type AzureDiskVolumeSource
  1 diskName! string, 2 diskURI! string, 3 cachingMode *string, 4 fsType *string, 5 readOnly *bool
  6 kind *string
type AzureFilePersistentVolumeSource
  1 secretName! string, 2 shareName! string, 3 readOnly bool, 4 secretNamespace *string
type AzureFileVolumeSource
  1 secretName! string, 2 shareName! string, 3 readOnly bool
type CSIPersistentVolumeSource
  1 driver! string, 2 volumeHandle! string, 3 readOnly bool, 4 fsType string
  5 volumeAttributes {}string, 6 controllerPublishSecretRef *SecretReference
  7 nodeStageSecretRef *SecretReference, 8 nodePublishSecretRef *SecretReference
  9 controllerExpandSecretRef *SecretReference, 10 nodeExpandSecretRef *SecretReference
type CSIVolumeSource
  1 driver! string, 2 readOnly *bool, 3 fsType *string, 4 volumeAttributes {}string
  5 nodePublishSecretRef *LocalObjectReference
type CephFSPersistentVolumeSource
  1 monitors! []string, 2 path string, 3 user string, 4 secretFile string
  5 secretRef *SecretReference, 6 readOnly bool
type CephFSVolumeSource
  1 monitors! []string, 2 path string, 3 user string, 4 secretFile string
  5 secretRef *LocalObjectReference, 6 readOnly bool
type CinderPersistentVolumeSource
  1 volumeID! string, 2 fsType string, 3 readOnly bool, 4 secretRef *SecretReference
type CinderVolumeSource
  1 volumeID! string, 2 fsType string, 3 readOnly bool, 4 secretRef *LocalObjectReference
type ClusterTrustBundleProjection
  1 name *string, 2 signerName *string, 3 labelSelector *meta.LabelSelector, 4 path! string
  5 optional *bool
type ConfigMapProjection
  1 = LocalObjectReference, 2 items []KeyToPath, 4 optional *bool
type ConfigMapVolumeSource
  1 = LocalObjectReference, 2 items []KeyToPath, 3 defaultMode *int, 4 optional *bool
type DownwardAPIProjection
  1 items []DownwardAPIVolumeFile
type DownwardAPIVolumeFile
  1 path! string, 2 fieldRef *ObjectFieldSelector, 3 resourceFieldRef *ResourceFieldSelector
  4 mode *int
type DownwardAPIVolumeSource
  1 items []DownwardAPIVolumeFile, 2 defaultMode *int
type EmptyDirVolumeSource
  1 medium string, 2 sizeLimit *quantity
type EphemeralVolumeSource
  1 volumeClaimTemplate *PersistentVolumeClaimTemplate
type FCVolumeSource
  1 targetWWNs []string, 2 lun *int, 3 fsType string, 4 readOnly bool, 5 wwids []string
type FlexPersistentVolumeSource
  1 driver! string, 2 fsType string, 3 secretRef *SecretReference, 4 readOnly bool
  5 options {}string
type FlexVolumeSource
  1 driver! string, 2 fsType string, 3 secretRef *LocalObjectReference, 4 readOnly bool
  5 options {}string
type FlockerVolumeSource
  1 datasetName string, 2 datasetUUID string
type GCEPersistentDiskVolumeSource
  1 pdName! string, 2 fsType string, 3 partition int, 4 readOnly bool
type GitRepoVolumeSource
  1 repository! string, 2 revision string, 3 directory string
type GlusterfsPersistentVolumeSource
  1 endpoints! string, 2 path! string, 3 readOnly bool, 4 endpointsNamespace *string
type GlusterfsVolumeSource
  1 endpoints! string, 2 path! string, 3 readOnly bool
type HostPathVolumeSource
  1 path! string, 2 type *string
type ISCSIPersistentVolumeSource
  1 targetPortal! string, 2 iqn! string, 3 lun! int, 4 iscsiInterface string, 5 fsType string
  6 readOnly bool, 7 portals []string, 8 chapAuthDiscovery bool, 10 secretRef *SecretReference
  11 chapAuthSession bool, 12 initiatorName *string
type ISCSIVolumeSource
  1 targetPortal! string, 2 iqn! string, 3 lun! int, 4 iscsiInterface string, 5 fsType string
  6 readOnly bool, 7 portals []string, 8 chapAuthDiscovery bool, 10 secretRef *LocalObjectReference
  11 chapAuthSession bool, 12 initiatorName *string
type ImageVolumeSource
  1 reference string, 2 pullPolicy string
type KeyToPath
  1 key! string, 2 path! string, 3 mode *int
type LocalVolumeSource
  1 path! string, 2 fsType *string
type ModifyVolumeStatus
  1 targetVolumeAttributesClassName string, 2 status! string
type NFSVolumeSource
  1 server! string, 2 path! string, 3 readOnly bool
kind PersistentVolume: A piece of storage.
  2 spec PersistentVolumeSpec: Desired state of the volume.
  3 status PersistentVolumeStatus: Observed status of the volume.
kind PersistentVolumeClaim: A request for storage.
  2 spec PersistentVolumeClaimSpec: The requested storage.
  3 status PersistentVolumeClaimStatus: The provided storage.
type PersistentVolumeClaimCondition
  1 type! string, 2 status! string, 3 lastProbeTime time, 4 lastTransitionTime time, 5 reason string
  6 message string
type PersistentVolumeClaimSpec: Requested storage.
  1 accessModes []string: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.
  2 resources VolumeResourceRequirements: Requested size.
  3 volumeName string: Volume that the claim is bound to.
  4 selector *meta.LabelSelector: Labels that the volume must have.
  5 storageClassName *string: Required storage class.
  6 volumeMode *string: Filesystem or Block.
  7 dataSource *TypedLocalObjectReference, 8 dataSourceRef *TypedObjectReference
  9 volumeAttributesClassName *string
type PersistentVolumeClaimStatus: Observed status of a claim.
  1 phase string: Pending, Bound or Lost.
  2 accessModes []string
  3 capacity {}quantity: Size of the volume.
  4 conditions []PersistentVolumeClaimCondition @merge:type, 5 allocatedResources {}quantity
  7 allocatedResourceStatuses {}string, 8 currentVolumeAttributesClassName *string
  9 modifyVolumeStatus *ModifyVolumeStatus
type PersistentVolumeClaimTemplate
  1 metadata meta.ObjectMeta, 2 spec! PersistentVolumeClaimSpec
type PersistentVolumeClaimVolumeSource: A claim in the pod's namespace.
  1 claimName! string: Name of the claim.
  2 readOnly bool
type PersistentVolumeSource
  1 gcePersistentDisk *GCEPersistentDiskVolumeSource
  2 awsElasticBlockStore *AWSElasticBlockStoreVolumeSource
  3 hostPath *HostPathVolumeSource: A directory of a node.
  4 glusterfs *GlusterfsPersistentVolumeSource, 5 nfs *NFSVolumeSource
  6 rbd *RBDPersistentVolumeSource, 7 iscsi *ISCSIPersistentVolumeSource
  8 cinder *CinderPersistentVolumeSource, 9 cephfs *CephFSPersistentVolumeSource
  10 fc *FCVolumeSource, 11 flocker *FlockerVolumeSource, 12 flexVolume *FlexPersistentVolumeSource
  13 azureFile *AzureFilePersistentVolumeSource, 14 vsphereVolume *VsphereVirtualDiskVolumeSource
  15 quobyte *QuobyteVolumeSource, 16 azureDisk *AzureDiskVolumeSource
  17 photonPersistentDisk *PhotonPersistentDiskVolumeSource, 18 portworxVolume *PortworxVolumeSource
  19 scaleIO *ScaleIOPersistentVolumeSource
  20 local *LocalVolumeSource: A disk of a node; needs node affinity.
  21 storageos *StorageOSPersistentVolumeSource
  22 csi *CSIPersistentVolumeSource: Storage of a CSI driver.
type PersistentVolumeSpec: Desired state of a volume.
  1 capacity {}quantity: Size of the volume.
  2 = PersistentVolumeSource
  3 accessModes []string: Ways in which the volume can be mounted.
  4 claimRef *ObjectReference: Claim that the volume is bound to or reserved for.
  5 persistentVolumeReclaimPolicy string: Retain, Delete or Recycle: what happens to the volume when it is released from its claim.
  6 storageClassName string: Storage class of the volume.
  7 mountOptions []string
  8 volumeMode *string: Filesystem or Block.
  9 nodeAffinity *VolumeNodeAffinity: Nodes that can access the volume; its pods must run there.
  10 volumeAttributesClassName *string
type PersistentVolumeStatus: Observed status of a volume.
  1 phase string: Pending, Available, Bound, Released or Failed.
  2 message string, 3 reason string, 4 lastPhaseTransitionTime *time
type PhotonPersistentDiskVolumeSource
  1 pdID! string, 2 fsType string
type PodCertificateProjection
  1 signerName! string, 2 keyType! string, 3 maxExpirationSeconds *int
  4 credentialBundlePath string, 5 keyPath string, 6 certificateChainPath string
  7 userAnnotations {}string
type PortworxVolumeSource
  1 volumeID! string, 2 fsType string, 3 readOnly bool
type ProjectedVolumeSource
  1 sources []VolumeProjection, 2 defaultMode *int
type QuobyteVolumeSource
  1 registry! string, 2 volume! string, 3 readOnly bool, 4 user string, 5 group string
  6 tenant string
type RBDPersistentVolumeSource
  1 monitors! []string, 2 image! string, 3 fsType string, 4 pool string, 5 user string
  6 keyring string, 7 secretRef *SecretReference, 8 readOnly bool
type RBDVolumeSource
  1 monitors! []string, 2 image! string, 3 fsType string, 4 pool string, 5 user string
  6 keyring string, 7 secretRef *LocalObjectReference, 8 readOnly bool
type ScaleIOPersistentVolumeSource
  1 gateway! string, 2 system! string, 3 secretRef! *SecretReference, 4 sslEnabled bool
  5 protectionDomain string, 6 storagePool string, 7 storageMode string, 8 volumeName string
  9 fsType string, 10 readOnly bool
type ScaleIOVolumeSource
  1 gateway! string, 2 system! string, 3 secretRef! *LocalObjectReference, 4 sslEnabled bool
  5 protectionDomain string, 6 storagePool string, 7 storageMode string, 8 volumeName string
  9 fsType string, 10 readOnly bool
type SecretProjection
  1 = LocalObjectReference, 2 items []KeyToPath, 4 optional *bool
type SecretReference
  1 name string, 2 namespace string
type SecretVolumeSource
  1 secretName string, 2 items []KeyToPath, 3 defaultMode *int, 4 optional *bool
type ServiceAccountTokenProjection
  1 audience string, 2 expirationSeconds *long, 3 path! string
type StorageOSPersistentVolumeSource
  1 volumeName string, 2 volumeNamespace string, 3 fsType string, 4 readOnly bool
  5 secretRef *ObjectReference
type StorageOSVolumeSource
  1 volumeName string, 2 volumeNamespace string, 3 fsType string, 4 readOnly bool
  5 secretRef *LocalObjectReference
type TopologySelectorLabelRequirement
  1 key! string, 2 values! []string
type TopologySelectorTerm
  1 matchLabelExpressions []TopologySelectorLabelRequirement
type TypedLocalObjectReference
  1 apiGroup *string, 2 kind! string, 3 name! string
type TypedObjectReference
  1 apiGroup *string, 2 kind! string, 3 name! string, 4 namespace *string
type Volume: A directory that containers can mount; has exactly one source.
  1 name! string: Name, unique in the pod.
  2 = VolumeSource
type VolumeNodeAffinity: Nodes that can access a volume.
  1 required *NodeSelector
type VolumeProjection
  1 secret *SecretProjection, 2 downwardAPI *DownwardAPIProjection, 3 configMap *ConfigMapProjection
  4 serviceAccountToken *ServiceAccountTokenProjection
  5 clusterTrustBundle *ClusterTrustBundleProjection, 6 podCertificate *PodCertificateProjection
type VolumeResourceRequirements
  1 limits {}quantity, 2 requests {}quantity
type VolumeSource
  1 hostPath *HostPathVolumeSource: A directory of the node.
  2 emptyDir *EmptyDirVolumeSource: Temporary directory, initially empty.
  3 gcePersistentDisk *GCEPersistentDiskVolumeSource
  4 awsElasticBlockStore *AWSElasticBlockStoreVolumeSource, 5 gitRepo *GitRepoVolumeSource
  6 secret *SecretVolumeSource: Files from a secret.
  7 nfs *NFSVolumeSource: An NFS share.
  8 iscsi *ISCSIVolumeSource, 9 glusterfs *GlusterfsVolumeSource
  10 persistentVolumeClaim *PersistentVolumeClaimVolumeSource: The volume of a claim in the same namespace.
  11 rbd *RBDVolumeSource, 12 flexVolume *FlexVolumeSource, 13 cinder *CinderVolumeSource
  14 cephfs *CephFSVolumeSource, 15 flocker *FlockerVolumeSource
  16 downwardAPI *DownwardAPIVolumeSource: Files with fields of the pod.
  17 fc *FCVolumeSource, 18 azureFile *AzureFileVolumeSource
  19 configMap *ConfigMapVolumeSource: Files from a config map.
  20 vsphereVolume *VsphereVirtualDiskVolumeSource, 21 quobyte *QuobyteVolumeSource
  22 azureDisk *AzureDiskVolumeSource, 23 photonPersistentDisk *PhotonPersistentDiskVolumeSource
  24 portworxVolume *PortworxVolumeSource, 25 scaleIO *ScaleIOVolumeSource
  26 projected *ProjectedVolumeSource: Several sources in one directory.
  27 storageos *StorageOSVolumeSource
  28 csi *CSIVolumeSource: Ephemeral storage of a CSI driver.
  29 ephemeral *EphemeralVolumeSource: A claim that is created and deleted with the pod.
  30 image *ImageVolumeSource: Files of an image.
type VsphereVirtualDiskVolumeSource
  1 volumePath! string, 2 fsType string, 3 storagePolicyName string, 4 storagePolicyID string
)";
}

}  // namespace berth::api::scheme
