// The schemas of metadata, of the core group except pods and volumes, and of groups with few kinds;
// schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view MetaSchemas() {
  return R"(
package io.k8s.apimachinery.pkg.apis.meta.v1
type Condition: One aspect of an object's state.
  1 type! string, 2 status! string, 3 observedGeneration long, 4 lastTransitionTime! time
  5 reason! string, 6 message! string
type DeleteOptions: Options of a deletion.
  apiVersion string, kind string
  1 gracePeriodSeconds *long: Seconds before the object is deleted.
  2 preconditions *Preconditions, 3 orphanDependents *bool
  4 propagationPolicy *string: Background, Foreground or Orphan.
  5 dryRun []string, 6 ignoreStoreReadErrorWithClusterBreakingPotential *bool
type FieldSelectorRequirement
  1 key! string, 2 operator! string, 3 values []string
type LabelSelector: Selects objects by their labels; all requirements must match. An empty selector selects all objects.
  1 matchLabels {}string: Labels that must have exactly these values.
  2 matchExpressions []LabelSelectorRequirement: Requirements on labels.
type LabelSelectorRequirement: A requirement on one label.
  1 key! string: The label.
  2 operator! string: In, NotIn, Exists or DoesNotExist.
  3 values []string: Values for In and NotIn.
type ListMeta
  1 selfLink string, 2 resourceVersion string, 3 continue string, 4 remainingItemCount *long
  5 shardInfo *ShardInfo
type ManagedFieldsEntry
  1 manager string, 2 operation string, 3 apiVersion string, 4 time *time, 6 fieldsType string
  7 fieldsV1 *object, 8 subresource string
type ObjectMeta: Standard object's metadata.
  1 name string: Name, unique among objects of this kind in the namespace.
  2 generateName string: Prefix of the name that the server generates if no name is given.
  3 namespace string: Namespace of the object; empty for cluster-scoped kinds.
  4 selfLink string
  5 uid string: Unique identifier, never reused.
  6 resourceVersion string: Version of the object; a write with an older version is rejected.
  7 generation long: Sequence number of the desired state.
  8 creationTimestamp time: CreationTimestamp is a timestamp of the server: when it created the object.
  9 deletionTimestamp *time: When the object is to be deleted; set by the server on a graceful deletion.
  10 deletionGracePeriodSeconds *long: Seconds for a graceful termination.
  11 labels {}string: Keys and values that selectors match.
  12 annotations {}string: Arbitrary metadata that selectors ignore.
  13 ownerReferences []OwnerReference @merge:uid: Objects that own this one; it is deleted with them.
  14 finalizers []string @merge: Must be empty before the object is removed.
  17 managedFields []ManagedFieldsEntry: Which manager owns which fields, for server-side apply.
type OwnerReference: An object that owns another.
  1 kind! string, 3 name! string, 4 uid! string, 5 apiVersion! string
  6 controller *bool: The owner is the managing controller.
  7 blockOwnerDeletion *bool: A foreground deletion of the owner waits for this object.
type Preconditions
  1 uid *string, 2 resourceVersion *string
type ShardInfo
  1 selector! string
type Status: The result of a request that returns no object.
  apiVersion string, kind string, 1 metadata ListMeta, 2 status string, 3 message string
  4 reason string, 5 details *StatusDetails, 6 code int
type StatusCause
  1 reason string, 2 message string, 3 field string
type StatusDetails
  1 name string, 2 group string, 3 kind string, 4 causes []StatusCause, 5 retryAfterSeconds int
  6 uid string
)";
}

std::string_view CoreSchemas() {
  return R"(
package io.k8s.api.core.v1
type AttachedVolume
  1 name! string, 2 devicePath! string
kind Binding: Assigns a pod to a node.
  2 target! ObjectReference: The node.
type ClientIPConfig
  1 timeoutSeconds *int
type ComponentCondition
  1 type! string, 2 status! string, 3 message string, 4 error string
kind ComponentStatus: Health of a component of the control plane.
  2 conditions []ComponentCondition @merge:type
kind ConfigMap: Configuration data for pods.
  2 data {}string: Entries.
  3 binaryData {}bytes: Binary entries.
  4 immutable *bool: Entries cannot be changed.
type ConfigMapNodeConfigSource
  1 namespace! string, 2 name! string, 3 uid string, 4 resourceVersion string
  5 kubeletConfigKey! string
type ContainerImage: An image on a node.
  1 names []string: Names of the image.
  2 sizeBytes long: Its size.
type DaemonEndpoint
  1 Port! int
type EndpointAddress
  1 ip! string, 2 targetRef *ObjectReference, 3 hostname string, 4 nodeName *string
type EndpointPort
  1 name string, 2 port! int, 3 protocol string, 4 appProtocol *string
type EndpointSubset
  1 addresses []EndpointAddress, 2 notReadyAddresses []EndpointAddress, 3 ports []EndpointPort
kind Endpoints: Addresses of the pods of a service.
  2 subsets []EndpointSubset
kind Event: Something that happened to an object.
  2 involvedObject! ObjectReference: Object that the event is about.
  3 reason string: Reason, in CamelCase.
  4 message string: What happened.
  5 source EventSource: Component that reported the event, in older events.
  6 firstTimestamp time: Time of the first occurrence, in older events.
  7 lastTimestamp time: Time of the last occurrence, in older events.
  8 count int: Number of occurrences.
  9 type string: Normal or Warning.
  10 eventTime microTime: Time of the first occurrence.
  11 series *EventSeries: Count and last time of a repeated event.
  12 action string: Action that was taken or failed.
  13 related *ObjectReference: Secondary object.
  14 reportingComponent string: Controller that reported the event.
  15 reportingInstance string: Instance of the controller.
type EventSeries: A series of equal events.
  1 count int: Number of occurrences.
  2 lastObservedTime microTime: Time of the last occurrence.
type EventSource
  1 component string, 2 host string
kind LimitRange: Bounds and defaults for resources in a namespace.
  2 spec LimitRangeSpec
type LimitRangeItem
  1 type! string, 2 max {}quantity, 3 min {}quantity, 4 default {}quantity
  5 defaultRequest {}quantity, 6 maxLimitRequestRatio {}quantity
type LimitRangeSpec
  1 limits! []LimitRangeItem
type LoadBalancerIngress
  1 ip string, 2 hostname string, 3 ipMode *string, 4 ports []PortStatus
type LoadBalancerStatus
  1 ingress []LoadBalancerIngress
kind Namespace: A scope for names.
  2 spec NamespaceSpec, 3 status NamespaceStatus
type NamespaceCondition
  1 type! string, 2 status! string, 4 lastTransitionTime time, 5 reason string, 6 message string
type NamespaceSpec: Desired state of a namespace.
  1 finalizers []string: Must be empty before the namespace is removed.
type NamespaceStatus: Observed status of a namespace.
  1 phase string: Active or Terminating.
  2 conditions []NamespaceCondition @merge:type
kind Node: A machine that pods run on.
  2 spec NodeSpec: Desired state of the node.
  3 status NodeStatus: Observed status of the node.
type NodeAddress
  1 type! string, 2 address! string
type NodeCondition: One aspect of a node's state.
  1 type! string: Ready, MemoryPressure, DiskPressure, PIDPressure or another.
  2 status! string: True, False or Unknown.
  3 lastHeartbeatTime time, 4 lastTransitionTime time, 5 reason string, 6 message string
type NodeConfigSource
  2 configMap *ConfigMapNodeConfigSource
type NodeConfigStatus
  1 assigned *NodeConfigSource, 2 active *NodeConfigSource, 3 lastKnownGood *NodeConfigSource
  4 error string
type NodeDaemonEndpoints
  1 kubeletEndpoint DaemonEndpoint
type NodeFeatures
  1 supplementalGroupsPolicy *bool
type NodeRuntimeHandler
  1 name string, 2 features *NodeRuntimeHandlerFeatures
type NodeRuntimeHandlerFeatures
  1 recursiveReadOnlyMounts *bool, 2 userNamespaces *bool
type NodeSpec: Desired state of a node.
  1 podCIDR string: IP range of the node's pods.
  2 externalID string
  3 providerID string: ID of the node at the cloud provider.
  4 unschedulable bool: No new pods are scheduled here; set by kubectl cordon.
  5 taints []Taint: Repel pods that do not tolerate them.
  6 configSource *NodeConfigSource
  7 podCIDRs []string @merge: IP ranges of the node's pods, one per IP family.
type NodeStatus: Observed status of a node.
  1 capacity {}quantity: Total resources of the node.
  2 allocatable {}quantity: Resources available to pods.
  3 phase string
  4 conditions []NodeCondition @merge:type: Ready, MemoryPressure, DiskPressure, PIDPressure and others.
  5 addresses []NodeAddress @merge:type: Addresses of the node.
  6 daemonEndpoints NodeDaemonEndpoints
  7 nodeInfo NodeSystemInfo: Versions and IDs of the node.
  8 images []ContainerImage: Images on the node.
  9 volumesInUse []string: Volumes in use by its pods.
  10 volumesAttached []AttachedVolume: Volumes attached to the node.
  11 config *NodeConfigStatus, 12 runtimeHandlers []NodeRuntimeHandler, 13 features *NodeFeatures
  14 declaredFeatures []string
type NodeSwapStatus
  1 capacity *long
type NodeSystemInfo
  1 machineID! string, 2 systemUUID! string, 3 bootID! string, 4 kernelVersion! string
  5 osImage! string, 6 containerRuntimeVersion! string, 7 kubeletVersion! string
  8 kubeProxyVersion! string, 9 operatingSystem! string, 10 architecture! string
  11 swap *NodeSwapStatus
type ObjectReference: Reference to an object.
  1 kind string, 2 namespace string, 3 name string, 4 uid string, 5 apiVersion string
  6 resourceVersion string, 7 fieldPath string
kind PodTemplate: A template of pods, as an object.
  2 template PodTemplateSpec
type PortStatus
  1 port! int, 2 protocol! string, 3 error *string
kind ReplicationController: Maintains a number of equal pods; predecessor of ReplicaSet.
  2 spec ReplicationControllerSpec, 3 status ReplicationControllerStatus
type ReplicationControllerCondition
  1 type! string, 2 status! string, 3 lastTransitionTime time, 4 reason string, 5 message string
type ReplicationControllerSpec
  1 replicas *int, 2 selector {}string, 3 template *PodTemplateSpec, 4 minReadySeconds int
type ReplicationControllerStatus
  1 replicas! int, 2 fullyLabeledReplicas int, 3 observedGeneration long, 4 readyReplicas int
  5 availableReplicas int, 6 conditions []ReplicationControllerCondition @merge:type
kind ResourceQuota: Limits on the total resources of a namespace.
  2 spec ResourceQuotaSpec, 3 status ResourceQuotaStatus
type ResourceQuotaSpec
  1 hard {}quantity, 2 scopes []string, 3 scopeSelector *ScopeSelector
type ResourceQuotaStatus
  1 hard {}quantity, 2 used {}quantity
type ScopeSelector
  1 matchExpressions []ScopedResourceSelectorRequirement
type ScopedResourceSelectorRequirement
  1 scopeName! string, 2 operator! string, 3 values []string
kind Secret: Confidential data for pods.
  2 data {}bytes: Entries, encoded in base64.
  3 type string: Purpose of the secret.
  4 stringData {}string: Entries as plain text; write only.
  5 immutable *bool
kind Service: A stable address for a set of pods.
  2 spec ServiceSpec: Desired behavior of the service.
  3 status ServiceStatus: Observed status of the service.
kind ServiceAccount: Identity of pods towards the API.
  2 secrets []ObjectReference @merge:name, 3 imagePullSecrets []LocalObjectReference
  4 automountServiceAccountToken *bool
type ServicePort: A port of a service.
  1 name string
  2 protocol string: TCP, UDP or SCTP.
  3 port! int: Port of the service.
  4 targetPort intOrString: Port of the pods, by number or name.
  5 nodePort int: Port on every node.
  6 appProtocol *string
type ServiceSpec: Desired behavior of a service.
  1 ports []ServicePort @merge:port: Ports of the service.
  2 selector {}string: Labels of its pods.
  3 clusterIP string: Address within the cluster; None for a headless service.
  4 type string: ClusterIP, NodePort, LoadBalancer or ExternalName.
  5 externalIPs []string: Additional addresses at which nodes accept traffic.
  7 sessionAffinity string: None or ClientIP.
  8 loadBalancerIP string, 9 loadBalancerSourceRanges []string
  10 externalName string: DNS name of a service of type ExternalName.
  11 externalTrafficPolicy string, 12 healthCheckNodePort int, 13 publishNotReadyAddresses bool
  14 sessionAffinityConfig *SessionAffinityConfig, 17 ipFamilyPolicy *string, 18 clusterIPs []string
  19 ipFamilies []string, 20 allocateLoadBalancerNodePorts *bool, 21 loadBalancerClass *string
  22 internalTrafficPolicy *string, 23 trafficDistribution *string
type ServiceStatus
  1 loadBalancer LoadBalancerStatus, 2 conditions []meta.Condition @merge:type
type SessionAffinityConfig
  1 clientIP *ClientIPConfig
type Taint: Repels pods that do not tolerate it.
  1 key! string: Key of the taint.
  2 value string: Value of the taint.
  3 effect! string: NoSchedule, PreferNoSchedule or NoExecute.
  4 timeAdded *time: When the taint was added.
)";
}

std::string_view OtherSchemas() {
  return R"(
package io.k8s.api.coordination.v1
kind Lease: A lock for leader election, or the heartbeat of a node.
  2 spec LeaseSpec: Holder and times of the lease.
type LeaseSpec: Holder and times of a lease.
  1 holderIdentity *string: Identity of the holder.
  2 leaseDurationSeconds *int: Seconds after the last renewal until the lease expires.
  3 acquireTime *microTime: When the holder acquired the lease.
  4 renewTime *microTime: When the holder last renewed the lease.
  5 leaseTransitions *int: Number of changes of the holder.
  6 strategy *string, 7 preferredHolder *string
package io.k8s.api.coordination.v1beta1
kind LeaseCandidate: A candidate of a coordinated leader election.
  2 spec LeaseCandidateSpec: The lease, and what the candidate offers.
type LeaseCandidateSpec: The lease, and what a candidate offers.
  1 leaseName! string: Name of the lease.
  2 pingTime *microTime: When the candidate was last requested to renew.
  3 renewTime *microTime: When the candidate last renewed.
  4 binaryVersion! string: Version of the candidate.
  5 emulationVersion string: Version whose behavior the candidate emulates.
  6 strategy! string: How the leader is chosen, such as OldestEmulationVersion.
package io.k8s.api.discovery.v1
type Endpoint
  1 addresses! []string, 2 conditions EndpointConditions, 3 hostname *string
  4 targetRef *core.ObjectReference, 5 deprecatedTopology {}string, 6 nodeName *string
  7 zone *string, 8 hints *EndpointHints
type EndpointConditions
  1 ready *bool, 2 serving *bool, 3 terminating *bool
type EndpointHints
  1 forZones []ForZone, 2 forNodes []ForNode
type EndpointPort
  1 name *string, 2 protocol *string(SCTP|TCP|UDP), 3 port *int, 4 appProtocol *string
kind EndpointSlice: A subset of the addresses of a service.
  2 endpoints []Endpoint, 3 ports []EndpointPort, 4 addressType! string(FQDN|IPv4|IPv6)
type ForNode
  1 name! string
type ForZone
  1 name! string
package io.k8s.api.events.v1
kind Event: Something that happened to an object.
  2 eventTime! microTime: Time of the first occurrence.
  3 series *EventSeries: Count and last time of a repeated event.
  4 reportingController string: Controller that reported the event.
  5 reportingInstance string: Instance of the controller.
  6 action string: Action that was taken or failed.
  7 reason string: Reason, in CamelCase.
  8 regarding core.ObjectReference: Object that the event is about.
  9 related *core.ObjectReference: Secondary object.
  10 note string: What happened.
  11 type string: Normal or Warning.
  12 deprecatedSource core.EventSource, 13 deprecatedFirstTimestamp time
  14 deprecatedLastTimestamp time, 15 deprecatedCount int
type EventSeries: A series of equal events.
  1 count! int: Number of occurrences.
  2 lastObservedTime! microTime: Time of the last occurrence.
package io.k8s.api.node.v1
type Overhead
  1 podFixed {}quantity
kind RuntimeClass: A container runtime configuration.
  2 handler! string: Name of the configuration on the nodes.
  3 overhead *Overhead: Resources in addition to the containers.
  4 scheduling *Scheduling: Nodes that support it.
type Scheduling
  1 nodeSelector {}string, 2 tolerations []core.Toleration
package io.k8s.api.rbac.v1
type AggregationRule
  1 clusterRoleSelectors []meta.LabelSelector
kind ClusterRole: Permissions in the cluster.
  2 rules []PolicyRule, 3 aggregationRule *AggregationRule
kind ClusterRoleBinding: Grants the permissions of a role in the cluster.
  2 subjects []Subject, 3 roleRef! RoleRef
type PolicyRule
  1 verbs! []string, 2 apiGroups []string, 3 resources []string, 4 resourceNames []string
  5 nonResourceURLs []string
kind Role: Permissions in a namespace.
  2 rules []PolicyRule
kind RoleBinding: Grants the permissions of a role in a namespace.
  2 subjects []Subject, 3 roleRef! RoleRef
type RoleRef
  1 apiGroup string, 2 kind! string(ClusterRole|Role), 3 name! string
type Subject
  1 kind! string(Group|ServiceAccount|User), 2 apiGroup string, 3 name! string, 4 namespace string
)";
}

}  // namespace berth::api::scheme
