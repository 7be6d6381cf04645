// Schemas of workloads and what steers them. schema_tables.h says how to read them.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view WorkloadSchemas() {
  return R"(
package io.k8s.api.apps.v1
kind ControllerRevision: An earlier state of a stateful set or daemon set.
  data object, revision! long
kind DaemonSet: Keeps a pod on every node, or on some.
  spec DaemonSetSpec: Which nodes, and what kind of pod.
  status DaemonSetStatus: How many nodes have one.
type DaemonSetCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type DaemonSetSpec: What a daemon set should keep.
  minReadySeconds int, revisionHistoryLimit int
  selector! meta.LabelSelector: Labels of its pods; cannot be changed.
  template! core.PodTemplateSpec: What the pods are made from.
  updateStrategy DaemonSetUpdateStrategy: How pods are replaced.
type DaemonSetStatus
  collisionCount int, conditions []DaemonSetCondition @merge:type, currentNumberScheduled! int
  desiredNumberScheduled! int, numberAvailable int, numberMisscheduled! int, numberReady! int
  numberUnavailable int, observedGeneration long, updatedNumberScheduled int
type DaemonSetUpdateStrategy
  rollingUpdate RollingUpdateDaemonSet, type string
kind Deployment: Keeps a number of equal pods and rolls changes out step by step.
  spec DeploymentSpec: How many pods, and of what kind.
  status DeploymentStatus: How far it is.
type DeploymentCondition
  lastTransitionTime time, lastUpdateTime time, message string, reason string, status! string
  type! string
type DeploymentSpec: What a deployment should keep.
  minReadySeconds int: A pod counts as available after being ready for so long.
  paused bool: Changes wait.
  progressDeadlineSeconds int: Without progress for so long, the rollout counts as failed.
  replicas int: How many pods.
  revisionHistoryLimit int: How many old replica sets are kept.
  selector! meta.LabelSelector: Labels of its pods; cannot be changed.
  strategy DeploymentStrategy @retainKeys: How pods are replaced.
  template! core.PodTemplateSpec: What the pods are made from.
type DeploymentStatus: How far a deployment is.
  availableReplicas int: Pods that are available.
  collisionCount int
  conditions []DeploymentCondition @merge:type: Available, Progressing, ReplicaFailure.
  observedGeneration long: Generation that this status is about.
  readyReplicas int: Pods that are ready.
  replicas int: Pods that there are.
  terminatingReplicas int
  unavailableReplicas int: Pods that are missing.
  updatedReplicas int: Pods of the newest template.
type DeploymentStrategy: How pods are replaced.
  rollingUpdate RollingUpdateDeployment: Bounds for RollingUpdate.
  type string: RollingUpdate or Recreate.
kind ReplicaSet: Keeps a number of equal pods.
  spec ReplicaSetSpec: How many pods, and of what kind.
  status ReplicaSetStatus: How many there are.
type ReplicaSetCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type ReplicaSetSpec: What a replica set should keep.
  minReadySeconds int
  replicas int: How many pods.
  selector! meta.LabelSelector: Labels of its pods; cannot be changed.
  template core.PodTemplateSpec: What the pods are made from.
type ReplicaSetStatus: How many pods there are.
  availableReplicas int, conditions []ReplicaSetCondition @merge:type, fullyLabeledReplicas int
  observedGeneration long, readyReplicas int, replicas! int, terminatingReplicas int
type RollingUpdateDaemonSet
  maxSurge intOrString, maxUnavailable intOrString
type RollingUpdateDeployment: Bounds while pods are replaced.
  maxSurge intOrString: How many more there may be, a number or a percentage.
  maxUnavailable intOrString: How many may be missing, a number or a percentage.
type RollingUpdateStatefulSetStrategy
  maxUnavailable intOrString, partition int
kind StatefulSet: Keeps numbered pods, each with its own name and storage.
  spec StatefulSetSpec: How many pods, and of what kind.
  status StatefulSetStatus: How many there are.
type StatefulSetCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type StatefulSetOrdinals
  start int
type StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted string, whenScaled string
type StatefulSetSpec: What a stateful set should keep.
  minReadySeconds int, ordinals StatefulSetOrdinals
  persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy
  podManagementPolicy string: OrderedReady or Parallel.
  replicas int: How many pods.
  revisionHistoryLimit int
  selector! meta.LabelSelector: Labels of its pods; cannot be changed.
  serviceName string: Service that names the pods.
  template! core.PodTemplateSpec: What the pods are made from.
  updateStrategy StatefulSetUpdateStrategy: How pods are replaced.
  volumeClaimTemplates []core.PersistentVolumeClaim: Claims that every pod gets.
type StatefulSetStatus
  availableReplicas int, collisionCount int, conditions []StatefulSetCondition @merge:type
  currentReplicas int, currentRevision string, observedGeneration long, readyReplicas int
  replicas! int, updateRevision string, updatedReplicas int
type StatefulSetUpdateStrategy
  rollingUpdate RollingUpdateStatefulSetStrategy, type string
package io.k8s.api.autoscaling.v2
type ContainerResourceMetricSource
  container! string, name! string, target! MetricTarget
type ContainerResourceMetricStatus
  container! string, current! MetricValueStatus, name! string
type CrossVersionObjectReference
  apiVersion string, kind! string, name! string
type ExternalMetricSource
  metric! MetricIdentifier, target! MetricTarget
type ExternalMetricStatus
  current! MetricValueStatus, metric! MetricIdentifier
type HPAScalingPolicy
  periodSeconds! int, type! string, value! int
type HPAScalingRules
  policies []HPAScalingPolicy, selectPolicy string, stabilizationWindowSeconds int
  tolerance quantity
kind HorizontalPodAutoscaler: Changes the number of replicas by metrics.
  spec! HorizontalPodAutoscalerSpec, status HorizontalPodAutoscalerStatus
type HorizontalPodAutoscalerBehavior
  scaleDown HPAScalingRules, scaleUp HPAScalingRules
type HorizontalPodAutoscalerCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type HorizontalPodAutoscalerSpec
  behavior HorizontalPodAutoscalerBehavior, maxReplicas! int, metrics []MetricSpec
  minReplicas int, scaleTargetRef! CrossVersionObjectReference
type HorizontalPodAutoscalerStatus
  conditions []HorizontalPodAutoscalerCondition @merge:type, currentMetrics []MetricStatus
  currentReplicas int, desiredReplicas! int, lastScaleTime time, observedGeneration long
type MetricIdentifier
  name! string, selector meta.LabelSelector
type MetricSpec
  containerResource ContainerResourceMetricSource, external ExternalMetricSource
  object ObjectMetricSource, pods PodsMetricSource, resource ResourceMetricSource, type! string
type MetricStatus
  containerResource ContainerResourceMetricStatus, external ExternalMetricStatus
  object ObjectMetricStatus, pods PodsMetricStatus, resource ResourceMetricStatus, type! string
type MetricTarget
  averageUtilization int, averageValue quantity, type! string, value quantity
type MetricValueStatus
  averageUtilization int, averageValue quantity, value quantity
type ObjectMetricSource
  describedObject! CrossVersionObjectReference, metric! MetricIdentifier, target! MetricTarget
type ObjectMetricStatus
  current! MetricValueStatus, describedObject! CrossVersionObjectReference
  metric! MetricIdentifier
type PodsMetricSource
  metric! MetricIdentifier, target! MetricTarget
type PodsMetricStatus
  current! MetricValueStatus, metric! MetricIdentifier
type ResourceMetricSource
  name! string, target! MetricTarget
type ResourceMetricStatus
  current! MetricValueStatus, name! string
package io.k8s.api.batch.v1
kind CronJob: Makes jobs by the clock.
  spec! CronJobSpec, status CronJobStatus
type CronJobSpec: When to make jobs, and which.
  concurrencyPolicy string: Allow, Forbid or Replace.
  failedJobsHistoryLimit int
  jobTemplate! JobTemplateSpec: What the jobs are made from.
  schedule! string: When, in the notation of cron.
  startingDeadlineSeconds long, successfulJobsHistoryLimit int
  suspend bool: No more jobs while this is set.
  timeZone string
type CronJobStatus
  active []core.ObjectReference, lastScheduleTime time, lastSuccessfulTime time
kind Job: Runs pods until enough of them succeeded.
  spec JobSpec: What to run, and how often.
  status JobStatus: How far it is.
type JobCondition
  lastProbeTime time, lastTransitionTime time, message string, reason string, status! string
  type! string
type JobSpec: What a job should do.
  activeDeadlineSeconds long: The job fails after running for so long.
  backoffLimit int: How many failures are too many.
  backoffLimitPerIndex int
  completionMode string: NonIndexed or Indexed.
  completions int: How many pods must succeed.
  managedBy string, manualSelector bool, maxFailedIndexes int
  parallelism int: How many pods run at once.
  podFailurePolicy PodFailurePolicy: What to do about which failures.
  podReplacementPolicy string, selector meta.LabelSelector, successPolicy SuccessPolicy
  suspend bool: No pods while this is set.
  template! core.PodTemplateSpec: What the pods are made from.
  ttlSecondsAfterFinished int: The job is deleted so long after its end.
type JobStatus: How far a job is.
  active int: Pods that are pending or running.
  completedIndexes string
  completionTime time: When it ended well.
  conditions []JobCondition @merge:type: Complete, Failed, Suspended and others.
  failed int: Pods that failed.
  failedIndexes string
  ready int: Pods that are ready.
  startTime time: When it began.
  succeeded int: Pods that succeeded.
  terminating int, uncountedTerminatedPods UncountedTerminatedPods
type JobTemplateSpec
  metadata meta.ObjectMeta, spec JobSpec
type PodFailurePolicy
  rules! []PodFailurePolicyRule
type PodFailurePolicyOnExitCodesRequirement
  containerName string, operator! string, values! []int
type PodFailurePolicyOnPodConditionsPattern
  status string, type! string
type PodFailurePolicyRule
  action! string, onExitCodes PodFailurePolicyOnExitCodesRequirement
  onPodConditions []PodFailurePolicyOnPodConditionsPattern
type SuccessPolicy
  rules! []SuccessPolicyRule
type SuccessPolicyRule
  succeededCount int, succeededIndexes string
type UncountedTerminatedPods
  failed []string, succeeded []string
package io.k8s.api.policy.v1
kind PodDisruptionBudget: How many pods of a group may be evicted at once.
  spec PodDisruptionBudgetSpec: Which pods, and how many.
  status PodDisruptionBudgetStatus: How many now.
type PodDisruptionBudgetSpec: Which pods, and how many may be evicted.
  maxUnavailable intOrString: How many may be missing, a number or a percentage.
  minAvailable intOrString: How many must stay, a number or a percentage.
  selector meta.LabelSelector @replace: Labels of the pods.
  unhealthyPodEvictionPolicy string: IfHealthyBudget or AlwaysAllow: whether pods that are not ready may go.
type PodDisruptionBudgetStatus: How many pods may be evicted now.
  conditions []meta.Condition @merge:type
  currentHealthy int: Pods that are ready.
  desiredHealthy int: Pods that must be.
  disruptedPods {}time
  disruptionsAllowed int: How many may be evicted now.
  expectedPods int: Pods that the budget counts.
  observedGeneration long
package io.k8s.api.scheduling.v1
kind PriorityClass: A name for a priority.
  description string: When to use it.
  globalDefault bool: Pods without a class get this one.
  preemptionPolicy string: PreemptLowerPriority or Never.
  value int: The priority; higher goes first.
)";
}

}  // namespace berth::api::scheme
