// The kinds that kubelets and controllers work on.
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

// Reading and writing what controllers have in common in the documents of objects.
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

// The object or list at `key`, which is made if absent or of another type. If it is there, all
// other members stay where they are, which object[key] does not promise.
inline JsonObject& EnsureObject(JsonObject& object, std::string_view key) {
  if (JsonObject* found = ObjectAt(&object, key)) return *found;
  return object[key].emplace_object();
}
inline JsonArray& EnsureArray(JsonObject& object, std::string_view key) {
  if (JsonArray* found = ArrayAt(&object, key)) return *found;
  return object[key].emplace_array();
}

// The objects in the list at `key`; what is not an object is left out.
std::vector<std::reference_wrapper<const JsonObject>> ObjectsAt(const JsonObject* object,
                                                                std::string_view key);
std::optional<Instant> TimeAt(const JsonObject* object, std::string_view key);
// The condition of `status`, or null.
const JsonObject* ConditionOf(const JsonObject* status, std::string_view type);
bool IsTrue(const JsonObject* status, std::string_view condition);

void RemoveCondition(JsonObject& status, std::string_view type);

// The owner reference of the object's controller, or null.
const JsonObject* ControllerOf(const JsonObject* metadata);
// Null if the object has no such label.
const std::string* LabelOf(const apiserver::store::Object& object, std::string_view key);
bool Matches(const api::Selector& selector, const apiserver::store::Object& object);
// Of a workload's spec.selector; Nothing if there is none or it is wrong.
api::Selector SelectorOf(const Kind& kind, const JsonObject& document);

// Makes `owner` the controller of the object with `metadata`.
void SetController(JsonObject& metadata, const Kind& kind, const JsonObject& owner);
// A pod made from the workload's template. It has no name yet.
JsonObject PodFromTemplate(const JsonObject& pod_template, const Kind& kind,
                           const JsonObject& owner);

// A number, or a percentage of `total`; `fallback` if it is absent or neither.
int64_t ScaledValue(const Json* value, int64_t total, bool round_up, int64_t fallback);
// Sets the number; a zero is left out, as Go's omitempty does.
void SetCount(JsonObject& status, std::string_view key, int64_t count);
// Removes `text` from the list of strings at `key`, and the list if it gets empty.
bool RemoveText(JsonObject& object, std::string_view key, std::string_view text);

// A short hash in the characters that generated names are made of.
std::string SafeHash(std::string_view text);
// The document's text with the keys of all objects in order: equal documents give equal texts.
std::string CanonicalText(const Json& value);

}  // namespace berth::localcluster
