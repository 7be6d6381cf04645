// The JSON names of the objects' fields, shared by decoders and encoders. This file has metadata,
// selectors, nodes and workloads; fields_pod.h, fields_storage.h and fields_devices.h have the
// rest.
//
// For each struct there is a function Fields(visitor, value) with one line per field. The decoder's
// visitor fills the field whose name it holds; the encoder's visitor writes all fields. The methods
// of a visitor:
//
//   v("name", field)                an optional field: omitted when zero, empty or absent
//   v.Required("name", field)       always written, like a Kubernetes field without omitempty
//   v.Group("spec", [&](auto& v){}) a nested JSON object whose fields are in the same struct
//   v.Wrapped("cel", "expression", text)  an optional object, reduced to one field
//   v.Names("gates", "name", list)  a list of objects, reduced to one string each
//   v.Keys("pods", set)             a map, reduced to its keys
//   v.Choice("mode", text)          a string, or in other versions an object whose only field has
//                                   that name
//   v.Alternative("csi", source, As<CsiInlineSource>())  an alternative of a variant
//
// Fields() for T accepts a T or a const T.
#pragma once

#include <concepts>
#include <type_traits>

#include "api/meta.h"
#include "api/node.h"
#include "api/workloads.h"

namespace berth::api {

template <typename T, typename U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

template <typename T>
using As = std::type_identity<T>;

void Fields(auto& v, Like<OwnerReference> auto& t) {
  v.Required("apiVersion", t.api_version);
  v.Required("kind", t.kind);
  v.Required("name", t.name);
  v.Required("uid", t.uid);
  v("controller", t.controller);
}

void Fields(auto& v, Like<ObjectMeta> auto& t) {
  v("name", t.name);
  v("namespace", t.namespace_);
  v("uid", t.uid);
  v("resourceVersion", t.resource_version);
  v("generation", t.generation);
  v("creationTimestamp", t.creation_timestamp);
  v("deletionTimestamp", t.deletion_timestamp);
  v("labels", t.labels);
  v("annotations", t.annotations);
  v("ownerReferences", t.owner_references);
}

void Fields(auto& v, Like<LabelSelectorRequirement> auto& t) {
  v.Required("key", t.key);
  v.Required("operator", t.op);
  v("values", t.values);
}

void Fields(auto& v, Like<LabelSelector> auto& t) {
  v("matchLabels", t.match_labels);
  v("matchExpressions", t.match_expressions);
}

void Fields(auto& v, Like<NodeSelectorRequirement> auto& t) {
  v.Required("key", t.key);
  v.Required("operator", t.op);
  v("values", t.values);
}

void Fields(auto& v, Like<NodeSelectorTerm> auto& t) {
  v("matchExpressions", t.match_expressions);
  v("matchFields", t.match_fields);
}

void Fields(auto& v, Like<NodeSelector> auto& t) { v.Required("nodeSelectorTerms", t.terms); }

void Fields(auto& v, Like<PreferredSchedulingTerm> auto& t) {
  v.Required("weight", t.weight);
  v.Required("preference", t.preference);
}

void Fields(auto& v, Like<NodeAffinity> auto& t) {
  v("requiredDuringSchedulingIgnoredDuringExecution", t.required);
  v("preferredDuringSchedulingIgnoredDuringExecution", t.preferred);
}

void Fields(auto& v, Like<Taint> auto& t) {
  v.Required("key", t.key);
  v("value", t.value);
  v.Required("effect", t.effect);
}

void Fields(auto& v, Like<ContainerImage> auto& t) {
  v("names", t.names);
  v("sizeBytes", t.size_bytes);
}

void Fields(auto& v, Like<NodeCondition> auto& t) {
  v.Required("type", t.type);
  v.Required("status", t.status);
}

void Fields(auto& v, Like<NodeSpec> auto& t) {
  v("unschedulable", t.unschedulable);
  v("taints", t.taints);
}

void Fields(auto& v, Like<NodeStatus> auto& t) {
  v("capacity", t.capacity);
  v("allocatable", t.allocatable);
  v("conditions", t.conditions);
  v("images", t.images);
  v("declaredFeatures", t.declared_features);
}

void Fields(auto& v, Like<Node> auto& t) {
  v.Required("metadata", t.metadata);
  v.Required("spec", t.spec);
  v.Required("status", t.status);
}

void Fields(auto& v, Like<Namespace> auto& t) { v.Required("metadata", t.metadata); }

template <typename T>
concept HasSpecSelector = Like<T, Service> || Like<T, ReplicationController> ||
                          Like<T, ReplicaSet> || Like<T, StatefulSet>;

void Fields(auto& v, HasSpecSelector auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) { spec("selector", t.selector); });
}

void Fields(auto& v, Like<PodDisruptionBudget> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) { spec("selector", t.selector); });
  v.Group("status", [&](auto& status) {
    status.Required("disruptionsAllowed", t.disruptions_allowed);
    status.Keys("disruptedPods", t.disrupted_pods);
  });
}

void Fields(auto& v, Like<PriorityClass> auto& t) {
  v.Required("metadata", t.metadata);
  v.Required("value", t.value);
  v("globalDefault", t.global_default);
  v("preemptionPolicy", t.preemption_policy);
}

}  // namespace berth::api
