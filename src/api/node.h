// Node and Namespace, with every field that a scheduling rule reads.
#pragma once

#include <string>
#include <vector>

#include "api/meta.h"
#include "api/quantity.h"

namespace berth::api {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;
  friend auto operator<=>(const Taint&, const Taint&) = default;
};

struct ContainerImage {
  std::vector<std::string> names;
  int64_t size_bytes = 0;
  friend bool operator==(const ContainerImage&, const ContainerImage&) = default;
};

struct NodeCondition {
  std::string type;
  std::string status;
  friend bool operator==(const NodeCondition&, const NodeCondition&) = default;
};

struct NodeSpec {
  bool unschedulable = false;
  std::vector<Taint> taints;
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct NodeStatus {
  ResourceList capacity;
  ResourceList allocatable;
  std::vector<NodeCondition> conditions;
  std::vector<ContainerImage> images;
  std::vector<std::string> declared_features;
  friend bool operator==(const NodeStatus&, const NodeStatus&) = default;
};

struct Node {
  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;
  RawJson text = {};
  friend bool operator==(const Node&, const Node&) = default;
};

struct Namespace {
  ObjectMeta metadata;
  friend bool operator==(const Namespace&, const Namespace&) = default;
};

}  // namespace berth::api
