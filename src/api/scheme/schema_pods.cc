// The schemas of pods; schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view PodSchemas() {
  return R"(
package io.k8s.api.core.v1
type Affinity: Scheduling constraints on nodes and on other pods.
  nodeAffinity NodeAffinity: Constraints on the labels of the node.
  podAffinity PodAffinity: Co-location with other pods.
  podAntiAffinity PodAntiAffinity: Separation from other pods.
type AppArmorProfile
  localhostProfile string, type! string
type Capabilities
  add []string, drop []string
type ConfigMapEnvSource
  name string, optional bool
type ConfigMapKeySelector
  key! string, name string, optional bool
type Container: An application container of a pod.
  args []string: Arguments of the command.
  command []string: Command to run instead of the image's.
  env []EnvVar @merge:name: Environment variables.
  envFrom []EnvFromSource: Config maps and secrets whose entries become environment variables.
  image string: Image to run.
  imagePullPolicy string: Always, IfNotPresent or Never.
  lifecycle Lifecycle: Hooks after the start and before the termination.
  livenessProbe Probe: The container is restarted when this fails.
  name! string: Name, unique in the pod.
  ports []ContainerPort @merge:containerPort: Ports that the container exposes. Only host ports affect scheduling.
  readinessProbe Probe: The container is not ready while this fails.
  resizePolicy []ContainerResizePolicy: Whether resizing a resource restarts the container.
  resources ResourceRequirements: Resources that the container requests and its limits.
  restartPolicy string: For init containers: Always makes it a sidecar.
  restartPolicyRules []ContainerRestartRule
  securityContext SecurityContext: Security settings of the container.
  startupProbe Probe: The other probes start when this has succeeded.
  stdin bool, stdinOnce bool, terminationMessagePath string, terminationMessagePolicy string
  tty bool, volumeDevices []VolumeDevice @merge:devicePath
  volumeMounts []VolumeMount @merge:mountPath: Volumes to mount into the container.
  workingDir string: Working directory.
type ContainerExtendedResourceRequest
  containerName! string, requestName! string, resourceName! string
type ContainerPort: A port of a container.
  containerPort! int: Number of the port.
  hostIP string: Address of the node to bind the host port to.
  hostPort int: Port of the node. Pods with the same host port cannot share a node.
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
  lastState ContainerState: Last termination state.
  name! string
  ready! bool: Whether the container passes its readiness probe.
  resources ResourceRequirements
  restartCount! int: Number of restarts.
  started bool: Whether it has started.
  state ContainerState: Waiting, running or terminated.
  stopSignal string, user ContainerUser, volumeMounts []VolumeMountStatus @merge:mountPath
type ContainerUser
  linux LinuxContainerUser
type EnvFromSource
  configMapRef ConfigMapEnvSource, prefix string, secretRef SecretEnvSource
type EnvVar: An environment variable.
  name! string: Name of the variable.
  value string: Value; $(NAME) expands to an earlier variable.
  valueFrom EnvVarSource: Source of the value.
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
type NodeAffinity: Scheduling constraints on nodes.
  preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm: Matching nodes score higher by the weight.
  requiredDuringSchedulingIgnoredDuringExecution NodeSelector: The pod runs only on matching nodes.
type NodeAllocatableResourceClaimStatus
  containers []string, resourceClaimName! string, resources! {}quantity
type NodeSelector: Selects the nodes that match any of the terms.
  nodeSelectorTerms! []NodeSelectorTerm: Terms, of which one must match.
type NodeSelectorRequirement: A requirement on one label of a node.
  key! string: The label.
  operator! string: In, NotIn, Exists, DoesNotExist, Gt or Lt.
  values []string: Values to compare with.
type NodeSelectorTerm: Selects the nodes that meet all requirements.
  matchExpressions []NodeSelectorRequirement: Requirements on labels.
  matchFields []NodeSelectorRequirement: Requirements on fields; metadata.name is the only one.
type ObjectFieldSelector
  apiVersion string, fieldPath! string
kind Pod: A group of containers that run together on one node.
  spec PodSpec: Desired behavior of the pod.
  status PodStatus: Observed status of the pod.
type PodAffinity: Rules for co-location with other pods.
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm: Matching topology domains score higher by the weight.
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm: Terms that must all be satisfied.
type PodAffinityTerm: A set of pods and a topology domain.
  labelSelector meta.LabelSelector: Labels of the pods.
  matchLabelKeys []string: Labels whose values must be equal to those of the incoming pod.
  mismatchLabelKeys []string: Labels whose values must differ from those of the incoming pod.
  namespaceSelector meta.LabelSelector: Labels of the namespaces of the pods.
  namespaces []string: Namespaces of the pods; by default the namespace of the incoming pod.
  topologyKey! string: Label of nodes; nodes with equal values are in one topology domain.
type PodAntiAffinity: Rules for separation from other pods.
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm: Matching topology domains score lower by the weight.
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm: Terms, of which none may be violated.
type PodCondition: One aspect of a pod's state.
  lastProbeTime time
  lastTransitionTime time: Time of the last transition.
  message string: Human-readable details of the last transition.
  observedGeneration long
  reason string: Reason of the last transition, in CamelCase.
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
  name! string: Name by which containers refer to the claim.
  resourceClaimName string: Name of an existing claim.
  resourceClaimTemplateName string: Template of the claim to create for the pod.
type PodResourceClaimStatus
  name! string, resourceClaimName string
type PodSchedulingGate: Blocks the scheduling of a pod.
  name! string: Name of the gate.
type PodSchedulingGroup
  podGroupName string
type PodSecurityContext
  appArmorProfile AppArmorProfile, fsGroup long, fsGroupChangePolicy string, runAsGroup long
  runAsNonRoot bool, runAsUser long, seLinuxChangePolicy string, seLinuxOptions SELinuxOptions
  seccompProfile SeccompProfile, supplementalGroups []long, supplementalGroupsPolicy string
  sysctls []Sysctl, windowsOptions WindowsSecurityContextOptions
type PodSpec: Description of a pod.
  activeDeadlineSeconds long: Time after which the pod is terminated.
  affinity Affinity: Scheduling constraints on nodes and on other pods.
  automountServiceAccountToken bool: Whether containers get the service account's token.
  containers! []Container @merge:name: Containers of the pod; at least one.
  dnsConfig PodDNSConfig: DNS settings besides those of the policy.
  dnsPolicy string: Where DNS settings come from: ClusterFirst, ClusterFirstWithHostNet, Default or None.
  enableServiceLinks bool: Whether services appear in environment variables.
  ephemeralContainers []EphemeralContainer @merge:name: Containers added to a running pod for debugging.
  hostAliases []HostAlias @merge:ip: Lines for the hosts file.
  hostIPC bool: Use the node's IPC namespace.
  hostNetwork bool: Use the node's network; container ports are then ports of the node.
  hostPID bool: Use the node's process namespace.
  hostUsers bool
  hostname string: Host name of the pod; by default the pod's name.
  hostnameOverride string
  imagePullSecrets []LocalObjectReference @merge:name: Secrets for pulling images.
  initContainers []Container @merge:name: Containers that run in order before the others; sidecars, with restartPolicy Always, keep running.
  nodeName string: Node that the pod is bound to. A pod created with it bypasses the scheduler.
  nodeSelector {}string: Labels that the node must have.
  os PodOS: Operating system that the containers are for.
  overhead {}quantity: Resources of the runtime in addition to the containers' requests.
  preemptionPolicy string: PreemptLowerPriority or Never: whether the pod may preempt pods of lower priority.
  priority int: Priority of the pod; set from its priority class.
  priorityClassName string: Priority class, which sets the priority.
  readinessGates []PodReadinessGate: Conditions that must be true, besides the containers', for the pod to be ready.
  resourceClaims []PodResourceClaim @merge,retainKeys:name: Claims for devices that must be allocated before the pod starts.
  resources ResourceRequirements: Requests and limits of the pod as a whole.
  restartPolicy string: Always, OnFailure or Never: what happens when containers end.
  runtimeClassName string: Runtime class that runs the pod.
  schedulerName string: Scheduler that places the pod.
  schedulingGates []PodSchedulingGate @merge:name: The pod is not scheduled until all gates are removed.
  schedulingGroup PodSchedulingGroup: Group of pods that are scheduled together.
  securityContext PodSecurityContext: Security settings for all containers.
  serviceAccount string
  serviceAccountName string: Service account that the pod runs as.
  setHostnameAsFQDN bool, shareProcessNamespace bool, subdomain string
  terminationGracePeriodSeconds long: Seconds for a graceful termination when the pod is deleted.
  tolerations []Toleration: Taints that the pod tolerates.
  topologySpreadConstraints []TopologySpreadConstraint @merge:topologyKey: How matching pods are spread over topology domains.
  volumes []Volume @merge,retainKeys:name: Volumes that containers may mount.
type PodStatus: Observed status of a pod.
  allocatedResources {}quantity
  conditions []PodCondition @merge:type: PodScheduled, Initialized, ContainersReady, Ready and others.
  containerStatuses []ContainerStatus: State of each container.
  ephemeralContainerStatuses []ContainerStatus
  extendedResourceClaimStatus PodExtendedResourceClaimStatus
  hostIP string: Address of the node.
  hostIPs []HostIP @merge:ip
  initContainerStatuses []ContainerStatus: State of each init container.
  message string: Human-readable reason of this state.
  nodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus
  nominatedNodeName string: Node on which pods are preempted for this pod.
  observedGeneration long
  phase string: Pending, Running, Succeeded, Failed or Unknown.
  podIP string: Address of the pod.
  podIPs []PodIP @merge:ip: Addresses of the pod.
  qosClass string: Guaranteed, Burstable or BestEffort; derived from requests and limits.
  reason string: Reason of this state, in CamelCase.
  resize string
  resourceClaimStatuses []PodResourceClaimStatus @merge,retainKeys:name: Claims that were created for the pod.
  resources ResourceRequirements
  startTime time: When the kubelet acknowledged the pod.
type PodTemplateSpec: Template of the pods to create.
  metadata meta.ObjectMeta: Labels and annotations of the pods.
  spec PodSpec: Desired behavior of the pods.
type PreferredSchedulingTerm: A preference with its weight.
  preference! NodeSelectorTerm: The preferred nodes.
  weight! int: 1 to 100.
type Probe: A health check of a container.
  exec ExecAction
  failureThreshold int: Consecutive failures after which the probe has failed.
  grpc GRPCAction, httpGet HTTPGetAction
  initialDelaySeconds int: Seconds between the start of the container and the first check.
  periodSeconds int: Seconds between checks.
  successThreshold int: Consecutive successes after which the probe has succeeded.
  tcpSocket TCPSocketAction, terminationGracePeriodSeconds long
  timeoutSeconds int: Timeout of a check in seconds.
type ResourceClaim: A device claim of the pod that a container uses.
  name! string, request string
type ResourceFieldSelector
  containerName string, divisor quantity, resource! string
type ResourceHealth
  health string, message string, resourceID! string
type ResourceRequirements: Resource requests and limits.
  claims []ResourceClaim: Device claims of the pod that the container uses.
  limits {}quantity: Maximum amount of each resource.
  requests {}quantity: Amount of each resource that the scheduler reserves on the node.
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
type Toleration: Tolerates matching taints of nodes.
  effect string: NoSchedule, PreferNoSchedule or NoExecute; empty means all.
  key string: Key of the taint; empty with Exists means all.
  operator string: Equal, Exists, Lt or Gt.
  tolerationSeconds long: For NoExecute, how long the taint is tolerated.
  value string: Value of the taint.
type TopologySpreadConstraint: How pods are spread over topology domains.
  labelSelector meta.LabelSelector: Labels of the pods to count.
  matchLabelKeys []string: Labels whose values must be equal to those of the incoming pod.
  maxSkew! int: Maximum difference between a domain and the domain with the fewest matching pods.
  minDomains int: With fewer domains than this, the global minimum is taken as 0.
  nodeAffinityPolicy string: Honor or Ignore: whether node affinity restricts the nodes that count.
  nodeTaintsPolicy string: Honor or Ignore: whether taints restrict the nodes that count.
  topologyKey! string: Label of nodes; nodes with equal values are in one topology domain.
  whenUnsatisfiable! string: DoNotSchedule or ScheduleAnyway.
type VolumeDevice
  devicePath! string, name! string
type VolumeMount: Mount of a volume in a container.
  mountPath! string: Path in the container.
  mountPropagation string
  name! string: Name of the volume.
  readOnly bool: Mount read-only.
  recursiveReadOnly string
  subPath string: Part of the volume to mount.
  subPathExpr string
type VolumeMountStatus
  mountPath! string, name! string, readOnly bool, recursiveReadOnly string
  volumeStatus VolumeStatus
type VolumeStatus
  image ImageVolumeStatus
type WeightedPodAffinityTerm: A preference with its weight.
  podAffinityTerm! PodAffinityTerm: The preference.
  weight! int: 1 to 100.
type WindowsSecurityContextOptions
  gmsaCredentialSpec string, gmsaCredentialSpecName string, hostProcess bool, runAsUserName string
)";
}

}  // namespace berth::api::scheme
