// The messages of all groups except pods and volumes; descriptor_tables.h explains the format.
#include "api/protobuf/descriptor_tables.h"

namespace berth::api::protobuf {

// meta/v1, which all groups use.
const DescriptorTable kProtobufMeta = {"meta", R"(
DeleteOptions: 1 gracePeriodSeconds *int; 2 preconditions *Preconditions;
  3 orphanDependents *bool; 4 propagationPolicy *string; 5 dryRun []string;
  6 ignoreStoreReadErrorWithClusterBreakingPotential *bool
Preconditions: 1 uid *string; 2 resourceVersion *string
Status: 1 metadata ListMeta; 2 status; 3 message; 4 reason; 5 details *StatusDetails; 6 code int
ListMeta: 1 selfLink; 2 resourceVersion; 3 continue; 4 remainingItemCount *int;
  5 shardInfo *ShardInfo
ShardInfo: 1 selector
StatusDetails: 1 name; 2 group; 3 kind; 4 causes []StatusCause; 5 retryAfterSeconds int; 6 uid
StatusCause: 1 reason; 2 message; 3 field
ObjectMeta: 1 name; 2 generateName; 3 namespace; 4 selfLink; 5 uid; 6 resourceVersion;
  7 generation int; 8 creationTimestamp Time; 9 deletionTimestamp *Time;
  10 deletionGracePeriodSeconds *int; 11 labels {}string; 12 annotations {}string;
  13 ownerReferences []OwnerReference; 14 finalizers []string;
  17 managedFields []ManagedFieldsEntry
OwnerReference: 1 kind; 3 name; 4 uid; 5 apiVersion; 6 controller *bool;
  7 blockOwnerDeletion *bool
ManagedFieldsEntry: 1 manager; 2 operation; 3 apiVersion; 4 time *Time; 6 fieldsType;
  7 fieldsV1 *RawExtension; 8 subresource
Condition: 1 type; 2 status; 3 observedGeneration int; 4 lastTransitionTime Time; 5 reason;
  6 message
LabelSelector: 1 matchLabels {}string; 2 matchExpressions []LabelSelectorRequirement
LabelSelectorRequirement: 1 key; 2 operator; 3 values []string
FieldSelectorRequirement: 1 key; 2 operator; 3 values []string
)"};

// core/v1 except pods and volumes.
const DescriptorTable kProtobufCore = {"core", R"(
Node: 1 metadata ObjectMeta; 2 spec NodeSpec; 3 status NodeStatus
NodeSpec: 1 podCIDR; 2 externalID; 3 providerID; 4 unschedulable bool; 5 taints []Taint;
  6 configSource *NodeConfigSource; 7 podCIDRs []string
Taint: 1 key; 2 value; 3 effect; 4 timeAdded *Time
NodeConfigSource: 2 configMap *ConfigMapNodeConfigSource
ConfigMapNodeConfigSource: 1 namespace; 2 name; 3 uid; 4 resourceVersion; 5 kubeletConfigKey
NodeStatus: 1 capacity {}Quantity; 2 allocatable {}Quantity; 3 phase;
  4 conditions []NodeCondition; 5 addresses []NodeAddress; 6 daemonEndpoints NodeDaemonEndpoints;
  7 nodeInfo NodeSystemInfo; 8 images []ContainerImage; 9 volumesInUse []string;
  10 volumesAttached []AttachedVolume; 11 config *NodeConfigStatus;
  12 runtimeHandlers []NodeRuntimeHandler; 13 features *NodeFeatures; 14 declaredFeatures []string
NodeCondition: 1 type; 2 status; 3 lastHeartbeatTime Time; 4 lastTransitionTime Time; 5 reason;
  6 message
NodeAddress: 1 type; 2 address
NodeDaemonEndpoints: 1 kubeletEndpoint DaemonEndpoint
DaemonEndpoint: 1 Port *int
NodeSystemInfo: 1 machineID; 2 systemUUID; 3 bootID; 4 kernelVersion; 5 osImage;
  6 containerRuntimeVersion; 7 kubeletVersion; 8 kubeProxyVersion; 9 operatingSystem;
  10 architecture; 11 swap *NodeSwapStatus
NodeSwapStatus: 1 capacity *int
ContainerImage: 1 names []string; 2 sizeBytes int
AttachedVolume: 1 name; 2 devicePath
NodeConfigStatus: 1 assigned *NodeConfigSource; 2 active *NodeConfigSource;
  3 lastKnownGood *NodeConfigSource; 4 error
NodeRuntimeHandler: 1 name; 2 features *NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures: 1 recursiveReadOnlyMounts *bool; 2 userNamespaces *bool
NodeFeatures: 1 supplementalGroupsPolicy *bool
Namespace: 1 metadata ObjectMeta; 2 spec NamespaceSpec; 3 status NamespaceStatus
NamespaceSpec: 1 finalizers []string
NamespaceStatus: 1 phase; 2 conditions []NamespaceCondition
NamespaceCondition: 1 type; 2 status; 4 lastTransitionTime Time; 5 reason; 6 message
Service: 1 metadata ObjectMeta; 2 spec ServiceSpec; 3 status ServiceStatus
ServiceSpec: 1 ports []ServicePort; 2 selector {}string; 3 clusterIP; 4 type;
  5 externalIPs []string; 7 sessionAffinity; 8 loadBalancerIP;
  9 loadBalancerSourceRanges []string; 10 externalName; 11 externalTrafficPolicy;
  12 healthCheckNodePort int; 13 publishNotReadyAddresses bool;
  14 sessionAffinityConfig *SessionAffinityConfig; 17 ipFamilyPolicy *string;
  18 clusterIPs []string; 19 ipFamilies []string; 20 allocateLoadBalancerNodePorts *bool;
  21 loadBalancerClass *string; 22 internalTrafficPolicy *string; 23 trafficDistribution *string
ServicePort: 1 name; 2 protocol; 3 port *int; 4 targetPort IntOrString; 5 nodePort int;
  6 appProtocol *string
SessionAffinityConfig: 1 clientIP *ClientIPConfig
ClientIPConfig: 1 timeoutSeconds *int
ServiceStatus: 1 loadBalancer LoadBalancerStatus; 2 conditions []Condition
LoadBalancerStatus: 1 ingress []LoadBalancerIngress
LoadBalancerIngress: 1 ip; 2 hostname; 3 ipMode *string; 4 ports []PortStatus
PortStatus: 1 port *int; 2 protocol; 3 error *string
ConfigMap: 1 metadata ObjectMeta; 2 data {}string; 3 binaryData {}bytes; 4 immutable *bool
Secret: 1 metadata ObjectMeta; 2 data {}bytes; 3 type; 4 stringData {}string; 5 immutable *bool
ServiceAccount: 1 metadata ObjectMeta; 2 secrets []ObjectReference;
  3 imagePullSecrets []LocalObjectReference; 4 automountServiceAccountToken *bool
ReplicationController: 1 metadata ObjectMeta; 2 spec ReplicationControllerSpec;
  3 status ReplicationControllerStatus
ReplicationControllerSpec: 1 replicas *int; 2 selector {}string; 3 template *PodTemplateSpec;
  4 minReadySeconds int
ReplicationControllerStatus: 1 replicas *int; 2 fullyLabeledReplicas int;
  3 observedGeneration int; 4 readyReplicas int; 5 availableReplicas int;
  6 conditions []ReplicationControllerCondition
ReplicationControllerCondition: 1 type; 2 status; 3 lastTransitionTime Time; 4 reason; 5 message
Event: 1 metadata ObjectMeta; 2 involvedObject ObjectReference; 3 reason; 4 message;
  5 source EventSource; 6 firstTimestamp Time; 7 lastTimestamp Time; 8 count int; 9 type;
  10 eventTime MicroTime; 11 series *EventSeries; 12 action; 13 related *ObjectReference;
  14 reportingComponent; 15 reportingInstance
EventSource: 1 component; 2 host
EventSeries: 1 count int; 2 lastObservedTime MicroTime
Binding: 1 metadata ObjectMeta; 2 target ObjectReference
ResourceQuota: 1 metadata ObjectMeta; 2 spec ResourceQuotaSpec; 3 status ResourceQuotaStatus
ResourceQuotaSpec: 1 hard {}Quantity; 2 scopes []string; 3 scopeSelector *ScopeSelector
ScopeSelector: 1 matchExpressions []ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement: 1 scopeName; 2 operator; 3 values []string
ResourceQuotaStatus: 1 hard {}Quantity; 2 used {}Quantity
LimitRange: 1 metadata ObjectMeta; 2 spec LimitRangeSpec
LimitRangeSpec: 1 limits []LimitRangeItem
LimitRangeItem: 1 type; 2 max {}Quantity; 3 min {}Quantity; 4 default {}Quantity;
  5 defaultRequest {}Quantity; 6 maxLimitRequestRatio {}Quantity
PodTemplate: 1 metadata ObjectMeta; 2 template PodTemplateSpec
Endpoints: 1 metadata ObjectMeta; 2 subsets []EndpointSubset
EndpointSubset: 1 addresses []EndpointAddress; 2 notReadyAddresses []EndpointAddress;
  3 ports []EndpointPort
EndpointAddress: 1 ip; 2 targetRef *ObjectReference; 3 hostname; 4 nodeName *string
EndpointPort: 1 name; 2 port *int; 3 protocol; 4 appProtocol *string
)"};

// apps/v1 and batch/v1.
const DescriptorTable kProtobufApps = {"apps", R"(
Deployment: 1 metadata ObjectMeta; 2 spec DeploymentSpec; 3 status DeploymentStatus
DeploymentSpec: 1 replicas *int; 2 selector *LabelSelector; 3 template core.PodTemplateSpec;
  4 strategy DeploymentStrategy; 5 minReadySeconds int; 6 revisionHistoryLimit *int;
  7 paused bool; 9 progressDeadlineSeconds *int
DeploymentStrategy: 1 type; 2 rollingUpdate *RollingUpdateDeployment
RollingUpdateDeployment: 1 maxUnavailable *IntOrString; 2 maxSurge *IntOrString
DeploymentStatus: 1 observedGeneration int; 2 replicas int; 3 updatedReplicas int;
  4 availableReplicas int; 5 unavailableReplicas int; 6 conditions []DeploymentCondition;
  7 readyReplicas int; 8 collisionCount *int; 9 terminatingReplicas *int
DeploymentCondition: 1 type; 2 status; 4 reason; 5 message; 6 lastUpdateTime Time;
  7 lastTransitionTime Time
ReplicaSet: 1 metadata ObjectMeta; 2 spec ReplicaSetSpec; 3 status ReplicaSetStatus
ReplicaSetSpec: 1 replicas *int; 2 selector *LabelSelector; 3 template core.PodTemplateSpec;
  4 minReadySeconds int
ReplicaSetStatus: 1 replicas *int; 2 fullyLabeledReplicas int; 3 observedGeneration int;
  4 readyReplicas int; 5 availableReplicas int; 6 conditions []ReplicaSetCondition;
  7 terminatingReplicas *int
ReplicaSetCondition: 1 type; 2 status; 3 lastTransitionTime Time; 4 reason; 5 message
StatefulSet: 1 metadata ObjectMeta; 2 spec StatefulSetSpec; 3 status StatefulSetStatus
StatefulSetSpec: 1 replicas *int; 2 selector *LabelSelector; 3 template core.PodTemplateSpec;
  4 volumeClaimTemplates []core.PersistentVolumeClaim; 5 serviceName; 6 podManagementPolicy;
  7 updateStrategy StatefulSetUpdateStrategy; 8 revisionHistoryLimit *int; 9 minReadySeconds int;
  10 persistentVolumeClaimRetentionPolicy *StatefulSetPersistentVolumeClaimRetentionPolicy;
  11 ordinals *StatefulSetOrdinals
StatefulSetUpdateStrategy: 1 type; 2 rollingUpdate *RollingUpdateStatefulSetStrategy
RollingUpdateStatefulSetStrategy: 1 partition *int; 2 maxUnavailable *IntOrString
StatefulSetPersistentVolumeClaimRetentionPolicy: 1 whenDeleted; 2 whenScaled
StatefulSetOrdinals: 1 start *int
StatefulSetStatus: 1 observedGeneration int; 2 replicas *int; 3 readyReplicas int;
  4 currentReplicas int; 5 updatedReplicas int; 6 currentRevision; 7 updateRevision;
  9 collisionCount *int; 10 conditions []StatefulSetCondition; 11 availableReplicas *int
StatefulSetCondition: 1 type; 2 status; 3 lastTransitionTime Time; 4 reason; 5 message
DaemonSet: 1 metadata ObjectMeta; 2 spec DaemonSetSpec; 3 status DaemonSetStatus
DaemonSetSpec: 1 selector *LabelSelector; 2 template core.PodTemplateSpec;
  3 updateStrategy DaemonSetUpdateStrategy; 4 minReadySeconds int; 6 revisionHistoryLimit *int
DaemonSetUpdateStrategy: 1 type; 2 rollingUpdate *RollingUpdateDaemonSet
RollingUpdateDaemonSet: 1 maxUnavailable *IntOrString; 2 maxSurge *IntOrString
DaemonSetStatus: 1 currentNumberScheduled *int; 2 numberMisscheduled *int;
  3 desiredNumberScheduled *int; 4 numberReady *int; 5 observedGeneration int;
  6 updatedNumberScheduled int; 7 numberAvailable int; 8 numberUnavailable int;
  9 collisionCount *int; 10 conditions []DaemonSetCondition
DaemonSetCondition: 1 type; 2 status; 3 lastTransitionTime Time; 4 reason; 5 message
ControllerRevision: 1 metadata ObjectMeta; 2 data RawExtension; 3 revision *int
)"};

const DescriptorTable kProtobufBatch = {"batch", R"(
Job: 1 metadata ObjectMeta; 2 spec JobSpec; 3 status JobStatus
JobSpec: 1 parallelism *int; 2 completions *int; 3 activeDeadlineSeconds *int;
  4 selector *LabelSelector; 5 manualSelector *bool; 6 template core.PodTemplateSpec;
  7 backoffLimit *int; 8 ttlSecondsAfterFinished *int; 9 completionMode *string; 10 suspend *bool;
  11 podFailurePolicy *PodFailurePolicy; 12 backoffLimitPerIndex *int; 13 maxFailedIndexes *int;
  14 podReplacementPolicy *string; 15 managedBy *string; 16 successPolicy *SuccessPolicy
PodFailurePolicy: 1 rules []PodFailurePolicyRule
PodFailurePolicyRule: 1 action; 2 onExitCodes *PodFailurePolicyOnExitCodesRequirement;
  3 onPodConditions []PodFailurePolicyOnPodConditionsPattern
PodFailurePolicyOnExitCodesRequirement: 1 containerName *string; 2 operator; 3 values []int
PodFailurePolicyOnPodConditionsPattern: 1 type; 2 status
SuccessPolicy: 1 rules []SuccessPolicyRule
SuccessPolicyRule: 1 succeededIndexes *string; 2 succeededCount *int
JobStatus: 1 conditions []JobCondition; 2 startTime *Time; 3 completionTime *Time; 4 active int;
  5 succeeded int; 6 failed int; 7 completedIndexes;
  8 uncountedTerminatedPods *UncountedTerminatedPods; 9 ready *int; 10 failedIndexes *string;
  11 terminating *int
JobCondition: 1 type; 2 status; 3 lastProbeTime Time; 4 lastTransitionTime Time; 5 reason;
  6 message
UncountedTerminatedPods: 1 succeeded []string; 2 failed []string
CronJob: 1 metadata ObjectMeta; 2 spec CronJobSpec; 3 status CronJobStatus
CronJobSpec: 1 schedule; 2 startingDeadlineSeconds *int; 3 concurrencyPolicy; 4 suspend *bool;
  5 jobTemplate JobTemplateSpec; 6 successfulJobsHistoryLimit *int; 7 failedJobsHistoryLimit *int;
  8 timeZone *string
JobTemplateSpec: 1 metadata ObjectMeta; 2 spec JobSpec
CronJobStatus: 1 active []core.ObjectReference; 4 lastScheduleTime *Time;
  5 lastSuccessfulTime *Time
)"};

// Groups with few kinds.
const DescriptorTable kProtobufPolicy = {"policy", R"(
PodDisruptionBudget: 1 metadata ObjectMeta; 2 spec PodDisruptionBudgetSpec;
  3 status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: 1 minAvailable *IntOrString; 2 selector *LabelSelector;
  3 maxUnavailable *IntOrString; 4 unhealthyPodEvictionPolicy *string
PodDisruptionBudgetStatus: 1 observedGeneration int; 2 disruptedPods {}Time;
  3 disruptionsAllowed *int; 4 currentHealthy *int; 5 desiredHealthy *int; 6 expectedPods *int;
  7 conditions []Condition
Eviction: 1 metadata ObjectMeta; 2 deleteOptions *DeleteOptions
)"};

const DescriptorTable kProtobufScheduling = {"scheduling", R"(
PriorityClass: 1 metadata ObjectMeta; 2 value *int; 3 globalDefault bool; 4 description;
  5 preemptionPolicy *string
)"};

const DescriptorTable kProtobufCoordination = {"coordination", R"(
Lease: 1 metadata ObjectMeta; 2 spec LeaseSpec
LeaseSpec: 1 holderIdentity *string; 2 leaseDurationSeconds *int; 3 acquireTime *MicroTime;
  4 renewTime *MicroTime; 5 leaseTransitions *int; 6 strategy *string; 7 preferredHolder *string
LeaseCandidate: 1 metadata ObjectMeta; 2 spec LeaseCandidateSpec
LeaseCandidateSpec: 1 leaseName; 2 pingTime *MicroTime; 3 renewTime *MicroTime; 4 binaryVersion;
  5 emulationVersion; 6 strategy
)"};

const DescriptorTable kProtobufEvents = {"events", R"(
Event: 1 metadata ObjectMeta; 2 eventTime MicroTime; 3 series *EventSeries; 4 reportingController;
  5 reportingInstance; 6 action; 7 reason; 8 regarding core.ObjectReference;
  9 related *core.ObjectReference; 10 note; 11 type; 12 deprecatedSource core.EventSource;
  13 deprecatedFirstTimestamp Time; 14 deprecatedLastTimestamp Time; 15 deprecatedCount int
EventSeries: 1 count *int; 2 lastObservedTime MicroTime
)"};

const DescriptorTable kProtobufAutoscaling = {"autoscaling", R"(
Scale: 1 metadata ObjectMeta; 2 spec ScaleSpec; 3 status ScaleStatus
ScaleSpec: 1 replicas *int
ScaleStatus: 1 replicas *int; 2 selector
)"};

// storage.k8s.io/v1.
const DescriptorTable kProtobufStorage = {"storage", R"(
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

// resource.k8s.io/v1.
const DescriptorTable kProtobufResource = {"resource", R"(
ResourceClaim: 1 metadata ObjectMeta; 2 spec ResourceClaimSpec; 3 status ResourceClaimStatus
ResourceClaimSpec: 1 devices DeviceClaim
DeviceClaim: 1 requests []DeviceRequest; 2 constraints []DeviceConstraint;
  3 config []DeviceClaimConfiguration
DeviceRequest: 1 name; 2 exactly *ExactDeviceRequest; 3 firstAvailable []DeviceSubRequest
ExactDeviceRequest: 1 deviceClassName; 2 selectors []DeviceSelector; 3 allocationMode;
  4 count int; 5 adminAccess *bool; 6 tolerations []DeviceToleration;
  7 capacity *CapacityRequirements
DeviceSelector: 1 cel *CELDeviceSelector
CELDeviceSelector: 1 expression
DeviceToleration: 1 key; 2 operator; 3 value; 4 effect; 5 tolerationSeconds *int
CapacityRequirements: 1 requests {}Quantity
DeviceSubRequest: 1 name; 2 deviceClassName; 3 selectors []DeviceSelector; 4 allocationMode;
  5 count int; 6 tolerations []DeviceToleration; 7 capacity *CapacityRequirements
DeviceConstraint: 1 requests []string; 2 matchAttribute *string; 3 distinctAttribute *string
DeviceClaimConfiguration: 1 requests []string; 2 = DeviceConfiguration
DeviceConfiguration: 1 opaque *OpaqueDeviceConfiguration
OpaqueDeviceConfiguration: 1 driver; 2 parameters RawExtension
ResourceClaimStatus: 1 allocation *AllocationResult;
  2 reservedFor []ResourceClaimConsumerReference; 4 devices []AllocatedDeviceStatus
AllocationResult: 1 devices DeviceAllocationResult; 3 nodeSelector *core.NodeSelector;
  5 allocationTimestamp *Time
DeviceAllocationResult: 1 results []DeviceRequestAllocationResult;
  2 config []DeviceAllocationConfiguration
DeviceRequestAllocationResult: 1 request; 2 driver; 3 pool; 4 device; 5 adminAccess *bool;
  6 tolerations []DeviceToleration; 7 bindingConditions []string;
  8 bindingFailureConditions []string; 9 shareID *string; 10 consumedCapacity {}Quantity
DeviceAllocationConfiguration: 1 source; 2 requests []string; 3 = DeviceConfiguration
ResourceClaimConsumerReference: 1 apiGroup; 3 resource; 4 name; 5 uid
AllocatedDeviceStatus: 1 driver; 2 pool; 3 device; 4 conditions []Condition; 5 data *RawExtension;
  6 networkData *NetworkDeviceData; 7 shareID *string
NetworkDeviceData: 1 interfaceName; 2 ips []string; 3 hardwareAddress
ResourceClaimTemplate: 1 metadata ObjectMeta; 2 spec ResourceClaimTemplateSpec
ResourceClaimTemplateSpec: 1 metadata ObjectMeta; 2 spec ResourceClaimSpec
DeviceClass: 1 metadata ObjectMeta; 2 spec DeviceClassSpec
DeviceClassSpec: 1 selectors []DeviceSelector; 2 config []DeviceClassConfiguration;
  4 extendedResourceName *string
DeviceClassConfiguration: 1 = DeviceConfiguration
ResourceSlice: 1 metadata ObjectMeta; 2 spec ResourceSliceSpec
ResourceSliceSpec: 1 driver; 2 pool ResourcePool; 3 nodeName *string;
  4 nodeSelector *core.NodeSelector; 5 allNodes *bool; 6 devices []Device;
  7 perDeviceNodeSelection *bool; 8 sharedCounters []CounterSet
ResourcePool: 1 name; 2 generation *int; 3 resourceSliceCount *int
Device: 1 name; 2 attributes {}DeviceAttribute; 3 capacity {}DeviceCapacity;
  4 consumesCounters []DeviceCounterConsumption; 5 nodeName *string;
  6 nodeSelector *core.NodeSelector; 7 allNodes *bool; 8 taints []DeviceTaint;
  9 bindsToNode *bool; 10 bindingConditions []string; 11 bindingFailureConditions []string;
  12 allowMultipleAllocations *bool;
  13 nodeAllocatableResourceMappings {}NodeAllocatableResourceMapping
DeviceAttribute: 2 int *int; 3 bool *bool; 4 string *string; 5 version *string; 6 ints []int;
  7 bools []bool; 8 strings []string; 9 versions []string
DeviceCapacity: 1 value Quantity; 2 requestPolicy *CapacityRequestPolicy
CapacityRequestPolicy: 1 default *Quantity; 3 validValues []Quantity;
  4 validRange *CapacityRequestPolicyRange
CapacityRequestPolicyRange: 1 min *Quantity; 2 max *Quantity; 3 step *Quantity
DeviceCounterConsumption: 1 counterSet; 2 counters {}Counter
Counter: 1 value Quantity
DeviceTaint: 1 key; 2 value; 3 effect; 4 timeAdded *Time
NodeAllocatableResourceMapping: 1 capacityKey *string; 2 allocationMultiplier *Quantity
CounterSet: 1 name; 2 counters {}Counter
)"};

// Authentication, authorization and RBAC.
const DescriptorTable kProtobufAuthentication = {"authentication", R"(
TokenReview: 1 metadata ObjectMeta; 2 spec TokenReviewSpec; 3 status TokenReviewStatus
TokenReviewSpec: 1 token; 2 audiences []string
TokenReviewStatus: 1 authenticated bool; 2 user UserInfo; 3 error; 4 audiences []string
UserInfo: 1 username; 2 uid; 3 groups []string; 4 extra {}strings
SelfSubjectReview: 1 metadata ObjectMeta; 2 status SelfSubjectReviewStatus
SelfSubjectReviewStatus: 1 userInfo UserInfo
TokenRequest: 1 metadata ObjectMeta; 2 spec TokenRequestSpec; 3 status TokenRequestStatus
TokenRequestSpec: 1 audiences []string; 3 boundObjectRef *BoundObjectReference;
  4 expirationSeconds *int
BoundObjectReference: 1 kind; 2 apiVersion; 3 name; 4 uid
TokenRequestStatus: 1 token; 2 expirationTimestamp Time
)"};

const DescriptorTable kProtobufAuthorization = {"authorization", R"(
SelfSubjectAccessReview: 1 metadata ObjectMeta; 2 spec SelfSubjectAccessReviewSpec;
  3 status SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec: 1 resourceAttributes *ResourceAttributes;
  2 nonResourceAttributes *NonResourceAttributes
ResourceAttributes: 1 namespace; 2 verb; 3 group; 4 version; 5 resource; 6 subresource; 7 name;
  8 fieldSelector *FieldSelectorAttributes; 9 labelSelector *LabelSelectorAttributes
FieldSelectorAttributes: 1 rawSelector; 2 requirements []FieldSelectorRequirement
LabelSelectorAttributes: 1 rawSelector; 2 requirements []LabelSelectorRequirement
NonResourceAttributes: 1 path; 2 verb
SubjectAccessReviewStatus: 1 allowed *bool; 2 reason; 3 evaluationError; 4 denied bool
SubjectAccessReview: 1 metadata ObjectMeta; 2 spec SubjectAccessReviewSpec;
  3 status SubjectAccessReviewStatus
SubjectAccessReviewSpec: 1 resourceAttributes *ResourceAttributes;
  2 nonResourceAttributes *NonResourceAttributes; 3 user; 4 groups []string; 5 extra {}strings;
  6 uid
LocalSubjectAccessReview: 1 metadata ObjectMeta; 2 spec SubjectAccessReviewSpec;
  3 status SubjectAccessReviewStatus
SelfSubjectRulesReview: 1 metadata ObjectMeta; 2 spec SelfSubjectRulesReviewSpec;
  3 status SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec: 1 namespace
SubjectRulesReviewStatus: 1 resourceRules []ResourceRule; 2 nonResourceRules []NonResourceRule;
  3 incomplete *bool; 4 evaluationError
ResourceRule: 1 verbs []string; 2 apiGroups []string; 3 resources []string;
  4 resourceNames []string
NonResourceRule: 1 verbs []string; 2 nonResourceURLs []string
)"};

const DescriptorTable kProtobufRbac = {"rbac", R"(
Role: 1 metadata ObjectMeta; 2 rules []PolicyRule
PolicyRule: 1 verbs []string; 2 apiGroups []string; 3 resources []string;
  4 resourceNames []string; 5 nonResourceURLs []string
RoleBinding: 1 metadata ObjectMeta; 2 subjects []Subject; 3 roleRef RoleRef
Subject: 1 kind; 2 apiGroup; 3 name; 4 namespace
RoleRef: 1 apiGroup; 2 kind; 3 name
ClusterRole: 1 metadata ObjectMeta; 2 rules []PolicyRule; 3 aggregationRule *AggregationRule
AggregationRule: 1 clusterRoleSelectors []LabelSelector
ClusterRoleBinding: 1 metadata ObjectMeta; 2 subjects []Subject; 3 roleRef RoleRef
)"};

}  // namespace berth::api::protobuf
