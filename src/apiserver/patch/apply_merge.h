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
#include <vector>

#include "api/json/json.h"
#include "apiserver/patch/managed_fields.h"
#include "apiserver/patch/merge_keys.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::crd {
struct Schema;
}

namespace berth::apiserver::patch {

enum class Granularity : uint8_t { kValue, kMembers, kElementsByKey, kElementsByValue };

// How server-side apply treats a list that is not atomic.
struct ListRule {
  FieldRule::Apply apply = FieldRule::Apply::kAtomic;
  std::vector<std::string_view> keys = {};  // Of a map, in alphabetical order.
  std::string_view field = {};              // The name of the list.
  const crd::Schema* items = nullptr;       // Of a custom kind.

  // Returns the server's default of a key that an element lacks.
  std::optional<api::Json> DefaultOf(std::string_view key) const;
};

// A location in an object, which determines how its members merge: by the rules of merge_keys.h in
// built-in kinds and in all metadata, by their schema in custom kinds.
struct FieldContext {
  std::string_view kind;
  std::string_view field;  // The name of the field; empty for the document.
  bool custom = false;
  // Of a custom kind: the schema of the object here, or of a list's elements. Null where nothing is
  // specified: objects then merge, lists are atomic.
  const crd::Schema* schema = nullptr;

  // Returns the context of a document.
  static FieldContext Of(const api::scheme::Kind& kind);

  FieldContext Member(std::string_view name) const;
  // Returns the rule of the list in member `name`; nullopt if it is atomic.
  std::optional<ListRule> RuleOf(std::string_view name) const;
  // Reports whether the object in member `name` has one owner.
  bool IsAtomic(std::string_view name) const;
};

// Returns how ownership of the member `name` with this value is tracked.
Granularity GranularityOf(const FieldContext& context, std::string_view name,
                          const api::Json& value);

// Returns the path element of a list element: `k:{"name":"a"}` or `v:"x"`; nullopt if it has none
// of the keys.
std::optional<std::string> ElementOf(const api::Json& element, const ListRule& rule);

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
