// Schemas of the small groups. schema_tables.h says how to read them.
#include "kinds/schema_tables.h"

namespace berth::apiserver {

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

}  // namespace berth::apiserver
