// Messages of meta/v1, which all groups share.
#include "kinds/protobuf_tables.h"

namespace berth::apiserver {

const ProtobufTable kProtobufMeta = {"meta", R"(
DeleteOptions: 1 gracePeriodSeconds *int; 2 preconditions *Preconditions;
  3 orphanDependents *bool; 4 propagationPolicy *string; 5 dryRun []string;
  6 ignoreStoreReadErrorWithClusterBreakingPotential *bool
Preconditions: 1 uid *string; 2 resourceVersion *string
Status: 1 metadata ListMeta; 2 status; 3 message; 4 reason; 5 details *StatusDetails; 6 code int
ListMeta: 1 selfLink; 2 resourceVersion; 3 continue; 4 remainingItemCount *int;
  5 shardInfo *ShardInfo
ShardInfo: 1 selector
StatusDetails: 1 name; 2 group; 3 kind; 4 causes []StatusCause; 5 retryAfterSeconds int; 6 uid
StatusCause: 1 reason; 2 message; 3 field
ObjectMeta: 1 name; 2 generateName; 3 namespace; 4 selfLink; 5 uid; 6 resourceVersion;
  7 generation int; 8 creationTimestamp Time; 9 deletionTimestamp *Time;
  10 deletionGracePeriodSeconds *int; 11 labels {}string; 12 annotations {}string;
  13 ownerReferences []OwnerReference; 14 finalizers []string;
  17 managedFields []ManagedFieldsEntry
OwnerReference: 1 kind; 3 name; 4 uid; 5 apiVersion; 6 controller *bool;
  7 blockOwnerDeletion *bool
ManagedFieldsEntry: 1 manager; 2 operation; 3 apiVersion; 4 time *Time; 6 fieldsType;
  7 fieldsV1 *RawExtension; 8 subresource
Condition: 1 type; 2 status; 3 observedGeneration int; 4 lastTransitionTime Time; 5 reason;
  6 message
LabelSelector: 1 matchLabels {}string; 2 matchExpressions []LabelSelectorRequirement
LabelSelectorRequirement: 1 key; 2 operator; 3 values []string
FieldSelectorRequirement: 1 key; 2 operator; 3 values []string
)"};

}  // namespace berth::apiserver
