// The fields of a document, as server-side apply counts them: which exist, and in which two
// documents differ.
//
// Scalars are fields, and so are lists and objects that have one owner (merge_keys.h); other
// objects count by their members, other lists by their elements.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "apiserver/patch/managed_fields.h"
#include "apiserver/patch/merge_keys.h"

namespace berth::apiserver::patch {

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
Granularity GranularityOf(const FieldContext& context, std::string_view name,
                          const api::Json& value);

// What identifies an element of a list that merges by key or by value: `k:{"name":"a"}`, `v:"x"`.
// Nothing if it has none of the keys.
std::optional<std::string> ElementOf(const api::Json& element, const FieldRule& rule);

FieldSet FieldsOf(const FieldContext& context, const api::JsonObject& object);

struct FieldChanges {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;

  bool Empty() const { return added.Empty() && modified.Empty() && removed.Empty(); }
};

FieldChanges CompareFields(const FieldContext& context, const api::JsonObject& before,
                           const api::JsonObject& after);

// The two halves of server-side apply's change to a document: what the configuration says is merged
// in, what it no longer says is taken out.
// `config` without nulls, which apply no value. Fails if elements of a list that merges by key lack
// the keys or share them.
std::expected<api::JsonObject, std::string> ValidateAppliedConfig(const FieldContext& context,
                                                                  const api::JsonObject& config);

// Merges a checked configuration into `live`. Elements of lists come in the order of `config`;
// others keep their place among them.
void MergeConfig(const FieldContext& context, api::JsonObject& live, const api::JsonObject& config);

// Removes what is in `last` unless something in or below it is in `keep`. Values that nobody owns
// go with the object or element around them. Metadata itself stays.
void PruneUnowned(const FieldContext& context, api::JsonObject& object, const FieldSet& last,
                  const FieldSet& keep);

}  // namespace berth::apiserver::patch
