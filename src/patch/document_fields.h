// The fields of a document, as server-side apply counts them: which exist, and in which two
// documents differ.
//
// Scalars are fields, and so are lists and objects that have one owner (merge_keys.h); other
// objects count by their members, other lists by their elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kinds/json.h"
#include "patch/field_set.h"
#include "patch/merge_keys.h"

namespace berth::apiserver {

enum class Granularity : uint8_t { kValue, kMembers, kElementsByKey, kElementsByValue };

// A place in an object of some kind: what the fields there are called decides how they merge.
struct FieldContext {
  std::string_view kind;
  std::string_view field;  // The field whose value is looked at; empty for the document.

  FieldContext Member(std::string_view name) const { return {kind, name}; }
  // The rule of the list in member `name`; null if there is none.
  const FieldRule* ListRule(std::string_view name) const { return FindListRule(kind, field, name); }
};

// How the member `name` with this value counts.
Granularity GranularityOf(const FieldContext& context, std::string_view name, const Json& value);

// What identifies an element of a list that merges by key or by value: `k:{"name":"a"}`, `v:"x"`.
// Nothing if it has none of the keys.
std::optional<std::string> ElementOf(const Json& element, const FieldRule& rule);

FieldSet FieldsOf(const FieldContext& context, const JsonObject& object);

struct FieldChanges {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;

  bool Empty() const { return added.Empty() && modified.Empty() && removed.Empty(); }
};

FieldChanges CompareFields(const FieldContext& context, const JsonObject& before,
                           const JsonObject& after);

}  // namespace berth::apiserver
