// Messages of core/v1: pods.
#include "kinds/protobuf_tables.h"

namespace berth::apiserver {

const ProtobufTable kProtobufCorePod = {"core", R"(
Pod: 1 metadata ObjectMeta; 2 spec PodSpec; 3 status PodStatus
PodSpec: 1 volumes []Volume; 2 containers []Container; 3 restartPolicy;
  4 terminationGracePeriodSeconds *int; 5 activeDeadlineSeconds *int; 6 dnsPolicy;
  7 nodeSelector {}string; 8 serviceAccountName; 9 serviceAccount; 10 nodeName;
  11 hostNetwork bool; 12 hostPID bool; 13 hostIPC bool; 14 securityContext *PodSecurityContext;
  15 imagePullSecrets []LocalObjectReference; 16 hostname; 17 subdomain; 18 affinity *Affinity;
  19 schedulerName; 20 initContainers []Container; 21 automountServiceAccountToken *bool;
  22 tolerations []Toleration; 23 hostAliases []HostAlias; 24 priorityClassName; 25 priority *int;
  26 dnsConfig *PodDNSConfig; 27 shareProcessNamespace *bool;
  28 readinessGates []PodReadinessGate; 29 runtimeClassName *string; 30 enableServiceLinks *bool;
  31 preemptionPolicy *string; 32 overhead {}Quantity;
  33 topologySpreadConstraints []TopologySpreadConstraint;
  34 ephemeralContainers []EphemeralContainer; 35 setHostnameAsFQDN *bool; 36 os *PodOS;
  37 hostUsers *bool; 38 schedulingGates []PodSchedulingGate;
  39 resourceClaims []PodResourceClaim; 40 resources *ResourceRequirements;
  41 hostnameOverride *string; 43 schedulingGroup *PodSchedulingGroup
Volume: 1 name; 2 = VolumeSource
Container: 1 name; 2 image; 3 command []string; 4 args []string; 5 workingDir;
  6 ports []ContainerPort; 7 env []EnvVar; 8 resources ResourceRequirements;
  9 volumeMounts []VolumeMount; 10 livenessProbe *Probe; 11 readinessProbe *Probe;
  12 lifecycle *Lifecycle; 13 terminationMessagePath; 14 imagePullPolicy;
  15 securityContext *SecurityContext; 16 stdin bool; 17 stdinOnce bool; 18 tty bool;
  19 envFrom []EnvFromSource; 20 terminationMessagePolicy; 21 volumeDevices []VolumeDevice;
  22 startupProbe *Probe; 23 resizePolicy []ContainerResizePolicy; 24 restartPolicy *string;
  25 restartPolicyRules []ContainerRestartRule
ContainerPort: 1 name; 2 hostPort int; 3 containerPort *int; 4 protocol; 5 hostIP
EnvFromSource: 1 prefix; 2 configMapRef *ConfigMapEnvSource; 3 secretRef *SecretEnvSource
ConfigMapEnvSource: 1 = LocalObjectReference; 2 optional *bool
SecretEnvSource: 1 = LocalObjectReference; 2 optional *bool
EnvVar: 1 name; 2 value; 3 valueFrom *EnvVarSource
EnvVarSource: 1 fieldRef *ObjectFieldSelector; 2 resourceFieldRef *ResourceFieldSelector;
  3 configMapKeyRef *ConfigMapKeySelector; 4 secretKeyRef *SecretKeySelector;
  5 fileKeyRef *FileKeySelector
ConfigMapKeySelector: 1 = LocalObjectReference; 2 key; 3 optional *bool
SecretKeySelector: 1 = LocalObjectReference; 2 key; 3 optional *bool
FileKeySelector: 1 volumeName; 2 path; 3 key; 4 optional *bool
ResourceRequirements: 1 limits {}Quantity; 2 requests {}Quantity; 3 claims []ResourceClaim
ResourceClaim: 1 name; 2 request
ContainerResizePolicy: 1 resourceName; 2 restartPolicy
ContainerRestartRule: 1 action; 2 exitCodes *ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: 1 operator; 2 values []int
VolumeMount: 1 name; 2 readOnly bool; 3 mountPath; 4 subPath; 5 mountPropagation *string;
  6 subPathExpr; 7 recursiveReadOnly *string
VolumeDevice: 1 name; 2 devicePath
Probe: 1 = ProbeHandler; 2 initialDelaySeconds int; 3 timeoutSeconds int; 4 periodSeconds int;
  5 successThreshold int; 6 failureThreshold int; 7 terminationGracePeriodSeconds *int
ProbeHandler: 1 exec *ExecAction; 2 httpGet *HTTPGetAction; 3 tcpSocket *TCPSocketAction;
  4 grpc *GRPCAction
ExecAction: 1 command []string
HTTPGetAction: 1 path; 2 port IntOrString; 3 host; 4 scheme; 5 httpHeaders []HTTPHeader
HTTPHeader: 1 name; 2 value
TCPSocketAction: 1 port IntOrString; 2 host
GRPCAction: 1 port *int; 2 service *string
Lifecycle: 1 postStart *LifecycleHandler; 2 preStop *LifecycleHandler; 3 stopSignal *string
LifecycleHandler: 1 exec *ExecAction; 2 httpGet *HTTPGetAction; 3 tcpSocket *TCPSocketAction;
  4 sleep *SleepAction
SleepAction: 1 seconds *int
SecurityContext: 1 capabilities *Capabilities; 2 privileged *bool;
  3 seLinuxOptions *SELinuxOptions; 4 runAsUser *int; 5 runAsNonRoot *bool;
  6 readOnlyRootFilesystem *bool; 7 allowPrivilegeEscalation *bool; 8 runAsGroup *int;
  9 procMount *string; 10 windowsOptions *WindowsSecurityContextOptions;
  11 seccompProfile *SeccompProfile; 12 appArmorProfile *AppArmorProfile
Capabilities: 1 add []string; 2 drop []string
SELinuxOptions: 1 user; 2 role; 3 type; 4 level
WindowsSecurityContextOptions: 1 gmsaCredentialSpecName *string; 2 gmsaCredentialSpec *string;
  3 runAsUserName *string; 4 hostProcess *bool
SeccompProfile: 1 type; 2 localhostProfile *string
AppArmorProfile: 1 type; 2 localhostProfile *string
EphemeralContainer: 1 = EphemeralContainerCommon; 2 targetContainerName
EphemeralContainerCommon: 1 name; 2 image; 3 command []string; 4 args []string; 5 workingDir;
  6 ports []ContainerPort; 7 env []EnvVar; 8 resources ResourceRequirements;
  9 volumeMounts []VolumeMount; 10 livenessProbe *Probe; 11 readinessProbe *Probe;
  12 lifecycle *Lifecycle; 13 terminationMessagePath; 14 imagePullPolicy;
  15 securityContext *SecurityContext; 16 stdin bool; 17 stdinOnce bool; 18 tty bool;
  19 envFrom []EnvFromSource; 20 terminationMessagePolicy; 21 volumeDevices []VolumeDevice;
  22 startupProbe *Probe; 23 resizePolicy []ContainerResizePolicy; 24 restartPolicy *string;
  25 restartPolicyRules []ContainerRestartRule
PodSecurityContext: 1 seLinuxOptions *SELinuxOptions; 2 runAsUser *int; 3 runAsNonRoot *bool;
  4 supplementalGroups []int; 5 fsGroup *int; 6 runAsGroup *int; 7 sysctls []Sysctl;
  8 windowsOptions *WindowsSecurityContextOptions; 9 fsGroupChangePolicy *string;
  10 seccompProfile *SeccompProfile; 11 appArmorProfile *AppArmorProfile;
  12 supplementalGroupsPolicy *string; 13 seLinuxChangePolicy *string
Sysctl: 1 name; 2 value
Affinity: 1 nodeAffinity *NodeAffinity; 2 podAffinity *PodAffinity;
  3 podAntiAffinity *PodAntiAffinity
NodeAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution *NodeSelector;
  2 preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm
PreferredSchedulingTerm: 1 weight *int; 2 preference NodeSelectorTerm
PodAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm;
  2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
PodAffinityTerm: 1 labelSelector *LabelSelector; 2 namespaces []string; 3 topologyKey;
  4 namespaceSelector *LabelSelector; 5 matchLabelKeys []string; 6 mismatchLabelKeys []string
WeightedPodAffinityTerm: 1 weight *int; 2 podAffinityTerm PodAffinityTerm
PodAntiAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm;
  2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
Toleration: 1 key; 2 operator; 3 value; 4 effect; 5 tolerationSeconds *int
HostAlias: 1 ip; 2 hostnames []string
PodDNSConfig: 1 nameservers []string; 2 searches []string; 3 options []PodDNSConfigOption
PodDNSConfigOption: 1 name; 2 value *string
PodReadinessGate: 1 conditionType
TopologySpreadConstraint: 1 maxSkew *int; 2 topologyKey; 3 whenUnsatisfiable;
  4 labelSelector *LabelSelector; 5 minDomains *int; 6 nodeAffinityPolicy *string;
  7 nodeTaintsPolicy *string; 8 matchLabelKeys []string
PodOS: 1 name
PodSchedulingGate: 1 name
PodResourceClaim: 1 name; 3 resourceClaimName *string; 4 resourceClaimTemplateName *string
PodSchedulingGroup: 1 podGroupName *string
PodStatus: 1 phase; 2 conditions []PodCondition; 3 message; 4 reason; 5 hostIP; 6 podIP;
  7 startTime *Time; 8 containerStatuses []ContainerStatus; 9 qosClass;
  10 initContainerStatuses []ContainerStatus; 11 nominatedNodeName; 12 podIPs []PodIP;
  13 ephemeralContainerStatuses []ContainerStatus; 14 resize;
  15 resourceClaimStatuses []PodResourceClaimStatus; 16 hostIPs []HostIP;
  17 observedGeneration int; 18 extendedResourceClaimStatus *PodExtendedResourceClaimStatus;
  19 allocatedResources {}Quantity; 20 resources *ResourceRequirements;
  21 nodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus
PodCondition: 1 type; 2 status; 3 lastProbeTime Time; 4 lastTransitionTime Time; 5 reason;
  6 message; 7 observedGeneration int
HostIP: 1 ip
PodIP: 1 ip
ContainerStatus: 1 name; 2 state ContainerState; 3 lastState ContainerState; 4 ready *bool;
  5 restartCount *int; 6 image; 7 imageID; 8 containerID; 9 started *bool;
  10 allocatedResources {}Quantity; 11 resources *ResourceRequirements;
  12 volumeMounts []VolumeMountStatus; 13 user *ContainerUser;
  14 allocatedResourcesStatus []ResourceStatus; 15 stopSignal *string
ContainerState: 1 waiting *ContainerStateWaiting; 2 running *ContainerStateRunning;
  3 terminated *ContainerStateTerminated
ContainerStateWaiting: 1 reason; 2 message
ContainerStateRunning: 1 startedAt Time
ContainerStateTerminated: 1 exitCode *int; 2 signal int; 3 reason; 4 message; 5 startedAt Time;
  6 finishedAt Time; 7 containerID
VolumeMountStatus: 1 name; 2 mountPath; 3 readOnly bool; 4 recursiveReadOnly *string;
  5 volumeStatus *VolumeStatus
VolumeStatus: 1 image *ImageVolumeStatus
ImageVolumeStatus: 1 imageRef
ContainerUser: 1 linux *LinuxContainerUser
LinuxContainerUser: 1 uid *int; 2 gid *int; 3 supplementalGroups []int
ResourceStatus: 1 name; 2 resources []ResourceHealth
ResourceHealth: 1 resourceID; 2 health; 6 message *string
PodResourceClaimStatus: 1 name; 2 resourceClaimName *string
PodExtendedResourceClaimStatus: 1 requestMappings []ContainerExtendedResourceRequest;
  2 resourceClaimName
ContainerExtendedResourceRequest: 1 containerName; 2 resourceName; 3 requestName
NodeAllocatableResourceClaimStatus: 1 resourceClaimName; 2 containers []string;
  3 resources {}Quantity
PodTemplateSpec: 1 metadata ObjectMeta; 2 spec PodSpec
)"};

}  // namespace berth::apiserver
