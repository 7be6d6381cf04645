// Schemas of pods. schema_tables.h says how to read them.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view PodSchemas() {
  return R"(
package io.k8s.api.core.v1
type Affinity: Wishes and demands about where a pod runs.
  nodeAffinity NodeAffinity: About the node's labels.
  podAffinity PodAffinity: Near pods with certain labels.
  podAntiAffinity PodAntiAffinity: Away from pods with certain labels.
type AppArmorProfile
  localhostProfile string, type! string
type Capabilities
  add []string, drop []string
type ConfigMapEnvSource
  name string, optional bool
type ConfigMapKeySelector
  key! string, name string, optional bool
type Container: A program from an image, and what it needs.
  args []string: Arguments of the command.
  command []string: Command to run instead of the image's.
  env []EnvVar @merge:name: Environment variables.
  envFrom []EnvFromSource: Config maps and secrets whose entries become environment variables.
  image string: Image to run.
  imagePullPolicy string: Always, IfNotPresent or Never.
  lifecycle Lifecycle: What to do after the start and before the end.
  livenessProbe Probe: The container is restarted when this fails.
  name! string: Name, unique in the pod.
  ports []ContainerPort @merge:containerPort: Ports that it listens on. Only host ports matter for scheduling.
  readinessProbe Probe: The container is not ready while this fails.
  resizePolicy []ContainerResizePolicy: What changing resources takes.
  resources ResourceRequirements: What the container needs (requests) and may use at most (limits).
  restartPolicy string: For init containers: Always makes it a sidecar.
  restartPolicyRules []ContainerRestartRule
  securityContext SecurityContext: Security settings of the container.
  startupProbe Probe: The other probes wait for this.
  stdin bool, stdinOnce bool, terminationMessagePath string, terminationMessagePolicy string
  tty bool, volumeDevices []VolumeDevice @merge:devicePath
  volumeMounts []VolumeMount @merge:mountPath: Where volumes appear.
  workingDir string: Working directory.
type ContainerExtendedResourceRequest
  containerName! string, requestName! string, resourceName! string
type ContainerPort: A port of a container.
  containerPort! int: Number of the port.
  hostIP string: Address of the node that the host port is on.
  hostPort int: Port of the node. No two pods on a node may have the same.
  name string: Name that services may use.
  protocol string: TCP, UDP or SCTP.
type ContainerResizePolicy
  resourceName! string, restartPolicy! string
type ContainerRestartRule
  action! string, exitCodes ContainerRestartRuleOnExitCodes
type ContainerRestartRuleOnExitCodes
  operator! string, values []int
type ContainerState
  running ContainerStateRunning, terminated ContainerStateTerminated
  waiting ContainerStateWaiting
type ContainerStateRunning
  startedAt time
type ContainerStateTerminated
  containerID string, exitCode! int, finishedAt time, message string, reason string, signal int
  startedAt time
type ContainerStateWaiting
  message string, reason string
type ContainerStatus: State of a container.
  allocatedResources {}quantity, allocatedResourcesStatus []ResourceStatus @merge:name
  containerID string, image! string, imageID! string
  lastState ContainerState: How it ended before its last restart.
  name! string
  ready! bool: Whether it passes its readiness probe.
  resources ResourceRequirements
  restartCount! int: How often it was restarted.
  started bool: Whether it has started.
  state ContainerState: Waiting, running or terminated.
  stopSignal string, user ContainerUser, volumeMounts []VolumeMountStatus @merge:mountPath
type ContainerUser
  linux LinuxContainerUser
type EnvFromSource
  configMapRef ConfigMapEnvSource, prefix string, secretRef SecretEnvSource
type EnvVar: An environment variable.
  name! string: Name of the variable.
  value string: Its value; $(NAME) stands for earlier variables.
  valueFrom EnvVarSource: Where the value comes from.
type EnvVarSource
  configMapKeyRef ConfigMapKeySelector, fieldRef ObjectFieldSelector, fileKeyRef FileKeySelector
  resourceFieldRef ResourceFieldSelector, secretKeyRef SecretKeySelector
type EphemeralContainer
  args []string, command []string, env []EnvVar @merge:name, envFrom []EnvFromSource, image string
  imagePullPolicy string, lifecycle Lifecycle, livenessProbe Probe, name! string
  ports []ContainerPort @merge:containerPort, readinessProbe Probe
  resizePolicy []ContainerResizePolicy, resources ResourceRequirements, restartPolicy string
  restartPolicyRules []ContainerRestartRule, securityContext SecurityContext, startupProbe Probe
  stdin bool, stdinOnce bool, targetContainerName string, terminationMessagePath string
  terminationMessagePolicy string, tty bool, volumeDevices []VolumeDevice @merge:devicePath
  volumeMounts []VolumeMount @merge:mountPath, workingDir string
type ExecAction
  command []string
type FileKeySelector
  key! string, optional bool, path! string, volumeName! string
type GRPCAction
  port! int, service string
type HTTPGetAction
  host string, httpHeaders []HTTPHeader, path string, port! intOrString, scheme string
type HTTPHeader
  name! string, value! string
type HostAlias
  hostnames []string, ip! string
type HostIP
  ip! string
type ImageVolumeStatus
  imageRef! string
type Lifecycle
  postStart LifecycleHandler, preStop LifecycleHandler, stopSignal string
type LifecycleHandler
  exec ExecAction, httpGet HTTPGetAction, sleep SleepAction, tcpSocket TCPSocketAction
type LinuxContainerUser
  gid! long, supplementalGroups []long, uid! long
type LocalObjectReference
  name string
type NodeAffinity: Wishes and demands about nodes.
  preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm: Nodes that match score higher by the weight.
  requiredDuringSchedulingIgnoredDuringExecution NodeSelector: Only nodes that match come into question.
type NodeAllocatableResourceClaimStatus
  containers []string, resourceClaimName! string, resources! {}quantity
type NodeSelector: Some nodes: those that match any of the terms.
  nodeSelectorTerms! []NodeSelectorTerm: Any of these.
type NodeSelectorRequirement: A requirement on one label of a node.
  key! string: The label.
  operator! string: In, NotIn, Exists, DoesNotExist, Gt or Lt.
  values []string: Values to compare with.
type NodeSelectorTerm: Some nodes: those that meet all requirements.
  matchExpressions []NodeSelectorRequirement: Requirements on labels.
  matchFields []NodeSelectorRequirement: Requirements on fields; metadata.name is the only one.
type ObjectFieldSelector
  apiVersion string, fieldPath! string
kind Pod: Containers that run together on one node; what the scheduler places.
  spec PodSpec: What should run, and where it may.
  status PodStatus: What is known of it.
type PodAffinity: Wishes and demands to be near other pods.
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm: Places that match score higher by the weight.
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm: All of these must hold.
type PodAffinityTerm: Some pods, and what counts as near.
  labelSelector meta.LabelSelector: Labels of those pods.
  matchLabelKeys []string: Labels whose values, taken from this pod, those pods must share.
  mismatchLabelKeys []string: Labels whose values, taken from this pod, those pods must not share.
  namespaceSelector meta.LabelSelector: Labels of their namespaces.
  namespaces []string: Their namespaces; this pod's if nothing is said.
  topologyKey! string: Nodes with the same value of this label count as one place.
type PodAntiAffinity: Wishes and demands to be away from other pods.
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm: Places that match score lower by the weight.
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm: None of these may be violated.
type PodCondition: One aspect of a pod's state.
  lastProbeTime time
  lastTransitionTime time: When it changed last.
  message string: Why it changed last, in a sentence.
  observedGeneration long
  reason string: Why it changed last, in a word.
  status! string: True, False or Unknown.
  type! string: PodScheduled, Initialized, ContainersReady, Ready, DisruptionTarget or another.
type PodDNSConfig
  nameservers []string, options []PodDNSConfigOption, searches []string
type PodDNSConfigOption
  name string, value string
type PodExtendedResourceClaimStatus
  requestMappings! []ContainerExtendedResourceRequest, resourceClaimName! string
type PodIP
  ip! string
type PodOS
  name! string
type PodReadinessGate: A condition that must be true for a pod to be ready.
  conditionType! string
type PodResourceClaim: A claim for devices that a pod uses.
  name! string: What the containers call it.
  resourceClaimName string: A claim that exists.
  resourceClaimTemplateName string: A template from which a claim is made for the pod.
type PodResourceClaimStatus
  name! string, resourceClaimName string
type PodSchedulingGate: Keeps a pod from being scheduled.
  name! string: Name of the gate.
type PodSchedulingGroup
  podGroupName string
type PodSecurityContext
  appArmorProfile AppArmorProfile, fsGroup long, fsGroupChangePolicy string, runAsGroup long
  runAsNonRoot bool, runAsUser long, seLinuxChangePolicy string, seLinuxOptions SELinuxOptions
  seccompProfile SeccompProfile, supplementalGroups []long, supplementalGroupsPolicy string
  sysctls []Sysctl, windowsOptions WindowsSecurityContextOptions
type PodSpec: What a pod should be.
  activeDeadlineSeconds long: The pod is ended after running for so long.
  affinity Affinity: Wishes and demands about nodes, and about other pods nearby.
  automountServiceAccountToken bool: Whether containers get the service account's token.
  containers! []Container @merge:name: Containers of the pod; at least one.
  dnsConfig PodDNSConfig: DNS settings besides those of the policy.
  dnsPolicy string: Where DNS settings come from: ClusterFirst, ClusterFirstWithHostNet, Default or None.
  enableServiceLinks bool: Whether services appear in environment variables.
  ephemeralContainers []EphemeralContainer @merge:name: Containers added to a running pod, to look into it.
  hostAliases []HostAlias @merge:ip: Lines for the hosts file.
  hostIPC bool: Use the node's IPC namespace.
  hostNetwork bool: Use the node's network; container ports are then ports of the node.
  hostPID bool: Use the node's process namespace.
  hostUsers bool
  hostname string: Host name, if it is not to be the pod's name.
  hostnameOverride string
  imagePullSecrets []LocalObjectReference @merge:name: Secrets for pulling images.
  initContainers []Container @merge:name: Containers that run before the others, one after another; with restartPolicy Always they stay beside them.
  nodeName string: Node that the pod is bound to. A pod that is created with it is not scheduled.
  nodeSelector {}string: Labels that the node must have.
  os PodOS: Operating system that the containers are for.
  overhead {}quantity: What running the pod takes besides its containers' requests.
  preemptionPolicy string: PreemptLowerPriority or Never: whether others may be evicted to make room for it.
  priority int: How important the pod is; set from its priority class.
  priorityClassName string: Priority class, which gives the priority.
  readinessGates []PodReadinessGate: Conditions that must be true, besides the containers', for the pod to be ready.
  resourceClaims []PodResourceClaim @merge,retainKeys:name: Claims for devices that must be allocated before the pod starts.
  resources ResourceRequirements: Requests and limits of the pod as a whole.
  restartPolicy string: Always, OnFailure or Never: what happens when containers end.
  runtimeClassName string: Runtime class that runs the pod.
  schedulerName string: Scheduler that places the pod.
  schedulingGates []PodSchedulingGate @merge:name: While there is one, the pod is not scheduled.
  schedulingGroup PodSchedulingGroup: Pods that are to be scheduled together.
  securityContext PodSecurityContext: Security settings for all containers.
  serviceAccount string
  serviceAccountName string: Service account that the pod runs as.
  setHostnameAsFQDN bool, shareProcessNamespace bool, subdomain string
  terminationGracePeriodSeconds long: Seconds that the pod gets to end when it is deleted.
  tolerations []Toleration: Taints of nodes that the pod puts up with.
  topologySpreadConstraints []TopologySpreadConstraint @merge:topologyKey: How evenly pods like this one are to be spread over zones, nodes and the like.
  volumes []Volume @merge,retainKeys:name: Volumes that containers may mount.
type PodStatus: What is known of a pod.
  allocatedResources {}quantity
  conditions []PodCondition @merge:type: Aspects of its state: PodScheduled, Initialized, ContainersReady, Ready and others.
  containerStatuses []ContainerStatus: State of each container.
  ephemeralContainerStatuses []ContainerStatus
  extendedResourceClaimStatus PodExtendedResourceClaimStatus
  hostIP string: Address of the node.
  hostIPs []HostIP @merge:ip
  initContainerStatuses []ContainerStatus: State of each init container.
  message string: Why the pod is in this state, in a sentence.
  nodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus
  nominatedNodeName string: Node on which room is being made for the pod.
  observedGeneration long
  phase string: Pending, Running, Succeeded, Failed or Unknown.
  podIP string: Address of the pod.
  podIPs []PodIP @merge:ip: Addresses of the pod.
  qosClass string: Guaranteed, Burstable or BestEffort; follows from requests and limits.
  reason string: Why the pod is in this state, in a word.
  resize string
  resourceClaimStatuses []PodResourceClaimStatus @merge,retainKeys:name: Claims that were made for the pod.
  resources ResourceRequirements
  startTime time: When the node took the pod on.
type PodTemplateSpec: From which pods are made.
  metadata meta.ObjectMeta: Labels and annotations of the pods.
  spec PodSpec: What the pods should be.
type PreferredSchedulingTerm: A wish with its weight.
  preference! NodeSelectorTerm: The nodes wished for.
  weight! int: 1 to 100.
type Probe: A check of a container.
  exec ExecAction
  failureThreshold int: Failures in a row before it counts as failed.
  grpc GRPCAction, httpGet HTTPGetAction
  initialDelaySeconds int: Seconds to wait after the start.
  periodSeconds int: Seconds between checks.
  successThreshold int: Successes in a row before it counts as well.
  tcpSocket TCPSocketAction, terminationGracePeriodSeconds long
  timeoutSeconds int: Seconds that a check may take.
type ResourceClaim: A device claim of the pod that a container uses.
  name! string, request string
type ResourceFieldSelector
  containerName string, divisor quantity, resource! string
type ResourceHealth
  health string, message string, resourceID! string
type ResourceRequirements: What something needs and may use.
  claims []ResourceClaim: Device claims of the pod that the container uses.
  limits {}quantity: The most that may be used.
  requests {}quantity: What is set aside on the node; scheduling counts these.
type ResourceStatus
  name! string, resources []ResourceHealth
type SELinuxOptions
  level string, role string, type string, user string
type SeccompProfile
  localhostProfile string, type! string
type SecretEnvSource
  name string, optional bool
type SecretKeySelector
  key! string, name string, optional bool
type SecurityContext
  allowPrivilegeEscalation bool, appArmorProfile AppArmorProfile, capabilities Capabilities
  privileged bool, procMount string, readOnlyRootFilesystem bool, runAsGroup long
  runAsNonRoot bool, runAsUser long, seLinuxOptions SELinuxOptions, seccompProfile SeccompProfile
  windowsOptions WindowsSecurityContextOptions
type SleepAction
  seconds! long
type Sysctl
  name! string, value! string
type TCPSocketAction
  host string, port! intOrString
type Toleration: Taints that a pod puts up with.
  effect string: NoSchedule, PreferNoSchedule or NoExecute; empty means all.
  key string: Key of the taint; empty with Exists means all.
  operator string: Equal, Exists, Lt or Gt.
  tolerationSeconds long: For NoExecute: how long it puts up with it.
  value string: Value of the taint.
type TopologySpreadConstraint: How evenly pods are spread over places.
  labelSelector meta.LabelSelector: Pods that count.
  matchLabelKeys []string: Labels whose values, taken from this pod, the pods that count must share.
  maxSkew! int: How many more there may be in one place than in the emptiest.
  minDomains int: With fewer places than this, the emptiest counts as having none.
  nodeAffinityPolicy string: Honor or Ignore: whether nodes that the pod may not run on count.
  nodeTaintsPolicy string: Honor or Ignore: whether nodes with taints count.
  topologyKey! string: Nodes with the same value of this label count as one place.
  whenUnsatisfiable! string: DoNotSchedule or ScheduleAnyway.
type VolumeDevice
  devicePath! string, name! string
type VolumeMount: Where a volume appears in a container.
  mountPath! string: Path in the container.
  mountPropagation string
  name! string: Name of the volume.
  readOnly bool: Whether it may not be written.
  recursiveReadOnly string
  subPath string: Part of the volume to mount.
  subPathExpr string
type VolumeMountStatus
  mountPath! string, name! string, readOnly bool, recursiveReadOnly string
  volumeStatus VolumeStatus
type VolumeStatus
  image ImageVolumeStatus
type WeightedPodAffinityTerm: A wish with its weight.
  podAffinityTerm! PodAffinityTerm: The wish.
  weight! int: 1 to 100.
type WindowsSecurityContextOptions
  gmsaCredentialSpec string, gmsaCredentialSpecName string, hostProcess bool, runAsUserName string
)";
}

}  // namespace berth::api::scheme
