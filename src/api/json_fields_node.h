// The wire names of Node's and Namespace's fields; see json_fields.h.
#pragma once

#include "api/json_fields.h"
#include "api/node.h"

namespace berth::api {

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

}  // namespace berth::api
