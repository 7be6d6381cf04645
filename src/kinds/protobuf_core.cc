// Messages of core/v1: all but pods and volumes.
#include "kinds/protobuf_tables.h"

namespace berth::apiserver {

const ProtobufTable kProtobufCore = {"core", R"(
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

}  // namespace berth::apiserver
