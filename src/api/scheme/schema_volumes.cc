// The schemas of volumes and claims; schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view VolumeSchemas() {
  return R"(
package io.k8s.api.core.v1
type AWSElasticBlockStoreVolumeSource
  fsType string, partition int, readOnly bool, volumeID! string
type AzureDiskVolumeSource
  cachingMode string, diskName! string, diskURI! string, fsType string, kind string, readOnly bool
type AzureFilePersistentVolumeSource
  readOnly bool, secretName! string, secretNamespace string, shareName! string
type AzureFileVolumeSource
  readOnly bool, secretName! string, shareName! string
type CSIPersistentVolumeSource
  controllerExpandSecretRef SecretReference, controllerPublishSecretRef SecretReference
  driver! string, fsType string, nodeExpandSecretRef SecretReference
  nodePublishSecretRef SecretReference, nodeStageSecretRef SecretReference, readOnly bool
  volumeAttributes {}string, volumeHandle! string
type CSIVolumeSource
  driver! string, fsType string, nodePublishSecretRef LocalObjectReference, readOnly bool
  volumeAttributes {}string
type CephFSPersistentVolumeSource
  monitors! []string, path string, readOnly bool, secretFile string, secretRef SecretReference
  user string
type CephFSVolumeSource
  monitors! []string, path string, readOnly bool, secretFile string
  secretRef LocalObjectReference, user string
type CinderPersistentVolumeSource
  fsType string, readOnly bool, secretRef SecretReference, volumeID! string
type CinderVolumeSource
  fsType string, readOnly bool, secretRef LocalObjectReference, volumeID! string
type ClusterTrustBundleProjection
  labelSelector meta.LabelSelector, name string, optional bool, path! string, signerName string
type ConfigMapProjection
  items []KeyToPath, name string, optional bool
type ConfigMapVolumeSource
  defaultMode int, items []KeyToPath, name string, optional bool
type DownwardAPIProjection
  items []DownwardAPIVolumeFile
type DownwardAPIVolumeFile
  fieldRef ObjectFieldSelector, mode int, path! string, resourceFieldRef ResourceFieldSelector
type DownwardAPIVolumeSource
  defaultMode int, items []DownwardAPIVolumeFile
type EmptyDirVolumeSource
  medium string, sizeLimit quantity
type EphemeralVolumeSource
  volumeClaimTemplate PersistentVolumeClaimTemplate
type FCVolumeSource
  fsType string, lun int, readOnly bool, targetWWNs []string, wwids []string
type FlexPersistentVolumeSource
  driver! string, fsType string, options {}string, readOnly bool, secretRef SecretReference
type FlexVolumeSource
  driver! string, fsType string, options {}string, readOnly bool, secretRef LocalObjectReference
type FlockerVolumeSource
  datasetName string, datasetUUID string
type GCEPersistentDiskVolumeSource
  fsType string, partition int, pdName! string, readOnly bool
type GitRepoVolumeSource
  directory string, repository! string, revision string
type GlusterfsPersistentVolumeSource
  endpoints! string, endpointsNamespace string, path! string, readOnly bool
type GlusterfsVolumeSource
  endpoints! string, path! string, readOnly bool
type HostPathVolumeSource
  path! string, type string
type ISCSIPersistentVolumeSource
  chapAuthDiscovery bool, chapAuthSession bool, fsType string, initiatorName string, iqn! string
  iscsiInterface string, lun! int, portals []string, readOnly bool, secretRef SecretReference
  targetPortal! string
type ISCSIVolumeSource
  chapAuthDiscovery bool, chapAuthSession bool, fsType string, initiatorName string, iqn! string
  iscsiInterface string, lun! int, portals []string, readOnly bool, secretRef LocalObjectReference
  targetPortal! string
type ImageVolumeSource
  pullPolicy string, reference string
type KeyToPath
  key! string, mode int, path! string
type LocalVolumeSource
  fsType string, path! string
type ModifyVolumeStatus
  status! string, targetVolumeAttributesClassName string
type NFSVolumeSource
  path! string, readOnly bool, server! string
kind PersistentVolume: A piece of storage.
  spec PersistentVolumeSpec: Desired state of the volume.
  status PersistentVolumeStatus: Observed status of the volume.
kind PersistentVolumeClaim: A request for storage.
  spec PersistentVolumeClaimSpec: The requested storage.
  status PersistentVolumeClaimStatus: The provided storage.
type PersistentVolumeClaimCondition
  lastProbeTime time, lastTransitionTime time, message string, reason string, status! string
  type! string
type PersistentVolumeClaimSpec: Requested storage.
  accessModes []string: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.
  dataSource TypedLocalObjectReference, dataSourceRef TypedObjectReference
  resources VolumeResourceRequirements: Requested size.
  selector meta.LabelSelector: Labels that the volume must have.
  storageClassName string: Required storage class.
  volumeAttributesClassName string
  volumeMode string: Filesystem or Block.
  volumeName string: Volume that the claim is bound to.
type PersistentVolumeClaimStatus: Observed status of a claim.
  accessModes []string, allocatedResourceStatuses {}string, allocatedResources {}quantity
  capacity {}quantity: Size of the volume.
  conditions []PersistentVolumeClaimCondition @merge:type, currentVolumeAttributesClassName string
  modifyVolumeStatus ModifyVolumeStatus
  phase string: Pending, Bound or Lost.
type PersistentVolumeClaimTemplate
  metadata meta.ObjectMeta, spec! PersistentVolumeClaimSpec
type PersistentVolumeClaimVolumeSource: A claim in the pod's namespace.
  claimName! string: Name of the claim.
  readOnly bool
type PersistentVolumeSpec: Desired state of a volume.
  accessModes []string: Ways in which the volume can be mounted.
  awsElasticBlockStore AWSElasticBlockStoreVolumeSource, azureDisk AzureDiskVolumeSource
  azureFile AzureFilePersistentVolumeSource
  capacity {}quantity: Size of the volume.
  cephfs CephFSPersistentVolumeSource, cinder CinderPersistentVolumeSource
  claimRef ObjectReference: Claim that the volume is bound to or reserved for.
  csi CSIPersistentVolumeSource: Storage of a CSI driver.
  fc FCVolumeSource, flexVolume FlexPersistentVolumeSource, flocker FlockerVolumeSource
  gcePersistentDisk GCEPersistentDiskVolumeSource, glusterfs GlusterfsPersistentVolumeSource
  hostPath HostPathVolumeSource: A directory of a node.
  iscsi ISCSIPersistentVolumeSource
  local LocalVolumeSource: A disk of a node; needs node affinity.
  mountOptions []string, nfs NFSVolumeSource
  nodeAffinity VolumeNodeAffinity: Nodes that can access the volume; its pods must run there.
  persistentVolumeReclaimPolicy string: Retain, Delete or Recycle: what happens to the volume when it is released from its claim.
  photonPersistentDisk PhotonPersistentDiskVolumeSource, portworxVolume PortworxVolumeSource
  quobyte QuobyteVolumeSource, rbd RBDPersistentVolumeSource
  scaleIO ScaleIOPersistentVolumeSource
  storageClassName string: Storage class of the volume.
  storageos StorageOSPersistentVolumeSource, volumeAttributesClassName string
  volumeMode string: Filesystem or Block.
  vsphereVolume VsphereVirtualDiskVolumeSource
type PersistentVolumeStatus: Observed status of a volume.
  lastPhaseTransitionTime time, message string
  phase string: Pending, Available, Bound, Released or Failed.
  reason string
type PhotonPersistentDiskVolumeSource
  fsType string, pdID! string
type PodCertificateProjection
  certificateChainPath string, credentialBundlePath string, keyPath string, keyType! string
  maxExpirationSeconds int, signerName! string, userAnnotations {}string
type PortworxVolumeSource
  fsType string, readOnly bool, volumeID! string
type ProjectedVolumeSource
  defaultMode int, sources []VolumeProjection
type QuobyteVolumeSource
  group string, readOnly bool, registry! string, tenant string, user string, volume! string
type RBDPersistentVolumeSource
  fsType string, image! string, keyring string, monitors! []string, pool string, readOnly bool
  secretRef SecretReference, user string
type RBDVolumeSource
  fsType string, image! string, keyring string, monitors! []string, pool string, readOnly bool
  secretRef LocalObjectReference, user string
type ScaleIOPersistentVolumeSource
  fsType string, gateway! string, protectionDomain string, readOnly bool
  secretRef! SecretReference, sslEnabled bool, storageMode string, storagePool string
  system! string, volumeName string
type ScaleIOVolumeSource
  fsType string, gateway! string, protectionDomain string, readOnly bool
  secretRef! LocalObjectReference, sslEnabled bool, storageMode string, storagePool string
  system! string, volumeName string
type SecretProjection
  items []KeyToPath, name string, optional bool
type SecretReference
  name string, namespace string
type SecretVolumeSource
  defaultMode int, items []KeyToPath, optional bool, secretName string
type ServiceAccountTokenProjection
  audience string, expirationSeconds long, path! string
type StorageOSPersistentVolumeSource
  fsType string, readOnly bool, secretRef ObjectReference, volumeName string
  volumeNamespace string
type StorageOSVolumeSource
  fsType string, readOnly bool, secretRef LocalObjectReference, volumeName string
  volumeNamespace string
type TopologySelectorLabelRequirement
  key! string, values! []string
type TopologySelectorTerm
  matchLabelExpressions []TopologySelectorLabelRequirement
type TypedLocalObjectReference
  apiGroup string, kind! string, name! string
type TypedObjectReference
  apiGroup string, kind! string, name! string, namespace string
type Volume: A directory that containers can mount; has exactly one source.
  awsElasticBlockStore AWSElasticBlockStoreVolumeSource, azureDisk AzureDiskVolumeSource
  azureFile AzureFileVolumeSource, cephfs CephFSVolumeSource, cinder CinderVolumeSource
  configMap ConfigMapVolumeSource: Files from a config map.
  csi CSIVolumeSource: Ephemeral storage of a CSI driver.
  downwardAPI DownwardAPIVolumeSource: Files with fields of the pod.
  emptyDir EmptyDirVolumeSource: Temporary directory, initially empty.
  ephemeral EphemeralVolumeSource: A claim that is created and deleted with the pod.
  fc FCVolumeSource, flexVolume FlexVolumeSource, flocker FlockerVolumeSource
  gcePersistentDisk GCEPersistentDiskVolumeSource, gitRepo GitRepoVolumeSource
  glusterfs GlusterfsVolumeSource
  hostPath HostPathVolumeSource: A directory of the node.
  image ImageVolumeSource: Files of an image.
  iscsi ISCSIVolumeSource
  name! string: Name, unique in the pod.
  nfs NFSVolumeSource: An NFS share.
  persistentVolumeClaim PersistentVolumeClaimVolumeSource: The volume of a claim in the same namespace.
  photonPersistentDisk PhotonPersistentDiskVolumeSource, portworxVolume PortworxVolumeSource
  projected ProjectedVolumeSource: Several sources in one directory.
  quobyte QuobyteVolumeSource, rbd RBDVolumeSource, scaleIO ScaleIOVolumeSource
  secret SecretVolumeSource: Files from a secret.
  storageos StorageOSVolumeSource, vsphereVolume VsphereVirtualDiskVolumeSource
type VolumeNodeAffinity: Nodes that can access a volume.
  required NodeSelector
type VolumeProjection
  clusterTrustBundle ClusterTrustBundleProjection, configMap ConfigMapProjection
  downwardAPI DownwardAPIProjection, podCertificate PodCertificateProjection
  secret SecretProjection, serviceAccountToken ServiceAccountTokenProjection
type VolumeResourceRequirements
  limits {}quantity, requests {}quantity
type VsphereVirtualDiskVolumeSource
  fsType string, storagePolicyID string, storagePolicyName string, volumePath! string
)";
}

}  // namespace berth::api::scheme
