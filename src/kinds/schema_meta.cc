// Schemas of what all kinds share. schema_tables.h says how to read them.
#include "kinds/schema_tables.h"

namespace berth::apiserver {

std::string_view MetaSchemas() {
  return R"(
package io.k8s.apimachinery.pkg.apis.meta.v1
type Condition: One aspect of an object's state.
  lastTransitionTime! time, message! string, observedGeneration long, reason! string
  status! string, type! string
type LabelSelector: Selects objects by their labels; all parts must match. An empty one selects everything.
  matchExpressions []LabelSelectorRequirement: Requirements on labels.
  matchLabels {}string: Labels that must have exactly these values.
type LabelSelectorRequirement: A requirement on one label.
  key! string: The label.
  operator! string: In, NotIn, Exists or DoesNotExist.
  values []string: Values for In and NotIn.
type ManagedFieldsEntry
  apiVersion string, fieldsType string, fieldsV1 object, manager string, operation string
  subresource string, time time
type ObjectMeta: What every object carries: its name, its labels, and what the server keeps about it.
  annotations {}string: Free notes, for tools rather than for selectors.
  creationTimestamp time: When the server created the object.
  deletionGracePeriodSeconds long: Seconds between the request to delete and the end.
  deletionTimestamp time: When the object goes, or went out of use; set by a delete that takes time.
  finalizers []string @merge: Who must still do something before a deleted object goes.
  generateName string: A prefix: the server adds letters to make a name if none is given.
  generation long: Counts the changes of the wanted state.
  labels {}string: Keys and values that selectors look at.
  managedFields []ManagedFieldsEntry: Which manager owns which fields, for server-side apply.
  name string: Name, unique among objects of this kind in the namespace.
  namespace string: Namespace that the object lives in; empty for cluster-wide kinds.
  ownerReferences []OwnerReference @merge:uid: Objects that this one depends on; it goes when they are gone.
  resourceVersion string: Version of this state; a write that names an older one is refused.
  selfLink string
  uid string: Unlike the name, never used again.
type OwnerReference: An object that another depends on.
  apiVersion! string
  blockOwnerDeletion bool: The owner waits for this object when it is deleted in the foreground.
  controller bool: This owner is the one that manages the object.
  kind! string, name! string, uid! string
)";
}

}  // namespace berth::apiserver
