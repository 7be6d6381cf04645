// The types that Kubernetes objects share: metadata, owner references, label and node selectors.
//
// The structs of api/ are plain values that mirror the Kubernetes API field by field, reduced to
// the fields that a scheduling rule or an API write needs. `std::optional` marks the fields where
// absent and zero differ.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace berth::api {

using StringMap = std::map<std::string, std::string, std::less<>>;

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller;
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct ObjectMeta {
  std::string name;
  std::string namespace_;  // Empty for cluster-scoped kinds.
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owner_references;
  std::optional<Instant> creation_timestamp;
  std::optional<Instant> deletion_timestamp;
  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

struct LabelSelectorRequirement {
  std::string key;
  std::string op;  // In, NotIn, Exists, DoesNotExist; not validated.
  std::vector<std::string> values;
  friend bool operator==(const LabelSelectorRequirement&,
                         const LabelSelectorRequirement&) = default;
};

struct LabelSelector {
  StringMap match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

// Identifies an object within its kind. `namespace_` is empty for cluster-scoped kinds.
struct ObjectKey {
  std::string namespace_;
  std::string name;

  // Returns "namespace/name", or only the name.
  std::string ToString() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

// Node selectors and node affinity in their API form; selector.h compiles and matches them.
struct NodeSelectorRequirement {
  std::string key;
  std::string op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt; not validated.
  std::vector<std::string> values;
  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;
  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

struct PreferredSchedulingTerm {
  int32_t weight = 0;
  NodeSelectorTerm preference;
  friend bool operator==(const PreferredSchedulingTerm&, const PreferredSchedulingTerm&) = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::vector<PreferredSchedulingTerm> preferred;
  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

// RawJson is JSON as received from the API server: of an object with the fields that Berth ignores,
// or of a value that it only passes on.
//
// Pods and nodes retain theirs only if extenders are configured, which receive it; code that
// modifies such an object must clear it. ResourceClaims always do.
struct RawJson {
  std::shared_ptr<const std::string> json;  // Null if not retained.

  friend bool operator==(const RawJson& a, const RawJson& b) {
    return a.json == b.json || (a.json != nullptr && b.json != nullptr && *a.json == *b.json);
  }
};

}  // namespace berth::api
