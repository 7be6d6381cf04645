// What all Kubernetes objects share: metadata, owners, label selectors.
//
// The structs of this part are plain values that mirror the Kubernetes API, field for field, with
// the fields that a scheduling rule or an API write needs. `std::optional` marks the fields where
// absent and zero differ.
#pragma once

#include <cstdint>
#include <map>
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
  std::string op;  // As written: In, NotIn, Exists, DoesNotExist, or a mistake.
  std::vector<std::string> values;
  friend bool operator==(const LabelSelectorRequirement&,
                         const LabelSelectorRequirement&) = default;
};

struct LabelSelector {
  StringMap match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

// Names an object within its kind. `namespace_` is empty for cluster-scoped kinds.
struct ObjectKey {
  std::string namespace_;
  std::string name;

  // "namespace/name", or just the name.
  std::string ToString() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

}  // namespace berth::api
