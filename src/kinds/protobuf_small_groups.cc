// Messages of groups with few kinds.
#include "kinds/protobuf_tables.h"

namespace berth::apiserver {

const ProtobufTable kProtobufPolicy = {"policy", R"(
PodDisruptionBudget: 1 metadata ObjectMeta; 2 spec PodDisruptionBudgetSpec;
  3 status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: 1 minAvailable *IntOrString; 2 selector *LabelSelector;
  3 maxUnavailable *IntOrString; 4 unhealthyPodEvictionPolicy *string
PodDisruptionBudgetStatus: 1 observedGeneration int; 2 disruptedPods {}Time;
  3 disruptionsAllowed *int; 4 currentHealthy *int; 5 desiredHealthy *int; 6 expectedPods *int;
  7 conditions []Condition
Eviction: 1 metadata ObjectMeta; 2 deleteOptions *DeleteOptions
)"};

const ProtobufTable kProtobufScheduling = {"scheduling", R"(
PriorityClass: 1 metadata ObjectMeta; 2 value *int; 3 globalDefault bool; 4 description;
  5 preemptionPolicy *string
)"};

const ProtobufTable kProtobufCoordination = {"coordination", R"(
Lease: 1 metadata ObjectMeta; 2 spec LeaseSpec
LeaseSpec: 1 holderIdentity *string; 2 leaseDurationSeconds *int; 3 acquireTime *MicroTime;
  4 renewTime *MicroTime; 5 leaseTransitions *int; 6 strategy *string; 7 preferredHolder *string
)"};

const ProtobufTable kProtobufEvents = {"events", R"(
Event: 1 metadata ObjectMeta; 2 eventTime MicroTime; 3 series *EventSeries; 4 reportingController;
  5 reportingInstance; 6 action; 7 reason; 8 regarding core.ObjectReference;
  9 related *core.ObjectReference; 10 note; 11 type; 12 deprecatedSource core.EventSource;
  13 deprecatedFirstTimestamp Time; 14 deprecatedLastTimestamp Time; 15 deprecatedCount int
EventSeries: 1 count *int; 2 lastObservedTime MicroTime
)"};

const ProtobufTable kProtobufAutoscaling = {"autoscaling", R"(
Scale: 1 metadata ObjectMeta; 2 spec ScaleSpec; 3 status ScaleStatus
ScaleSpec: 1 replicas *int
ScaleStatus: 1 replicas *int; 2 selector
)"};

}  // namespace berth::apiserver
