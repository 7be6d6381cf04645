// Messages of apps/v1 and batch/v1.
#include "kinds/protobuf_tables.h"

namespace berth::apiserver {

const ProtobufTable kProtobufApps = {"apps", R"(
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

const ProtobufTable kProtobufBatch = {"batch", R"(
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

}  // namespace berth::apiserver
