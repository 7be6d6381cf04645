// The schemas of workloads, autoscaling, disruption budgets and priorities; schema_tables.h
// explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view WorkloadSchemas() {
  return R"(
package io.k8s.api.apps.v1
kind ControllerRevision: A snapshot of the state of a StatefulSet or DaemonSet.
  2 data object, 3 revision! long
kind DaemonSet: Runs a pod on every node, or on selected nodes.
  2 spec DaemonSetSpec: Desired behavior of the DaemonSet.
  3 status DaemonSetStatus: Observed status of the DaemonSet.
type DaemonSetCondition
  1 type! string, 2 status! string, 3 lastTransitionTime time, 4 reason string, 5 message string
type DaemonSetSpec: Desired behavior of a DaemonSet.
  1 selector! *meta.LabelSelector: Labels of its pods; cannot be changed.
  2 template! core.PodTemplateSpec: Template of the pods.
  3 updateStrategy DaemonSetUpdateStrategy: How pods are replaced.
  4 minReadySeconds int, 6 revisionHistoryLimit *int
type DaemonSetStatus
  1 currentNumberScheduled! int, 2 numberMisscheduled! int, 3 desiredNumberScheduled! int
  4 numberReady! int, 5 observedGeneration long, 6 updatedNumberScheduled int, 7 numberAvailable int
  8 numberUnavailable int, 9 collisionCount *int, 10 conditions []DaemonSetCondition @merge:type
type DaemonSetUpdateStrategy
  1 type string, 2 rollingUpdate *RollingUpdateDaemonSet
kind Deployment: Maintains a number of equal pods and rolls out changes gradually.
  2 spec DeploymentSpec: Desired behavior of the Deployment.
  3 status DeploymentStatus: Observed status of the Deployment.
type DeploymentCondition
  1 type! string, 2 status! string, 4 reason string, 5 message string, 6 lastUpdateTime time
  7 lastTransitionTime time
type DeploymentSpec: Desired behavior of a Deployment.
  1 replicas *int: Number of desired pods.
  2 selector! *meta.LabelSelector: Labels of its pods; cannot be changed.
  3 template! core.PodTemplateSpec: Template of the pods.
  4 strategy DeploymentStrategy @retainKeys: How pods are replaced.
  5 minReadySeconds int: Seconds that a pod must be ready to be available.
  6 revisionHistoryLimit *int: Number of old ReplicaSets to retain.
  7 paused bool: Changes are not rolled out.
  9 progressDeadlineSeconds *int: Seconds without progress after which the rollout has failed.
type DeploymentStatus: Observed status of a Deployment.
  1 observedGeneration long: Generation that the controller has observed.
  2 replicas int: Number of pods.
  3 updatedReplicas int: Pods of the current template.
  4 availableReplicas int: Pods that are available.
  5 unavailableReplicas int: Pods that are not available.
  6 conditions []DeploymentCondition @merge:type: Available, Progressing, ReplicaFailure.
  7 readyReplicas int: Pods that are ready.
  8 collisionCount *int, 9 terminatingReplicas *int
type DeploymentStrategy: How pods are replaced.
  1 type string: RollingUpdate or Recreate.
  2 rollingUpdate *RollingUpdateDeployment: Limits of a rolling update.
kind ReplicaSet: Maintains a number of equal pods.
  2 spec ReplicaSetSpec: Desired behavior of the ReplicaSet.
  3 status ReplicaSetStatus: Observed status of the ReplicaSet.
type ReplicaSetCondition
  1 type! string, 2 status! string, 3 lastTransitionTime time, 4 reason string, 5 message string
type ReplicaSetSpec: Desired behavior of a ReplicaSet.
  1 replicas *int: Number of desired pods.
  2 selector! *meta.LabelSelector: Labels of its pods; cannot be changed.
  3 template core.PodTemplateSpec: Template of the pods.
  4 minReadySeconds int
type ReplicaSetStatus: Observed status of a ReplicaSet.
  1 replicas! int, 2 fullyLabeledReplicas int, 3 observedGeneration long, 4 readyReplicas int
  5 availableReplicas int, 6 conditions []ReplicaSetCondition @merge:type
  7 terminatingReplicas *int
type RollingUpdateDaemonSet
  1 maxUnavailable *intOrString, 2 maxSurge *intOrString
type RollingUpdateDeployment: Limits while pods are replaced.
  1 maxUnavailable *intOrString: Maximum number or percentage of unavailable pods.
  2 maxSurge *intOrString: Maximum number or percentage of additional pods.
type RollingUpdateStatefulSetStrategy
  1 partition *int, 2 maxUnavailable *intOrString
kind StatefulSet: Maintains pods with stable names and storage.
  2 spec StatefulSetSpec: Desired behavior of the StatefulSet.
  3 status StatefulSetStatus: Observed status of the StatefulSet.
type StatefulSetCondition
  1 type! string, 2 status! string, 3 lastTransitionTime time, 4 reason string, 5 message string
type StatefulSetOrdinals
  1 start *int
type StatefulSetPersistentVolumeClaimRetentionPolicy
  1 whenDeleted string, 2 whenScaled string
type StatefulSetSpec: Desired behavior of a StatefulSet.
  1 replicas *int: Number of desired pods.
  2 selector! *meta.LabelSelector: Labels of its pods; cannot be changed.
  3 template! core.PodTemplateSpec: Template of the pods.
  4 volumeClaimTemplates []core.PersistentVolumeClaim: Claims to create for every pod.
  5 serviceName string: Service that provides the DNS names of the pods.
  6 podManagementPolicy string: OrderedReady or Parallel.
  7 updateStrategy StatefulSetUpdateStrategy: How pods are replaced.
  8 revisionHistoryLimit *int, 9 minReadySeconds int
  10 persistentVolumeClaimRetentionPolicy *StatefulSetPersistentVolumeClaimRetentionPolicy
  11 ordinals *StatefulSetOrdinals
type StatefulSetStatus
  1 observedGeneration long, 2 replicas! int, 3 readyReplicas int, 4 currentReplicas int
  5 updatedReplicas int, 6 currentRevision string, 7 updateRevision string, 9 collisionCount *int
  10 conditions []StatefulSetCondition @merge:type, 11 availableReplicas *int
type StatefulSetUpdateStrategy
  1 type string, 2 rollingUpdate *RollingUpdateStatefulSetStrategy
package io.k8s.api.autoscaling.v1
type CrossVersionObjectReference
  1 kind! string, 2 name! string, 3 apiVersion string
kind HorizontalPodAutoscaler: Adjusts the replicas of a workload to its CPU utilization.
  2 spec! HorizontalPodAutoscalerSpec: The workload, the bounds and the target.
  3 status HorizontalPodAutoscalerStatus: Current and desired replicas.
type HorizontalPodAutoscalerSpec
  1 scaleTargetRef! CrossVersionObjectReference: The workload.
  2 minReplicas *int: Lower bound; 1 by default.
  3 maxReplicas! int: Upper bound.
  4 targetCPUUtilizationPercentage *int: Average utilization of the requested CPU to aim for.
type HorizontalPodAutoscalerStatus
  1 observedGeneration *long, 2 lastScaleTime *time, 3 currentReplicas! int, 4 desiredReplicas! int
  5 currentCPUUtilizationPercentage *int
kind Scale: The number of replicas of a workload.
  2 spec ScaleSpec, 3 status ScaleStatus
type ScaleSpec
  1 replicas *int
type ScaleStatus
  1 replicas! int, 2 selector string
package io.k8s.api.autoscaling.v2
type ContainerResourceMetricSource
  1 name! string, 2 target! MetricTarget, 3 container! string
type ContainerResourceMetricStatus
  1 name! string, 2 current! MetricValueStatus, 3 container! string
type CrossVersionObjectReference
  1 kind! string, 2 name! string, 3 apiVersion string
type ExternalMetricSource
  1 metric! MetricIdentifier, 2 target! MetricTarget
type ExternalMetricStatus
  1 metric! MetricIdentifier, 2 current! MetricValueStatus
type HPAScalingPolicy
  1 type! string(Percent|Pods), 2 value! int, 3 periodSeconds! int
type HPAScalingRules
  1 selectPolicy *string(Disabled|Max|Min), 2 policies []HPAScalingPolicy
  3 stabilizationWindowSeconds *int
  4 tolerance *quantity
kind HorizontalPodAutoscaler: Scales the number of replicas by metrics.
  2 spec! HorizontalPodAutoscalerSpec, 3 status HorizontalPodAutoscalerStatus
type HorizontalPodAutoscalerBehavior
  1 scaleUp *HPAScalingRules, 2 scaleDown *HPAScalingRules
type HorizontalPodAutoscalerCondition
  1 type! string, 2 status! string, 3 lastTransitionTime time, 4 reason string, 5 message string
type HorizontalPodAutoscalerSpec
  1 scaleTargetRef! CrossVersionObjectReference, 2 minReplicas *int, 3 maxReplicas! int
  4 metrics []MetricSpec, 5 behavior *HorizontalPodAutoscalerBehavior
type HorizontalPodAutoscalerStatus
  1 observedGeneration *long, 2 lastScaleTime *time, 3 currentReplicas int, 4 desiredReplicas! int
  5 currentMetrics []MetricStatus, 6 conditions []HorizontalPodAutoscalerCondition @merge:type
type MetricIdentifier
  1 name! string, 2 selector *meta.LabelSelector
type MetricSpec
  1 type! string(ContainerResource|External|Object|Pods|Resource), 2 object *ObjectMetricSource
  3 pods *PodsMetricSource
  4 resource *ResourceMetricSource, 5 external *ExternalMetricSource
  7 containerResource *ContainerResourceMetricSource
type MetricStatus
  1 type! string, 2 object *ObjectMetricStatus, 3 pods *PodsMetricStatus
  4 resource *ResourceMetricStatus, 5 external *ExternalMetricStatus
  7 containerResource *ContainerResourceMetricStatus
type MetricTarget
  1 type! string(AverageValue|Utilization|Value), 2 value *quantity, 3 averageValue *quantity
  4 averageUtilization *int
type MetricValueStatus
  1 value *quantity, 2 averageValue *quantity, 3 averageUtilization *int
type ObjectMetricSource
  1 describedObject! CrossVersionObjectReference, 2 target! MetricTarget, 3 metric! MetricIdentifier
type ObjectMetricStatus
  1 metric! MetricIdentifier, 2 current! MetricValueStatus
  3 describedObject! CrossVersionObjectReference
type PodsMetricSource
  1 metric! MetricIdentifier, 2 target! MetricTarget
type PodsMetricStatus
  1 metric! MetricIdentifier, 2 current! MetricValueStatus
type ResourceMetricSource
  1 name! string, 2 target! MetricTarget
type ResourceMetricStatus
  1 name! string, 2 current! MetricValueStatus
package io.k8s.api.batch.v1
kind CronJob: Creates Jobs on a schedule.
  2 spec! CronJobSpec, 3 status CronJobStatus
type CronJobSpec: Desired behavior of a CronJob.
  1 schedule! string: Schedule in cron format.
  2 startingDeadlineSeconds *long
  3 concurrencyPolicy string: Allow, Forbid or Replace.
  4 suspend *bool: No Jobs are created while this is set.
  5 jobTemplate! JobTemplateSpec: Template of the Jobs.
  6 successfulJobsHistoryLimit *int, 7 failedJobsHistoryLimit *int, 8 timeZone *string
type CronJobStatus
  1 active []core.ObjectReference, 4 lastScheduleTime *time, 5 lastSuccessfulTime *time
kind Job: Runs pods to completion.
  2 spec JobSpec: Desired behavior of the Job.
  3 status JobStatus: Observed status of the Job.
type JobCondition
  1 type! string, 2 status! string, 3 lastProbeTime time, 4 lastTransitionTime time, 5 reason string
  6 message string
type JobSpec: Desired behavior of a Job.
  1 parallelism *int: Maximum number of pods that run at a time.
  2 completions *int: Number of pods that must succeed.
  3 activeDeadlineSeconds *long: Time after which the Job fails.
  4 selector *meta.LabelSelector, 5 manualSelector *bool
  6 template! core.PodTemplateSpec: Template of the pods.
  7 backoffLimit *int: Number of retries before the Job fails.
  8 ttlSecondsAfterFinished *int: Seconds after which a finished Job is deleted.
  9 completionMode *string: NonIndexed or Indexed.
  10 suspend *bool: No pods are created while this is set.
  11 podFailurePolicy *PodFailurePolicy: How to handle failed pods.
  12 backoffLimitPerIndex *int, 13 maxFailedIndexes *int, 14 podReplacementPolicy *string
  15 managedBy *string, 16 successPolicy *SuccessPolicy
type JobStatus: Observed status of a Job.
  1 conditions []JobCondition @merge:type: Complete, Failed, Suspended and others.
  2 startTime *time: When the Job started.
  3 completionTime *time: When the Job completed.
  4 active int: Pods that are pending or running.
  5 succeeded int: Pods that succeeded.
  6 failed int: Pods that failed.
  7 completedIndexes string, 8 uncountedTerminatedPods *UncountedTerminatedPods
  9 ready *int: Pods that are ready.
  10 failedIndexes *string, 11 terminating *int
type JobTemplateSpec
  1 metadata meta.ObjectMeta, 2 spec JobSpec
type PodFailurePolicy
  1 rules! []PodFailurePolicyRule
type PodFailurePolicyOnExitCodesRequirement
  1 containerName *string, 2 operator! string, 3 values! []int
type PodFailurePolicyOnPodConditionsPattern
  1 type! string, 2 status string
type PodFailurePolicyRule
  1 action! string, 2 onExitCodes *PodFailurePolicyOnExitCodesRequirement
  3 onPodConditions []PodFailurePolicyOnPodConditionsPattern
type SuccessPolicy
  1 rules! []SuccessPolicyRule
type SuccessPolicyRule
  1 succeededIndexes *string, 2 succeededCount *int
type UncountedTerminatedPods
  1 succeeded []string, 2 failed []string
package io.k8s.api.policy.v1
kind Eviction: Evicts a pod if its disruption budgets allow.
  2 deleteOptions *meta.DeleteOptions
kind PodDisruptionBudget: Limits the voluntary disruptions of a set of pods.
  2 spec PodDisruptionBudgetSpec: Desired behavior of the budget.
  3 status PodDisruptionBudgetStatus: Observed status of the budget.
type PodDisruptionBudgetSpec: Desired behavior of a budget.
  1 minAvailable *intOrString: Minimum number or percentage of available pods.
  2 selector *meta.LabelSelector @replace: Labels of the pods.
  3 maxUnavailable *intOrString: Maximum number or percentage of unavailable pods.
  4 unhealthyPodEvictionPolicy *string: IfHealthyBudget or AlwaysAllow: when pods that are not ready can be evicted.
type PodDisruptionBudgetStatus: Observed status of a budget.
  1 observedGeneration long, 2 disruptedPods {}time
  3 disruptionsAllowed *int: Number of disruptions currently allowed.
  4 currentHealthy *int: Number of healthy pods.
  5 desiredHealthy *int: Minimum number of healthy pods.
  6 expectedPods *int: Number of pods that the budget covers.
  7 conditions []meta.Condition @merge:type
package io.k8s.api.scheduling.v1
kind PriorityClass: Maps a name to a priority.
  2 value *int: The priority; higher values are scheduled first.
  3 globalDefault bool: Pods without a priority class use this one.
  4 description string: When to use it.
  5 preemptionPolicy *string: PreemptLowerPriority or Never.
package io.k8s.api.scheduling.v1alpha2
type BasicSchedulingPolicy: Members are scheduled one by one.
type GangSchedulingPolicy: Members are scheduled together.
  1 minCount! int: Number of members that must be placed for any of them to be bound.
kind PodGroup: A group of pods that are scheduled together.
  2 spec! PodGroupSpec: Desired scheduling of the group.
  3 status PodGroupStatus: Observed status of the group.
type PodGroupResourceClaim
  1 name! string, 2 resourceClaimName *string, 3 resourceClaimTemplateName *string
type PodGroupResourceClaimStatus
  1 name! string, 2 resourceClaimName *string
type PodGroupSchedulingConstraints: Constraints on where the members are placed.
  1 topology []TopologyConstraint: Topology domains that hold all members; at most one.
type PodGroupSchedulingPolicy: How the members are scheduled; one of its fields.
  1 basic *BasicSchedulingPolicy: Members are scheduled one by one.
  2 gang *GangSchedulingPolicy: Members are scheduled together.
type PodGroupSpec: Desired scheduling of a group.
  1 podGroupTemplateRef *PodGroupTemplateReference: Template of the group.
  2 schedulingPolicy! PodGroupSchedulingPolicy: How the members are scheduled.
  3 schedulingConstraints *PodGroupSchedulingConstraints: Constraints on where the members are placed.
  4 resourceClaims []PodGroupResourceClaim @merge,retainKeys:name: Claims that the members share.
  5 disruptionMode *string(Pod|PodGroup): Whether members are evicted one by one or together.
  6 priorityClassName string: Name of a PriorityClass.
  7 priority *int: Priority of the group in preemption; admission sets it from the class.
type PodGroupStatus: Observed status of a group.
  1 conditions []meta.Condition @merge:type: PodGroupScheduled, DisruptionTarget.
  2 resourceClaimStatuses []PodGroupResourceClaimStatus @merge,retainKeys:name: Claims that were created for the group.
type PodGroupTemplate: Template of a group.
  1 name! string: Name of the template in its Workload.
  2 schedulingPolicy! PodGroupSchedulingPolicy: How the members are scheduled.
  3 schedulingConstraints *PodGroupSchedulingConstraints
  4 resourceClaims []PodGroupResourceClaim @merge,retainKeys:name: Claims that the members share.
  5 disruptionMode *string(Pod|PodGroup), 6 priorityClassName string, 7 priority *int
type PodGroupTemplateReference
  1 workload *WorkloadPodGroupTemplateReference
type TopologyConstraint: Confines a group to one value of a label.
  1 key! string: Label of the nodes.
type TypedLocalObjectReference
  1 apiGroup string, 2 kind! string, 3 name! string
kind Workload: Templates of the groups of an application.
  2 spec! WorkloadSpec: The templates.
type WorkloadPodGroupTemplateReference
  1 workloadName! string, 2 podGroupTemplateName! string
type WorkloadSpec
  1 controllerRef *TypedLocalObjectReference: The object that owns the workload.
  2 podGroupTemplates! []PodGroupTemplate: One to eight templates.
)";
}

}  // namespace berth::api::scheme
