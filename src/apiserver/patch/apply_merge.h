// The document operations of server-side apply: the fields of a document, the difference of two
// documents, and merging and pruning an applied configuration.
//
// A field is a scalar or an atomic list or object (merge_keys.h). Other objects are sets of their
// members, other lists of their elements.
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

// A location in an object, which determines how its members merge.
struct FieldContext {
  std::string_view kind;
  std::string_view field;  // The name of the field; empty for the document.

  FieldContext Member(std::string_view name) const { return {kind, name}; }
  // Returns the rule of the list in member `name`, or null.
  const FieldRule* ListRule(std::string_view name) const { return FindListRule(kind, field, name); }
};

// Returns how ownership of the member `name` with this value is tracked.
Granularity GranularityOf(const FieldContext& context, std::string_view name,
                          const api::Json& value);

// Returns the path element of a list element: `k:{"name":"a"}` or `v:"x"`; nullopt if it has none
// of the keys.
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

// Returns `config` without nulls, which apply no value. Fails if elements of a list that merges by
// key lack the keys or have equal keys.
std::expected<api::JsonObject, std::string> ValidateAppliedConfig(const FieldContext& context,
                                                                  const api::JsonObject& config);

// Merges a validated configuration into `live`. List elements follow the order of `config`; other
// elements retain their relative position.
void MergeConfig(const FieldContext& context, api::JsonObject& live, const api::JsonObject& config);

// Removes the fields in `last`, except those that are in `keep` or contain a field in `keep`.
// Values without an owner are removed with the object or element that contains them. Metadata
// itself stays.
void PruneUnowned(const FieldContext& context, api::JsonObject& object, const FieldSet& last,
                  const FieldSet& keep);

}  // namespace berth::apiserver::patch
