// Schemas of what all kinds share. schema_tables.h says how to read them.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view MetaSchemas() {
  return R"(
package io.k8s.apimachinery.pkg.apis.meta.v1
type Condition: One aspect of an object's state.
  lastTransitionTime! time, message! string, observedGeneration long, reason! string
  status! string, type! string
type LabelSelector: Selects objects by their labels; all parts must match. An empty one selects everything.
  matchExpressions []LabelSelectorRequirement: Requirements on labels.
  matchLabels {}string: Labels that must have exactly these values.
type LabelSelectorRequirement: A requirement on one label.
  key! string: The label.
  operator! string: In, NotIn, Exists or DoesNotExist.
  values []string: Values for In and NotIn.
type ManagedFieldsEntry
  apiVersion string, fieldsType string, fieldsV1 object, manager string, operation string
  subresource string, time time
type ObjectMeta: What every object carries: its name, its labels, and what the server keeps about it.
  annotations {}string: Free notes, for tools rather than for selectors.
  creationTimestamp time: When the server created the object.
  deletionGracePeriodSeconds long: Seconds between the request to delete and the end.
  deletionTimestamp time: When the object goes, or went out of use; set by a delete that takes time.
  finalizers []string @merge: Who must still do something before a deleted object goes.
  generateName string: A prefix: the server adds letters to make a name if none is given.
  generation long: Counts the changes of the wanted state.
  labels {}string: Keys and values that selectors look at.
  managedFields []ManagedFieldsEntry: Which manager owns which fields, for server-side apply.
  name string: Name, unique among objects of this kind in the namespace.
  namespace string: Namespace that the object lives in; empty for cluster-wide kinds.
  ownerReferences []OwnerReference @merge:uid: Objects that this one depends on; it goes when they are gone.
  resourceVersion string: Version of this state; a write that names an older one is refused.
  selfLink string
  uid string: Unlike the name, never used again.
type OwnerReference: An object that another depends on.
  apiVersion! string
  blockOwnerDeletion bool: The owner waits for this object when it is deleted in the foreground.
  controller bool: This owner is the one that manages the object.
  kind! string, name! string, uid! string
)";
}

// Schemas of the other kinds of the core group. schema_tables.h says how to read them.
std::string_view CoreSchemas() {
  return R"(
package io.k8s.api.core.v1
type AttachedVolume
  devicePath! string, name! string
type ClientIPConfig
  timeoutSeconds int
kind ConfigMap: Settings for pods.
  binaryData {}bytes: Entries that are not text.
  data {}string: Entries.
  immutable bool: Entries cannot be changed any more.
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
kind Endpoints: Addresses behind a service.
  subsets []EndpointSubset
kind Event: Something that happened to an object.
  action string: What was being done.
  count int: How often it happened.
  eventTime microTime: When it happened first.
  firstTimestamp time: When it happened first, in older events.
  involvedObject! ObjectReference: Object that it is about.
  lastTimestamp time: When it happened last, in older events.
  message string: What happened.
  reason string: Why, in a word.
  related ObjectReference: Another object that has to do with it.
  reportingComponent string: Who reports it.
  reportingInstance string: Which instance of it.
  series EventSeries: How often and until when, if it happened again.
  source EventSource: Who reported it, in older events.
  type string: Normal or Warning.
type EventSeries: Something that happened again and again.
  count int: How often so far.
  lastObservedTime microTime: When last.
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
kind Namespace: A space for names.
  spec NamespaceSpec, status NamespaceStatus
type NamespaceCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type NamespaceSpec: What is wanted of a namespace.
  finalizers []string: Who must still do something before the namespace goes.
type NamespaceStatus: How a namespace is.
  conditions []NamespaceCondition @merge:type
  phase string: Active or Terminating.
kind Node: A machine that pods run on.
  spec NodeSpec: What is wanted of the node.
  status NodeStatus: What the node has and how it is.
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
type NodeSpec: What is wanted of a node.
  configSource NodeConfigSource, externalID string
  podCIDR string: Addresses for the node's pods.
  podCIDRs []string @merge: The same, one range a family.
  providerID string: What the cloud calls the node.
  taints []Taint: Keep pods off that do not tolerate them.
  unschedulable bool: No new pods, please; set by cordon.
type NodeStatus: What a node has and how it is.
  addresses []NodeAddress @merge:type: Where it is reached.
  allocatable {}quantity: What pods may use of it; scheduling counts against this.
  capacity {}quantity: What it has.
  conditions []NodeCondition @merge:type: Ready, MemoryPressure, DiskPressure, PIDPressure and others.
  config NodeConfigStatus, daemonEndpoints NodeDaemonEndpoints, declaredFeatures []string
  features NodeFeatures
  images []ContainerImage: Images that are on it.
  nodeInfo NodeSystemInfo: Versions and identities.
  phase string, runtimeHandlers []NodeRuntimeHandler
  volumesAttached []AttachedVolume: Volumes attached to it.
  volumesInUse []string: Volumes in use by its pods.
type NodeSwapStatus
  capacity long
type NodeSystemInfo
  architecture! string, bootID! string, containerRuntimeVersion! string, kernelVersion! string
  kubeProxyVersion! string, kubeletVersion! string, machineID! string, operatingSystem! string
  osImage! string, swap NodeSwapStatus, systemUUID! string
type ObjectReference: Names an object.
  apiVersion string, fieldPath string, kind string, name string, namespace string
  resourceVersion string, uid string
kind PodTemplate: A template of pods, as an object.
  template PodTemplateSpec
type PortStatus
  error string, port! int, protocol! string
kind ReplicationController: Keeps a number of equal pods; the elder sister of ReplicaSet.
  spec ReplicationControllerSpec, status ReplicationControllerStatus
type ReplicationControllerCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type ReplicationControllerSpec
  minReadySeconds int, replicas int, selector {}string, template PodTemplateSpec
type ReplicationControllerStatus
  availableReplicas int, conditions []ReplicationControllerCondition @merge:type
  fullyLabeledReplicas int, observedGeneration long, readyReplicas int, replicas! int
kind ResourceQuota: What a namespace may use in total.
  spec ResourceQuotaSpec, status ResourceQuotaStatus
type ResourceQuotaSpec
  hard {}quantity, scopeSelector ScopeSelector, scopes []string
type ResourceQuotaStatus
  hard {}quantity, used {}quantity
type ScopeSelector
  matchExpressions []ScopedResourceSelectorRequirement
type ScopedResourceSelectorRequirement
  operator! string, scopeName! string, values []string
kind Secret: Settings for pods that not everyone should read.
  data {}bytes: Entries, encoded in base64.
  immutable bool
  stringData {}string: Entries as plain text; write only.
  type string: What it is for.
kind Service: One address for several pods.
  spec ServiceSpec: Which pods, and how they are reached.
  status ServiceStatus: Where it is reached from outside.
kind ServiceAccount: Who a pod is, to the API.
  automountServiceAccountToken bool, imagePullSecrets []LocalObjectReference
  secrets []ObjectReference @merge:name
type ServicePort: A port of a service.
  appProtocol string, name string
  nodePort int: Port of every node.
  port! int: Port of the service.
  protocol string: TCP, UDP or SCTP.
  targetPort intOrString: Port of the pods, by number or name.
type ServiceSpec: How pods are reached.
  allocateLoadBalancerNodePorts bool
  clusterIP string: Address within the cluster; None for none.
  clusterIPs []string
  externalIPs []string: More addresses at which nodes take traffic for it.
  externalName string: Name that it stands for, with type ExternalName.
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
type Taint: Keeps pods off a node unless they tolerate it.
  effect! string: NoSchedule, PreferNoSchedule or NoExecute.
  key! string: Key of the taint.
  timeAdded time: When it was added.
  value string: Value of the taint.
)";
}

// Schemas of the small groups. schema_tables.h says how to read them.
std::string_view OtherSchemas() {
  return R"(
package io.k8s.api.coordination.v1
kind Lease: Says who leads, or that a node is alive.
  spec LeaseSpec: Who holds it, and since when.
type LeaseSpec: Who holds a lease, and since when.
  acquireTime microTime: When the holder got it.
  holderIdentity string: Who holds it.
  leaseDurationSeconds int: How long others wait after the last renewal.
  leaseTransitions int: How often it changed hands.
  preferredHolder string
  renewTime microTime: When it was renewed last.
  strategy string
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
kind EndpointSlice: Some of the addresses behind a service.
  addressType! string, endpoints []Endpoint, ports []EndpointPort
type ForNode
  name! string
type ForZone
  name! string
package io.k8s.api.events.v1
kind Event: Something that happened to an object.
  action string: What was being done.
  deprecatedCount int, deprecatedFirstTimestamp time, deprecatedLastTimestamp time
  deprecatedSource core.EventSource
  eventTime! microTime: When it happened first.
  note string: What happened.
  reason string: Why, in a word.
  regarding core.ObjectReference: Object that it is about.
  related core.ObjectReference: Another object that has to do with it.
  reportingController string: Who reports it.
  reportingInstance string: Which instance of it.
  series EventSeries: How often and until when, if it happened again.
  type string: Normal or Warning.
type EventSeries: Something that happened again and again.
  count! int: How often so far.
  lastObservedTime! microTime: When last.
package io.k8s.api.node.v1
type Overhead
  podFixed {}quantity
kind RuntimeClass: A way of running pods.
  handler! string: What the nodes call it.
  overhead Overhead: What it takes besides the containers.
  scheduling Scheduling: Nodes that support it.
type Scheduling
  nodeSelector {}string, tolerations []core.Toleration
package io.k8s.api.rbac.v1
type AggregationRule
  clusterRoleSelectors []meta.LabelSelector
kind ClusterRole: What may be done in the cluster.
  aggregationRule AggregationRule, rules []PolicyRule
kind ClusterRoleBinding: Who may do what a role says, in the cluster.
  roleRef! RoleRef, subjects []Subject
type PolicyRule
  apiGroups []string, nonResourceURLs []string, resourceNames []string, resources []string
  verbs! []string
kind Role: What may be done in a namespace.
  rules []PolicyRule
kind RoleBinding: Who may do what a role says, in a namespace.
  roleRef! RoleRef, subjects []Subject
type RoleRef
  apiGroup string, kind! string, name! string
type Subject
  apiGroup string, kind! string, name! string, namespace string
)";
}

}  // namespace berth::api::scheme
