// The schemas of metadata, of the core group except pods and volumes, and of groups with few kinds;
// schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view MetaSchemas() {
  return R"(
package io.k8s.apimachinery.pkg.apis.meta.v1
type Condition: One aspect of an object's state.
  lastTransitionTime! time, message! string, observedGeneration long, reason! string
  status! string, type! string
type LabelSelector: Selects objects by their labels; all requirements must match. An empty selector selects all objects.
  matchExpressions []LabelSelectorRequirement: Requirements on labels.
  matchLabels {}string: Labels that must have exactly these values.
type LabelSelectorRequirement: A requirement on one label.
  key! string: The label.
  operator! string: In, NotIn, Exists or DoesNotExist.
  values []string: Values for In and NotIn.
type ManagedFieldsEntry
  apiVersion string, fieldsType string, fieldsV1 object, manager string, operation string
  subresource string, time time
type ObjectMeta: Standard metadata of an object.
  annotations {}string: Arbitrary metadata that selectors ignore.
  creationTimestamp time: When the server created the object.
  deletionGracePeriodSeconds long: Seconds for a graceful termination.
  deletionTimestamp time: When the object is to be deleted; set by the server on a graceful deletion.
  finalizers []string @merge: Must be empty before the object is removed.
  generateName string: Prefix of the name that the server generates if no name is given.
  generation long: Sequence number of the desired state.
  labels {}string: Keys and values that selectors match.
  managedFields []ManagedFieldsEntry: Which manager owns which fields, for server-side apply.
  name string: Name, unique among objects of this kind in the namespace.
  namespace string: Namespace of the object; empty for cluster-scoped kinds.
  ownerReferences []OwnerReference @merge:uid: Objects that own this one; it is deleted with them.
  resourceVersion string: Version of the object; a write with an older version is rejected.
  selfLink string
  uid string: Unique identifier, never reused.
type OwnerReference: An object that owns another.
  apiVersion! string
  blockOwnerDeletion bool: A foreground deletion of the owner waits for this object.
  controller bool: The owner is the managing controller.
  kind! string, name! string, uid! string
)";
}

std::string_view CoreSchemas() {
  return R"(
package io.k8s.api.core.v1
type AttachedVolume
  devicePath! string, name! string
type ClientIPConfig
  timeoutSeconds int
kind ConfigMap: Configuration data for pods.
  binaryData {}bytes: Binary entries.
  data {}string: Entries.
  immutable bool: Entries cannot be changed.
type ConfigMapNodeConfigSource
  kubeletConfigKey! string, name! string, namespace! string, resourceVersion string, uid string
type ContainerImage: An image on a node.
  names []string: Names of the image.
  sizeBytes long: Its size.
type DaemonEndpoint
  Port! int
type EndpointAddress
  hostname string, ip! string, nodeName string, targetRef ObjectReference
type EndpointPort
  appProtocol string, name string, port! int, protocol string
type EndpointSubset
  addresses []EndpointAddress, notReadyAddresses []EndpointAddress, ports []EndpointPort
kind Endpoints: Addresses of the pods of a service.
  subsets []EndpointSubset
kind Event: Something that happened to an object.
  action string: Action that was taken or failed.
  count int: Number of occurrences.
  eventTime microTime: Time of the first occurrence.
  firstTimestamp time: Time of the first occurrence, in older events.
  involvedObject! ObjectReference: Object that the event is about.
  lastTimestamp time: Time of the last occurrence, in older events.
  message string: What happened.
  reason string: Reason, in CamelCase.
  related ObjectReference: Secondary object.
  reportingComponent string: Controller that reported the event.
  reportingInstance string: Instance of the controller.
  series EventSeries: Count and last time of a repeated event.
  source EventSource: Component that reported the event, in older events.
  type string: Normal or Warning.
type EventSeries: A series of equal events.
  count int: Number of occurrences.
  lastObservedTime microTime: Time of the last occurrence.
type EventSource
  component string, host string
kind LimitRange: Bounds and defaults for resources in a namespace.
  spec LimitRangeSpec
type LimitRangeItem
  default {}quantity, defaultRequest {}quantity, max {}quantity, maxLimitRequestRatio {}quantity
  min {}quantity, type! string
type LimitRangeSpec
  limits! []LimitRangeItem
type LoadBalancerIngress
  hostname string, ip string, ipMode string, ports []PortStatus
type LoadBalancerStatus
  ingress []LoadBalancerIngress
kind Namespace: A scope for names.
  spec NamespaceSpec, status NamespaceStatus
type NamespaceCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type NamespaceSpec: Desired state of a namespace.
  finalizers []string: Must be empty before the namespace is removed.
type NamespaceStatus: Observed status of a namespace.
  conditions []NamespaceCondition @merge:type
  phase string: Active or Terminating.
kind Node: A machine that pods run on.
  spec NodeSpec: Desired state of the node.
  status NodeStatus: Observed status of the node.
type NodeAddress
  address! string, type! string
type NodeCondition: One aspect of a node's state.
  lastHeartbeatTime time, lastTransitionTime time, message string, reason string
  status! string: True, False or Unknown.
  type! string: Ready, MemoryPressure, DiskPressure, PIDPressure or another.
type NodeConfigSource
  configMap ConfigMapNodeConfigSource
type NodeConfigStatus
  active NodeConfigSource, assigned NodeConfigSource, error string, lastKnownGood NodeConfigSource
type NodeDaemonEndpoints
  kubeletEndpoint DaemonEndpoint
type NodeFeatures
  supplementalGroupsPolicy bool
type NodeRuntimeHandler
  features NodeRuntimeHandlerFeatures, name string
type NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts bool, userNamespaces bool
type NodeSpec: Desired state of a node.
  configSource NodeConfigSource, externalID string
  podCIDR string: IP range of the node's pods.
  podCIDRs []string @merge: IP ranges of the node's pods, one per IP family.
  providerID string: ID of the node at the cloud provider.
  taints []Taint: Repel pods that do not tolerate them.
  unschedulable bool: No new pods are scheduled here; set by kubectl cordon.
type NodeStatus: Observed status of a node.
  addresses []NodeAddress @merge:type: Addresses of the node.
  allocatable {}quantity: Resources available to pods.
  capacity {}quantity: Total resources of the node.
  conditions []NodeCondition @merge:type: Ready, MemoryPressure, DiskPressure, PIDPressure and others.
  config NodeConfigStatus, daemonEndpoints NodeDaemonEndpoints, declaredFeatures []string
  features NodeFeatures
  images []ContainerImage: Images on the node.
  nodeInfo NodeSystemInfo: Versions and IDs of the node.
  phase string, runtimeHandlers []NodeRuntimeHandler
  volumesAttached []AttachedVolume: Volumes attached to the node.
  volumesInUse []string: Volumes in use by its pods.
type NodeSwapStatus
  capacity long
type NodeSystemInfo
  architecture! string, bootID! string, containerRuntimeVersion! string, kernelVersion! string
  kubeProxyVersion! string, kubeletVersion! string, machineID! string, operatingSystem! string
  osImage! string, swap NodeSwapStatus, systemUUID! string
type ObjectReference: Reference to an object.
  apiVersion string, fieldPath string, kind string, name string, namespace string
  resourceVersion string, uid string
kind PodTemplate: A template of pods, as an object.
  template PodTemplateSpec
type PortStatus
  error string, port! int, protocol! string
kind ReplicationController: Maintains a number of equal pods; predecessor of ReplicaSet.
  spec ReplicationControllerSpec, status ReplicationControllerStatus
type ReplicationControllerCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type ReplicationControllerSpec
  minReadySeconds int, replicas int, selector {}string, template PodTemplateSpec
type ReplicationControllerStatus
  availableReplicas int, conditions []ReplicationControllerCondition @merge:type
  fullyLabeledReplicas int, observedGeneration long, readyReplicas int, replicas! int
kind ResourceQuota: Limits on the total resources of a namespace.
  spec ResourceQuotaSpec, status ResourceQuotaStatus
type ResourceQuotaSpec
  hard {}quantity, scopeSelector ScopeSelector, scopes []string
type ResourceQuotaStatus
  hard {}quantity, used {}quantity
type ScopeSelector
  matchExpressions []ScopedResourceSelectorRequirement
type ScopedResourceSelectorRequirement
  operator! string, scopeName! string, values []string
kind Secret: Confidential data for pods.
  data {}bytes: Entries, encoded in base64.
  immutable bool
  stringData {}string: Entries as plain text; write only.
  type string: Purpose of the secret.
kind Service: A stable address for a set of pods.
  spec ServiceSpec: Desired behavior of the service.
  status ServiceStatus: Observed status of the service.
kind ServiceAccount: Identity of pods towards the API.
  automountServiceAccountToken bool, imagePullSecrets []LocalObjectReference
  secrets []ObjectReference @merge:name
type ServicePort: A port of a service.
  appProtocol string, name string
  nodePort int: Port on every node.
  port! int: Port of the service.
  protocol string: TCP, UDP or SCTP.
  targetPort intOrString: Port of the pods, by number or name.
type ServiceSpec: Desired behavior of a service.
  allocateLoadBalancerNodePorts bool
  clusterIP string: Address within the cluster; None for a headless service.
  clusterIPs []string
  externalIPs []string: Additional addresses at which nodes accept traffic.
  externalName string: DNS name of a service of type ExternalName.
  externalTrafficPolicy string, healthCheckNodePort int, internalTrafficPolicy string
  ipFamilies []string, ipFamilyPolicy string, loadBalancerClass string, loadBalancerIP string
  loadBalancerSourceRanges []string
  ports []ServicePort @merge:port: Ports of the service.
  publishNotReadyAddresses bool
  selector {}string: Labels of its pods.
  sessionAffinity string: None or ClientIP.
  sessionAffinityConfig SessionAffinityConfig, trafficDistribution string
  type string: ClusterIP, NodePort, LoadBalancer or ExternalName.
type ServiceStatus
  conditions []meta.Condition @merge:type, loadBalancer LoadBalancerStatus
type SessionAffinityConfig
  clientIP ClientIPConfig
type Taint: Repels pods that do not tolerate it.
  effect! string: NoSchedule, PreferNoSchedule or NoExecute.
  key! string: Key of the taint.
  timeAdded time: When the taint was added.
  value string: Value of the taint.
)";
}

std::string_view OtherSchemas() {
  return R"(
package io.k8s.api.coordination.v1
kind Lease: A lock for leader election, or the heartbeat of a node.
  spec LeaseSpec: Holder and times of the lease.
type LeaseSpec: Holder and times of a lease.
  acquireTime microTime: When the holder acquired the lease.
  holderIdentity string: Identity of the holder.
  leaseDurationSeconds int: Seconds after the last renewal until the lease expires.
  leaseTransitions int: Number of changes of the holder.
  preferredHolder string
  renewTime microTime: When the holder last renewed the lease.
  strategy string
package io.k8s.api.coordination.v1beta1
kind LeaseCandidate: A candidate of a coordinated leader election.
  spec LeaseCandidateSpec: The lease, and what the candidate offers.
type LeaseCandidateSpec: The lease, and what a candidate offers.
  binaryVersion! string: Version of the candidate.
  emulationVersion string: Version whose behavior the candidate emulates.
  leaseName! string: Name of the lease.
  pingTime microTime: When the candidate was last requested to renew.
  renewTime microTime: When the candidate last renewed.
  strategy! string: How the leader is chosen, such as OldestEmulationVersion.
package io.k8s.api.discovery.v1
type Endpoint
  addresses! []string, conditions EndpointConditions, deprecatedTopology {}string
  hints EndpointHints, hostname string, nodeName string, targetRef core.ObjectReference
  zone string
type EndpointConditions
  ready bool, serving bool, terminating bool
type EndpointHints
  forNodes []ForNode, forZones []ForZone
type EndpointPort
  appProtocol string, name string, port int, protocol string
kind EndpointSlice: A subset of the addresses of a service.
  addressType! string, endpoints []Endpoint, ports []EndpointPort
type ForNode
  name! string
type ForZone
  name! string
package io.k8s.api.events.v1
kind Event: Something that happened to an object.
  action string: Action that was taken or failed.
  deprecatedCount int, deprecatedFirstTimestamp time, deprecatedLastTimestamp time
  deprecatedSource core.EventSource
  eventTime! microTime: Time of the first occurrence.
  note string: What happened.
  reason string: Reason, in CamelCase.
  regarding core.ObjectReference: Object that the event is about.
  related core.ObjectReference: Secondary object.
  reportingController string: Controller that reported the event.
  reportingInstance string: Instance of the controller.
  series EventSeries: Count and last time of a repeated event.
  type string: Normal or Warning.
type EventSeries: A series of equal events.
  count! int: Number of occurrences.
  lastObservedTime! microTime: Time of the last occurrence.
package io.k8s.api.node.v1
type Overhead
  podFixed {}quantity
kind RuntimeClass: A container runtime configuration.
  handler! string: Name of the configuration on the nodes.
  overhead Overhead: Resources in addition to the containers.
  scheduling Scheduling: Nodes that support it.
type Scheduling
  nodeSelector {}string, tolerations []core.Toleration
package io.k8s.api.rbac.v1
type AggregationRule
  clusterRoleSelectors []meta.LabelSelector
kind ClusterRole: Permissions in the cluster.
  aggregationRule AggregationRule, rules []PolicyRule
kind ClusterRoleBinding: Grants the permissions of a role in the cluster.
  roleRef! RoleRef, subjects []Subject
type PolicyRule
  apiGroups []string, nonResourceURLs []string, resourceNames []string, resources []string
  verbs! []string
kind Role: Permissions in a namespace.
  rules []PolicyRule
kind RoleBinding: Grants the permissions of a role in a namespace.
  roleRef! RoleRef, subjects []Subject
type RoleRef
  apiGroup string, kind! string, name! string
type Subject
  apiGroup string, kind! string, name! string, namespace string
)";
}

}  // namespace berth::api::scheme
