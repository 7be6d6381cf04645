// The schemas of pods; schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view PodSchemas() {
  return R"(
package io.k8s.api.core.v1
type Affinity: Scheduling constraints on nodes and on other pods.
  1 nodeAffinity *NodeAffinity: Constraints on the labels of the node.
  2 podAffinity *PodAffinity: Co-location with other pods.
  3 podAntiAffinity *PodAntiAffinity: Separation from other pods.
type AppArmorProfile
  1 type! string, 2 localhostProfile *string
type Capabilities
  1 add []string, 2 drop []string
type ConfigMapEnvSource
  1 = LocalObjectReference, 2 optional *bool
type ConfigMapKeySelector
  1 = LocalObjectReference, 2 key! string, 3 optional *bool
type Container: An application container of a pod.
  1 name! string: Name, unique in the pod.
  2 image string: Image to run.
  3 command []string: Command to run instead of the image's.
  4 args []string: Arguments of the command.
  5 workingDir string: Working directory.
  6 ports []ContainerPort @merge:containerPort: Ports that the container exposes. Only host ports affect scheduling.
  7 env []EnvVar @merge:name: Environment variables.
  8 resources ResourceRequirements: Resources that the container requests and its limits.
  9 volumeMounts []VolumeMount @merge:mountPath: Volumes to mount into the container.
  10 livenessProbe *Probe: The container is restarted when this fails.
  11 readinessProbe *Probe: The container is not ready while this fails.
  12 lifecycle *Lifecycle: Hooks after the start and before the termination.
  13 terminationMessagePath string
  14 imagePullPolicy string: Always, IfNotPresent or Never.
  15 securityContext *SecurityContext: Security settings of the container.
  16 stdin bool, 17 stdinOnce bool, 18 tty bool
  19 envFrom []EnvFromSource: Config maps and secrets whose entries become environment variables.
  20 terminationMessagePolicy string, 21 volumeDevices []VolumeDevice @merge:devicePath
  22 startupProbe *Probe: The other probes start when this has succeeded.
  23 resizePolicy []ContainerResizePolicy: Whether resizing a resource restarts the container.
  24 restartPolicy *string: For init containers: Always makes it a sidecar.
  25 restartPolicyRules []ContainerRestartRule
type ContainerExtendedResourceRequest
  1 containerName! string, 2 resourceName! string, 3 requestName! string
type ContainerPort: A port of a container.
  1 name string: Name that services may use.
  2 hostPort int: Port of the node. Pods with the same host port cannot share a node.
  3 containerPort! int: Number of the port.
  4 protocol string: TCP, UDP or SCTP.
  5 hostIP string: Address of the node to bind the host port to.
type ContainerResizePolicy
  1 resourceName! string, 2 restartPolicy! string
type ContainerRestartRule
  1 action! string, 2 exitCodes *ContainerRestartRuleOnExitCodes
type ContainerRestartRuleOnExitCodes
  1 operator! string, 2 values []int
type ContainerState
  1 waiting *ContainerStateWaiting, 2 running *ContainerStateRunning
  3 terminated *ContainerStateTerminated
type ContainerStateRunning
  1 startedAt time
type ContainerStateTerminated
  1 exitCode! int, 2 signal int, 3 reason string, 4 message string, 5 startedAt time
  6 finishedAt time, 7 containerID string
type ContainerStateWaiting
  1 reason string, 2 message string
type ContainerStatus: State of a container.
  1 name! string
  2 state ContainerState: Waiting, running or terminated.
  3 lastState ContainerState: Last termination state.
  4 ready! bool: Whether the container passes its readiness probe.
  5 restartCount! int: Number of restarts.
  6 image! string, 7 imageID! string, 8 containerID string
  9 started *bool: Whether it has started.
  10 allocatedResources {}quantity, 11 resources *ResourceRequirements
  12 volumeMounts []VolumeMountStatus @merge:mountPath, 13 user *ContainerUser
  14 allocatedResourcesStatus []ResourceStatus @merge:name, 15 stopSignal *string
type ContainerUser
  1 linux *LinuxContainerUser
type EnvFromSource
  1 prefix string, 2 configMapRef *ConfigMapEnvSource, 3 secretRef *SecretEnvSource
type EnvVar: An environment variable.
  1 name! string: Name of the variable.
  2 value string: Value; $(NAME) expands to an earlier variable.
  3 valueFrom *EnvVarSource: Source of the value.
type EnvVarSource
  1 fieldRef *ObjectFieldSelector, 2 resourceFieldRef *ResourceFieldSelector
  3 configMapKeyRef *ConfigMapKeySelector, 4 secretKeyRef *SecretKeySelector
  5 fileKeyRef *FileKeySelector
type EphemeralContainer
  1 = EphemeralContainerCommon, 2 targetContainerName string
type EphemeralContainerCommon
  1 name! string, 2 image string, 3 command []string, 4 args []string, 5 workingDir string
  6 ports []ContainerPort @merge:containerPort, 7 env []EnvVar @merge:name
  8 resources ResourceRequirements, 9 volumeMounts []VolumeMount @merge:mountPath
  10 livenessProbe *Probe, 11 readinessProbe *Probe, 12 lifecycle *Lifecycle
  13 terminationMessagePath string, 14 imagePullPolicy string, 15 securityContext *SecurityContext
  16 stdin bool, 17 stdinOnce bool, 18 tty bool, 19 envFrom []EnvFromSource
  20 terminationMessagePolicy string, 21 volumeDevices []VolumeDevice @merge:devicePath
  22 startupProbe *Probe, 23 resizePolicy []ContainerResizePolicy, 24 restartPolicy *string
  25 restartPolicyRules []ContainerRestartRule
type ExecAction
  1 command []string
type FileKeySelector
  1 volumeName! string, 2 path! string, 3 key! string, 4 optional *bool
type GRPCAction
  1 port! int, 2 service *string
type HTTPGetAction
  1 path string, 2 port! intOrString, 3 host string, 4 scheme string, 5 httpHeaders []HTTPHeader
type HTTPHeader
  1 name! string, 2 value! string
type HostAlias
  1 ip! string, 2 hostnames []string
type HostIP
  1 ip! string
type ImageVolumeStatus
  1 imageRef! string
type Lifecycle
  1 postStart *LifecycleHandler, 2 preStop *LifecycleHandler, 3 stopSignal *string
type LifecycleHandler
  1 exec *ExecAction, 2 httpGet *HTTPGetAction, 3 tcpSocket *TCPSocketAction, 4 sleep *SleepAction
type LinuxContainerUser
  1 uid! long, 2 gid! long, 3 supplementalGroups []long
type LocalObjectReference
  1 name string
type NodeAffinity: Scheduling constraints on nodes.
  1 requiredDuringSchedulingIgnoredDuringExecution *NodeSelector: The pod runs only on matching nodes.
  2 preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm: Matching nodes score higher by the weight.
type NodeAllocatableResourceClaimStatus
  1 resourceClaimName! string, 2 containers []string, 3 resources! {}quantity
type NodeSelector: Selects the nodes that match any of the terms.
  1 nodeSelectorTerms! []NodeSelectorTerm: Terms, of which one must match.
type NodeSelectorRequirement: A requirement on one label of a node.
  1 key! string: The label.
  2 operator! string: In, NotIn, Exists, DoesNotExist, Gt or Lt.
  3 values []string: Values to compare with.
type NodeSelectorTerm: Selects the nodes that meet all requirements.
  1 matchExpressions []NodeSelectorRequirement: Requirements on labels.
  2 matchFields []NodeSelectorRequirement: Requirements on fields; metadata.name is the only one.
type ObjectFieldSelector
  1 apiVersion string, 2 fieldPath! string
kind Pod: A group of containers that run together on one node.
  2 spec PodSpec: Desired behavior of the pod.
  3 status PodStatus: Observed status of the pod.
type PodAffinity: Rules for co-location with other pods.
  1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm: Terms that must all be satisfied.
  2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm: Matching topology domains score higher by the weight.
type PodAffinityTerm: A set of pods and a topology domain.
  1 labelSelector *meta.LabelSelector: Labels of the pods.
  2 namespaces []string: Namespaces of the pods; by default the namespace of the incoming pod.
  3 topologyKey! string: Label of nodes; nodes with equal values are in one topology domain.
  4 namespaceSelector *meta.LabelSelector: Labels of the namespaces of the pods.
  5 matchLabelKeys []string: Labels whose values must be equal to those of the incoming pod.
  6 mismatchLabelKeys []string: Labels whose values must differ from those of the incoming pod.
type PodAntiAffinity: Rules for separation from other pods.
  1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm: Terms, of which none may be violated.
  2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm: Matching topology domains score lower by the weight.
type PodCondition: One aspect of a pod's state.
  1 type! string: PodScheduled, Initialized, ContainersReady, Ready, DisruptionTarget or another.
  2 status! string: True, False or Unknown.
  3 lastProbeTime time
  4 lastTransitionTime time: Time of the last transition.
  5 reason string: Reason of the last transition, in CamelCase.
  6 message string: Human-readable details of the last transition.
  7 observedGeneration long
type PodDNSConfig
  1 nameservers []string, 2 searches []string, 3 options []PodDNSConfigOption
type PodDNSConfigOption
  1 name string, 2 value *string
type PodExtendedResourceClaimStatus
  1 requestMappings! []ContainerExtendedResourceRequest, 2 resourceClaimName! string
type PodIP
  1 ip! string
type PodOS
  1 name! string
type PodReadinessGate: A condition that must be true for a pod to be ready.
  1 conditionType! string
type PodResourceClaim: A claim for devices that a pod uses.
  1 name! string: Name by which containers refer to the claim.
  3 resourceClaimName *string: Name of an existing claim.
  4 resourceClaimTemplateName *string: Template of the claim to create for the pod.
type PodResourceClaimStatus
  1 name! string, 2 resourceClaimName *string
type PodSchedulingGate: Blocks the scheduling of a pod.
  1 name! string: Name of the gate.
type PodSchedulingGroup
  1 podGroupName *string
type PodSecurityContext
  1 seLinuxOptions *SELinuxOptions, 2 runAsUser *long, 3 runAsNonRoot *bool
  4 supplementalGroups []long, 5 fsGroup *long, 6 runAsGroup *long, 7 sysctls []Sysctl
  8 windowsOptions *WindowsSecurityContextOptions, 9 fsGroupChangePolicy *string
  10 seccompProfile *SeccompProfile, 11 appArmorProfile *AppArmorProfile
  12 supplementalGroupsPolicy *string, 13 seLinuxChangePolicy *string
type PodSpec: Description of a pod.
  1 volumes []Volume @merge,retainKeys:name: Volumes that containers may mount.
  2 containers! []Container @merge:name: Containers of the pod; at least one.
  3 restartPolicy string: Always, OnFailure or Never: what happens when containers end.
  4 terminationGracePeriodSeconds *long: Seconds for a graceful termination when the pod is deleted.
  5 activeDeadlineSeconds *long: Time after which the pod is terminated.
  6 dnsPolicy string: Where DNS settings come from: ClusterFirst, ClusterFirstWithHostNet, Default or None.
  7 nodeSelector {}string: Labels that the node must have.
  8 serviceAccountName string: Service account that the pod runs as.
  9 serviceAccount string
  10 nodeName string: Node that the pod is bound to. A pod created with it bypasses the scheduler.
  11 hostNetwork bool: Use the node's network; container ports are then ports of the node.
  12 hostPID bool: Use the node's process namespace.
  13 hostIPC bool: Use the node's IPC namespace.
  14 securityContext *PodSecurityContext: Security settings for all containers.
  15 imagePullSecrets []LocalObjectReference @merge:name: Secrets for pulling images.
  16 hostname string: Host name of the pod; by default the pod's name.
  17 subdomain string
  18 affinity *Affinity: Scheduling constraints on nodes and on other pods.
  19 schedulerName string: Scheduler that places the pod.
  20 initContainers []Container @merge:name: Containers that run in order before the others; sidecars, with restartPolicy Always, keep running.
  21 automountServiceAccountToken *bool: Whether containers get the service account's token.
  22 tolerations []Toleration: Taints that the pod tolerates.
  23 hostAliases []HostAlias @merge:ip: Lines for the hosts file.
  24 priorityClassName string: Priority class, which sets the priority.
  25 priority *int: Priority of the pod; set from its priority class.
  26 dnsConfig *PodDNSConfig: DNS settings besides those of the policy.
  27 shareProcessNamespace *bool
  28 readinessGates []PodReadinessGate: Conditions that must be true, besides the containers', for the pod to be ready.
  29 runtimeClassName *string: Runtime class that runs the pod.
  30 enableServiceLinks *bool: Whether services appear in environment variables.
  31 preemptionPolicy *string: PreemptLowerPriority or Never: whether the pod may preempt pods of lower priority.
  32 overhead {}quantity: Resources of the runtime in addition to the containers' requests.
  33 topologySpreadConstraints []TopologySpreadConstraint @merge:topologyKey: How matching pods are spread over topology domains.
  34 ephemeralContainers []EphemeralContainer @merge:name: Containers added to a running pod for debugging.
  35 setHostnameAsFQDN *bool
  36 os *PodOS: Operating system that the containers are for.
  37 hostUsers *bool
  38 schedulingGates []PodSchedulingGate @merge:name: The pod is not scheduled until all gates are removed.
  39 resourceClaims []PodResourceClaim @merge,retainKeys:name: Claims for devices that must be allocated before the pod starts.
  40 resources *ResourceRequirements: Requests and limits of the pod as a whole.
  41 hostnameOverride *string
  43 schedulingGroup *PodSchedulingGroup: Group of pods that are scheduled together.
type PodStatus: Observed status of a pod.
  1 phase string: Pending, Running, Succeeded, Failed or Unknown.
  2 conditions []PodCondition @merge:type: PodScheduled, Initialized, ContainersReady, Ready and others.
  3 message string: Human-readable reason of this state.
  4 reason string: Reason of this state, in CamelCase.
  5 hostIP string: Address of the node.
  6 podIP string: Address of the pod.
  7 startTime *time: When the kubelet acknowledged the pod.
  8 containerStatuses []ContainerStatus: State of each container.
  9 qosClass string: Guaranteed, Burstable or BestEffort; derived from requests and limits.
  10 initContainerStatuses []ContainerStatus: State of each init container.
  11 nominatedNodeName string: Node on which pods are preempted for this pod.
  12 podIPs []PodIP @merge:ip: Addresses of the pod.
  13 ephemeralContainerStatuses []ContainerStatus, 14 resize string
  15 resourceClaimStatuses []PodResourceClaimStatus @merge,retainKeys:name: Claims that were created for the pod.
  16 hostIPs []HostIP @merge:ip, 17 observedGeneration long
  18 extendedResourceClaimStatus *PodExtendedResourceClaimStatus, 19 allocatedResources {}quantity
  20 resources *ResourceRequirements
  21 nodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus
type PodTemplateSpec: Template of the pods to create.
  1 metadata meta.ObjectMeta: Labels and annotations of the pods.
  2 spec PodSpec: Desired behavior of the pods.
type PreferredSchedulingTerm: A preference with its weight.
  1 weight! int: 1 to 100.
  2 preference! NodeSelectorTerm: The preferred nodes.
type Probe: A health check of a container.
  1 = ProbeHandler
  2 initialDelaySeconds int: Seconds between the start of the container and the first check.
  3 timeoutSeconds int: Timeout of a check in seconds.
  4 periodSeconds int: Seconds between checks.
  5 successThreshold int: Consecutive successes after which the probe has succeeded.
  6 failureThreshold int: Consecutive failures after which the probe has failed.
  7 terminationGracePeriodSeconds *long
type ProbeHandler
  1 exec *ExecAction, 2 httpGet *HTTPGetAction, 3 tcpSocket *TCPSocketAction, 4 grpc *GRPCAction
type ResourceClaim: A device claim of the pod that a container uses.
  1 name! string, 2 request string
type ResourceFieldSelector
  1 containerName string, 2 resource! string, 3 divisor quantity
type ResourceHealth
  1 resourceID! string, 2 health string, 6 message *string
type ResourceRequirements: Resource requests and limits.
  1 limits {}quantity: Maximum amount of each resource.
  2 requests {}quantity: Amount of each resource that the scheduler reserves on the node.
  3 claims []ResourceClaim: Device claims of the pod that the container uses.
type ResourceStatus
  1 name! string, 2 resources []ResourceHealth
type SELinuxOptions
  1 user string, 2 role string, 3 type string, 4 level string
type SeccompProfile
  1 type! string, 2 localhostProfile *string
type SecretEnvSource
  1 = LocalObjectReference, 2 optional *bool
type SecretKeySelector
  1 = LocalObjectReference, 2 key! string, 3 optional *bool
type SecurityContext
  1 capabilities *Capabilities, 2 privileged *bool, 3 seLinuxOptions *SELinuxOptions
  4 runAsUser *long, 5 runAsNonRoot *bool, 6 readOnlyRootFilesystem *bool
  7 allowPrivilegeEscalation *bool, 8 runAsGroup *long, 9 procMount *string
  10 windowsOptions *WindowsSecurityContextOptions, 11 seccompProfile *SeccompProfile
  12 appArmorProfile *AppArmorProfile
type SleepAction
  1 seconds! long
type Sysctl
  1 name! string, 2 value! string
type TCPSocketAction
  1 port! intOrString, 2 host string
type Toleration: Tolerates matching taints of nodes.
  1 key string: Key of the taint; empty with Exists means all.
  2 operator string: Equal, Exists, Lt or Gt.
  3 value string: Value of the taint.
  4 effect string: NoSchedule, PreferNoSchedule or NoExecute; empty means all.
  5 tolerationSeconds *long: For NoExecute, how long the taint is tolerated.
type TopologySpreadConstraint: How pods are spread over topology domains.
  1 maxSkew! int: Maximum difference between a domain and the domain with the fewest matching pods.
  2 topologyKey! string: Label of nodes; nodes with equal values are in one topology domain.
  3 whenUnsatisfiable! string: DoNotSchedule or ScheduleAnyway.
  4 labelSelector *meta.LabelSelector: Labels of the pods to count.
  5 minDomains *int: With fewer domains than this, the global minimum is taken as 0.
  6 nodeAffinityPolicy *string: Honor or Ignore: whether node affinity restricts the nodes that count.
  7 nodeTaintsPolicy *string: Honor or Ignore: whether taints restrict the nodes that count.
  8 matchLabelKeys []string: Labels whose values must be equal to those of the incoming pod.
type VolumeDevice
  1 name! string, 2 devicePath! string
type VolumeMount: Mount of a volume in a container.
  1 name! string: Name of the volume.
  2 readOnly bool: Mount read-only.
  3 mountPath! string: Path in the container.
  4 subPath string: Part of the volume to mount.
  5 mountPropagation *string, 6 subPathExpr string, 7 recursiveReadOnly *string
type VolumeMountStatus
  1 name! string, 2 mountPath! string, 3 readOnly bool, 4 recursiveReadOnly *string
  5 volumeStatus *VolumeStatus
type VolumeStatus
  1 image *ImageVolumeStatus
type WeightedPodAffinityTerm: A preference with its weight.
  1 weight! int: 1 to 100.
  2 podAffinityTerm! PodAffinityTerm: The preference.
type WindowsSecurityContextOptions
  1 gmsaCredentialSpecName *string, 2 gmsaCredentialSpec *string, 3 runAsUserName *string
  4 hostProcess *bool
)";
}

}  // namespace berth::api::scheme
