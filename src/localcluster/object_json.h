// Shortcuts for kubelets and controllers: the kinds they work on, and readers and writers for the
// parts of objects' JSON documents that they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "api/selector.h"
#include "apiserver/store/stored_object.h"
#include "base/time.h"

namespace berth::localcluster {

using api::scheme::Kind;

inline const Kind& Pods() {
  static const Kind& kind = api::scheme::KindOf("pods");
  return kind;
}
inline const Kind& Nodes() {
  static const Kind& kind = api::scheme::KindOf("nodes");
  return kind;
}
inline const Kind& Namespaces() {
  static const Kind& kind = api::scheme::KindOf("namespaces");
  return kind;
}
inline const Kind& Leases() {
  static const Kind& kind = api::scheme::KindOf("leases.coordination.k8s.io");
  return kind;
}
inline const Kind& LeaseCandidates() {
  static const Kind& kind = api::scheme::KindOf("leasecandidates.coordination.k8s.io");
  return kind;
}
inline const Kind& ReplicaSets() {
  static const Kind& kind = api::scheme::KindOf("replicasets.apps");
  return kind;
}
inline const Kind& ReplicationControllers() {
  static const Kind& kind = api::scheme::KindOf("replicationcontrollers");
  return kind;
}
inline const Kind& Deployments() {
  static const Kind& kind = api::scheme::KindOf("deployments.apps");
  return kind;
}
inline const Kind& StatefulSets() {
  static const Kind& kind = api::scheme::KindOf("statefulsets.apps");
  return kind;
}
inline const Kind& DaemonSets() {
  static const Kind& kind = api::scheme::KindOf("daemonsets.apps");
  return kind;
}
inline const Kind& ControllerRevisions() {
  static const Kind& kind = api::scheme::KindOf("controllerrevisions.apps");
  return kind;
}
inline const Kind& Jobs() {
  static const Kind& kind = api::scheme::KindOf("jobs.batch");
  return kind;
}
inline const Kind& DisruptionBudgets() {
  static const Kind& kind = api::scheme::KindOf("poddisruptionbudgets.policy");
  return kind;
}
inline const Kind& Claims() {
  static const Kind& kind = api::scheme::KindOf("persistentvolumeclaims");
  return kind;
}
inline const Kind& Volumes() {
  static const Kind& kind = api::scheme::KindOf("persistentvolumes");
  return kind;
}
inline const Kind& StorageClasses() {
  static const Kind& kind = api::scheme::KindOf("storageclasses.storage.k8s.io");
  return kind;
}

inline const Kind& PodGroups() {
  static const Kind& kind = api::scheme::KindOf("podgroups.scheduling.k8s.io");
  return kind;
}
inline const Kind& ResourceClaims() {
  static const Kind& kind = api::scheme::KindOf("resourceclaims.resource.k8s.io");
  return kind;
}
inline const Kind& ResourceClaimTemplates() {
  static const Kind& kind = api::scheme::KindOf("resourceclaimtemplates.resource.k8s.io");
  return kind;
}
inline const Kind& ResourceSlices() {
  static const Kind& kind = api::scheme::KindOf("resourceslices.resource.k8s.io");
  return kind;
}

using api::ArrayAt;
using api::AsObject;
using api::AsString;
using api::At;
using api::BoolAt;
using api::EmptyAt;
using api::IntAt;
using api::Json;
using api::JsonArray;
using api::JsonObject;
using api::ObjectAt;
using api::SetBool;
using api::SetInt;
using api::SetString;
using api::StringAt;

// Returns the object or array at `key`, and creates it if it is absent or of another type. Does not
// move other members if it exists, which object[key] does not promise.
inline JsonObject& EnsureObject(JsonObject& object, std::string_view key) {
  if (JsonObject* found = ObjectAt(&object, key)) return *found;
  return object[key].emplace_object();
}
inline JsonArray& EnsureArray(JsonObject& object, std::string_view key) {
  if (JsonArray* found = ArrayAt(&object, key)) return *found;
  return object[key].emplace_array();
}

// Returns the objects in the array at `key` and skips elements of other types.
std::vector<std::reference_wrapper<const JsonObject>> ObjectsAt(const JsonObject* object,
                                                                std::string_view key);
std::optional<Instant> TimeAt(const JsonObject* object, std::string_view key);
// Returns the condition of that type in `status`, or null.
const JsonObject* ConditionOf(const JsonObject* status, std::string_view type);
// Reports whether the condition's status is "True".
bool IsTrue(const JsonObject* status, std::string_view condition);

void RemoveCondition(JsonObject& status, std::string_view type);

// Returns the owner reference of the object's controller, or null.
const JsonObject* ControllerOf(const JsonObject* metadata);
// Returns the label's value, or null if the object does not have it.
const std::string* LabelOf(const apiserver::store::Object& object, std::string_view key);
bool Matches(const api::Selector& selector, const apiserver::store::Object& object);
// Compiles a workload's spec.selector; returns Nothing if it is absent or invalid.
api::Selector SelectorOf(const Kind& kind, const JsonObject& document);

// Appends a controller reference to `owner`, an object of `kind`, to `metadata`.
void SetController(JsonObject& metadata, const Kind& kind, const JsonObject& owner);
// Removes the owner reference with that uid.
void RemoveOwner(JsonObject& metadata, std::string_view uid);
// Builds a pod from the workload's template and sets `owner` as its controller. It has no name yet.
JsonObject PodFromTemplate(const JsonObject& pod_template, const Kind& kind,
                           const JsonObject& owner);

// Resolves an IntOrString: a number, or a percentage of `total`. Returns `fallback` if it is absent
// or neither.
int64_t ScaledValue(const Json* value, int64_t total, bool round_up, int64_t fallback);
// Sets the number, or removes it if it is zero, as Go's omitempty does.
void SetCount(JsonObject& status, std::string_view key, int64_t count);
// Removes `text` from the array of strings at `key`, and the array if it becomes empty. Reports
// whether it was there.
bool RemoveText(JsonObject& object, std::string_view key, std::string_view text);

// Returns a short hash of `text` in the alphabet of generated names.
std::string SafeHash(std::string_view text);
// Serializes the document with sorted keys and without empty members: equivalent documents give
// equal texts.
std::string CanonicalText(const Json& value);

}  // namespace berth::localcluster
