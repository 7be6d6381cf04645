// RuleTypes are the CEL types of a schema's values, as the rules of x-kubernetes-validations see
// them. They exist while the rules are compiled.
//
// A schema has no such type, and rules cannot refer to its values, if it or something in it has no
// type of its own (x-kubernetes-preserve-unknown-fields alone).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cel/environment.h"
#include "cel/type.h"

namespace berth::apiserver::crd {

struct Schema;

// The largest request, by which kube-apiserver bounds what a schema does not: 3 MiB.
inline constexpr uint64_t kMaxRequestBytes = 3 << 20;

struct RuleType {
  const cel::Type* type = nullptr;
  // The most characters, items or entries of a value; 0 for what has no size.
  uint64_t max_elements = 0;
  uint64_t min_bytes = 0;              // Of a value as JSON.
  const RuleType* elements = nullptr;  // The items of a list, the values of a map.
  const RuleType* keys = nullptr;      // Of a map.
  std::map<std::string_view, const RuleType*> fields = {};  // Of an object, by identifier.
};

class RuleTypes {
 public:
  // Sets is_visible_to_rules in the schemas that have a type. `root` is the schema of a resource.
  explicit RuleTypes(Schema& root);

  // Returns the type of a schema with rules, or null.
  const RuleType* Find(const Schema& schema) const;
  const cel::Environment& environment() const { return environment_; }

 private:
  // Each returns null if the schema has no type.
  const RuleType* Build(Schema& schema, bool is_resource, const std::string& name);
  const RuleType* BuildList(Schema& schema, const std::string& name);
  const RuleType* BuildMap(Schema& schema, const std::string& name);
  const RuleType* BuildObject(Schema& schema, bool is_resource, const std::string& name);
  RuleType BuildString(const Schema& schema) const;

  void AddField(RuleType& object, std::string_view identifier, const RuleType* type);
  // Adds what every resource has: kind, apiVersion and the names in metadata.
  void AddMetaFields(Schema& schema, RuleType& object, const std::string& name);
  const RuleType* Add(RuleType type) { return &types_.emplace_back(std::move(type)); }
  void Assign(Schema& schema, const RuleType* type);
  // Return names for types, which errors show.
  std::string PartName(const std::string& name, std::string_view part);
  std::string NewName();

  cel::Environment environment_;
  std::deque<RuleType> types_;
  std::deque<std::string> names_;
  std::unordered_map<const Schema*, const RuleType*> by_schema_;
  size_t new_names_ = 0;
};

// Returns the schema by which rules see a property, or null. A resource, the whole object or an
// embedded one, has kind, apiVersion and the names in metadata, even if its schema lacks them.
const Schema* RuleProperty(const Schema& schema, bool is_resource, std::string_view name);

}  // namespace berth::apiserver::crd
