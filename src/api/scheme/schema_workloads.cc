// The schemas of workloads, autoscaling, disruption budgets and priorities; schema_tables.h
// explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view WorkloadSchemas() {
  return R"(
package io.k8s.api.apps.v1
kind ControllerRevision: A snapshot of the state of a StatefulSet or DaemonSet.
  data object, revision! long
kind DaemonSet: Runs a pod on every node, or on selected nodes.
  spec DaemonSetSpec: Desired behavior of the DaemonSet.
  status DaemonSetStatus: Observed status of the DaemonSet.
type DaemonSetCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type DaemonSetSpec: Desired behavior of a DaemonSet.
  minReadySeconds int, revisionHistoryLimit int
  selector! meta.LabelSelector: Labels of its pods; cannot be changed.
  template! core.PodTemplateSpec: Template of the pods.
  updateStrategy DaemonSetUpdateStrategy: How pods are replaced.
type DaemonSetStatus
  collisionCount int, conditions []DaemonSetCondition @merge:type, currentNumberScheduled! int
  desiredNumberScheduled! int, numberAvailable int, numberMisscheduled! int, numberReady! int
  numberUnavailable int, observedGeneration long, updatedNumberScheduled int
type DaemonSetUpdateStrategy
  rollingUpdate RollingUpdateDaemonSet, type string
kind Deployment: Maintains a number of equal pods and rolls out changes gradually.
  spec DeploymentSpec: Desired behavior of the Deployment.
  status DeploymentStatus: Observed status of the Deployment.
type DeploymentCondition
  lastTransitionTime time, lastUpdateTime time, message string, reason string, status! string
  type! string
type DeploymentSpec: Desired behavior of a Deployment.
  minReadySeconds int: Seconds that a pod must be ready to be available.
  paused bool: Changes are not rolled out.
  progressDeadlineSeconds int: Seconds without progress after which the rollout has failed.
  replicas int: Number of desired pods.
  revisionHistoryLimit int: Number of old ReplicaSets to retain.
  selector! meta.LabelSelector: Labels of its pods; cannot be changed.
  strategy DeploymentStrategy @retainKeys: How pods are replaced.
  template! core.PodTemplateSpec: Template of the pods.
type DeploymentStatus: Observed status of a Deployment.
  availableReplicas int: Pods that are available.
  collisionCount int
  conditions []DeploymentCondition @merge:type: Available, Progressing, ReplicaFailure.
  observedGeneration long: Generation that the controller has observed.
  readyReplicas int: Pods that are ready.
  replicas int: Number of pods.
  terminatingReplicas int
  unavailableReplicas int: Pods that are not available.
  updatedReplicas int: Pods of the current template.
type DeploymentStrategy: How pods are replaced.
  rollingUpdate RollingUpdateDeployment: Limits of a rolling update.
  type string: RollingUpdate or Recreate.
kind ReplicaSet: Maintains a number of equal pods.
  spec ReplicaSetSpec: Desired behavior of the ReplicaSet.
  status ReplicaSetStatus: Observed status of the ReplicaSet.
type ReplicaSetCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type ReplicaSetSpec: Desired behavior of a ReplicaSet.
  minReadySeconds int
  replicas int: Number of desired pods.
  selector! meta.LabelSelector: Labels of its pods; cannot be changed.
  template core.PodTemplateSpec: Template of the pods.
type ReplicaSetStatus: Observed status of a ReplicaSet.
  availableReplicas int, conditions []ReplicaSetCondition @merge:type, fullyLabeledReplicas int
  observedGeneration long, readyReplicas int, replicas! int, terminatingReplicas int
type RollingUpdateDaemonSet
  maxSurge intOrString, maxUnavailable intOrString
type RollingUpdateDeployment: Limits while pods are replaced.
  maxSurge intOrString: Maximum number or percentage of additional pods.
  maxUnavailable intOrString: Maximum number or percentage of unavailable pods.
type RollingUpdateStatefulSetStrategy
  maxUnavailable intOrString, partition int
kind StatefulSet: Maintains pods with stable names and storage.
  spec StatefulSetSpec: Desired behavior of the StatefulSet.
  status StatefulSetStatus: Observed status of the StatefulSet.
type StatefulSetCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
type StatefulSetOrdinals
  start int
type StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted string, whenScaled string
type StatefulSetSpec: Desired behavior of a StatefulSet.
  minReadySeconds int, ordinals StatefulSetOrdinals
  persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy
  podManagementPolicy string: OrderedReady or Parallel.
  replicas int: Number of desired pods.
  revisionHistoryLimit int
  selector! meta.LabelSelector: Labels of its pods; cannot be changed.
  serviceName string: Service that provides the DNS names of the pods.
  template! core.PodTemplateSpec: Template of the pods.
  updateStrategy StatefulSetUpdateStrategy: How pods are replaced.
  volumeClaimTemplates []core.PersistentVolumeClaim: Claims to create for every pod.
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
kind HorizontalPodAutoscaler: Scales the number of replicas by metrics.
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
kind CronJob: Creates Jobs on a schedule.
  spec! CronJobSpec, status CronJobStatus
type CronJobSpec: Desired behavior of a CronJob.
  concurrencyPolicy string: Allow, Forbid or Replace.
  failedJobsHistoryLimit int
  jobTemplate! JobTemplateSpec: Template of the Jobs.
  schedule! string: Schedule in cron format.
  startingDeadlineSeconds long, successfulJobsHistoryLimit int
  suspend bool: No Jobs are created while this is set.
  timeZone string
type CronJobStatus
  active []core.ObjectReference, lastScheduleTime time, lastSuccessfulTime time
kind Job: Runs pods to completion.
  spec JobSpec: Desired behavior of the Job.
  status JobStatus: Observed status of the Job.
type JobCondition
  lastProbeTime time, lastTransitionTime time, message string, reason string, status! string
  type! string
type JobSpec: Desired behavior of a Job.
  activeDeadlineSeconds long: Time after which the Job fails.
  backoffLimit int: Number of retries before the Job fails.
  backoffLimitPerIndex int
  completionMode string: NonIndexed or Indexed.
  completions int: Number of pods that must succeed.
  managedBy string, manualSelector bool, maxFailedIndexes int
  parallelism int: Maximum number of pods that run at a time.
  podFailurePolicy PodFailurePolicy: How to handle failed pods.
  podReplacementPolicy string, selector meta.LabelSelector, successPolicy SuccessPolicy
  suspend bool: No pods are created while this is set.
  template! core.PodTemplateSpec: Template of the pods.
  ttlSecondsAfterFinished int: Seconds after which a finished Job is deleted.
type JobStatus: Observed status of a Job.
  active int: Pods that are pending or running.
  completedIndexes string
  completionTime time: When the Job completed.
  conditions []JobCondition @merge:type: Complete, Failed, Suspended and others.
  failed int: Pods that failed.
  failedIndexes string
  ready int: Pods that are ready.
  startTime time: When the Job started.
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
kind PodDisruptionBudget: Limits the voluntary disruptions of a set of pods.
  spec PodDisruptionBudgetSpec: Desired behavior of the budget.
  status PodDisruptionBudgetStatus: Observed status of the budget.
type PodDisruptionBudgetSpec: Desired behavior of a budget.
  maxUnavailable intOrString: Maximum number or percentage of unavailable pods.
  minAvailable intOrString: Minimum number or percentage of available pods.
  selector meta.LabelSelector @replace: Labels of the pods.
  unhealthyPodEvictionPolicy string: IfHealthyBudget or AlwaysAllow: when pods that are not ready can be evicted.
type PodDisruptionBudgetStatus: Observed status of a budget.
  conditions []meta.Condition @merge:type
  currentHealthy int: Number of healthy pods.
  desiredHealthy int: Minimum number of healthy pods.
  disruptedPods {}time
  disruptionsAllowed int: Number of disruptions currently allowed.
  expectedPods int: Number of pods that the budget covers.
  observedGeneration long
package io.k8s.api.scheduling.v1
kind PriorityClass: Maps a name to a priority.
  description string: When to use it.
  globalDefault bool: Pods without a priority class use this one.
  preemptionPolicy string: PreemptLowerPriority or Never.
  value int: The priority; higher values are scheduled first.
)";
}

}  // namespace berth::api::scheme
