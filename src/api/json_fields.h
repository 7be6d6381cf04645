// The wire names of the objects' fields, once for both directions.
//
// For each struct there is a function Fields(visitor, value) with one line per field. The decoder's
// visitor fills the field whose name it holds; the encoder's writes them all. A visitor
// understands:
//
//   v("name", field)                  left out of the JSON when it is zero, empty or absent
//   v.Required("name", field)         always written, as Kubernetes does for fields without
//   omitempty v.Group("spec", [&](auto& v) {})  an object on the wire whose fields live in the same
//   struct v.Names("gates", "name", list)    a list of objects of which one string each is kept
//   v.Keys("pods", set)               a map of which only the keys are kept
//   v.Alternative("csi", source, As<CsiInlineSource>())  a variant's alternative, told by its key
//
// Fields() for T may be given a T or a const T.
#pragma once

#include <concepts>
#include <type_traits>

#include "api/meta.h"
#include "api/node_selector.h"

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

}  // namespace berth::api
