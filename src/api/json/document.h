// Access to JSON documents of unvalidated shape: a member that is absent or of another type reads
// as null, empty or nullopt.
#pragma once

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "api/json/json.h"
#include "api/meta.h"

namespace berth::api {

inline std::string_view ViewOf(const boost::json::string& text) {
  return {text.data(), text.size()};
}

// Returns the member `key`, or null if `object` is null or has no such member. A JSON null counts
// as absent.
inline const Json* At(const JsonObject* object, std::string_view key) {
  const Json* value = object ? object->if_contains(key) : nullptr;
  return value && !value->is_null() ? value : nullptr;
}
inline Json* At(JsonObject* object, std::string_view key) {
  Json* value = object ? object->if_contains(key) : nullptr;
  return value && !value->is_null() ? value : nullptr;
}

inline const JsonObject* AsObject(const Json* value) {
  return value ? value->if_object() : nullptr;
}
inline JsonObject* AsObject(Json* value) { return value ? value->if_object() : nullptr; }
inline const JsonObject* AsObject(const Json& value) { return value.if_object(); }
inline JsonObject* AsObject(Json& value) { return value.if_object(); }

inline std::string_view AsString(const Json* value) {
  const boost::json::string* text = value ? value->if_string() : nullptr;
  return text ? ViewOf(*text) : std::string_view();
}
inline std::string_view AsString(const Json& value) { return AsString(&value); }

inline std::optional<int64_t> AsInt(const Json* value) {
  if (!value) return std::nullopt;
  if (const int64_t* number = value->if_int64()) return *number;
  if (const double* number = value->if_double()) {
    // 2.0 is an integer: YAML's floats arrive in this form.
    if (*number >= -9.0e15 && *number <= 9.0e15) {
      const auto whole = static_cast<int64_t>(*number);
      if (static_cast<double>(whole) == *number) return whole;
    }
  }
  return std::nullopt;
}

inline const JsonObject* ObjectAt(const JsonObject* object, std::string_view key) {
  return AsObject(At(object, key));
}
inline JsonObject* ObjectAt(JsonObject* object, std::string_view key) {
  return AsObject(At(object, key));
}
inline const JsonArray* ArrayAt(const JsonObject* object, std::string_view key) {
  const Json* value = At(object, key);
  return value ? value->if_array() : nullptr;
}
inline JsonArray* ArrayAt(JsonObject* object, std::string_view key) {
  Json* value = At(object, key);
  return value ? value->if_array() : nullptr;
}
inline std::string_view StringAt(const JsonObject* object, std::string_view key) {
  return AsString(At(object, key));
}
inline std::optional<int64_t> IntAt(const JsonObject* object, std::string_view key) {
  return AsInt(At(object, key));
}
inline bool BoolAt(const JsonObject* object, std::string_view key) {
  const Json* value = At(object, key);
  const bool* flag = value ? value->if_bool() : nullptr;
  return flag && *flag;
}
inline bool EmptyAt(const JsonObject* object, std::string_view key) {
  const JsonArray* array = ArrayAt(object, key);
  return !array || array->empty();
}

// Returns the member `key`, added if absent. References to existing members stay valid if `key` is
// present; object[key] may reallocate before the lookup.
inline Json& MemberOf(JsonObject& object, std::string_view key) {
  Json* value = object.if_contains(key);
  return value ? *value : object[key];
}

// The Ensure functions return the member `key`, replaced if absent or of another type.
inline JsonObject& EnsureObject(JsonObject& object, std::string_view key) {
  Json& value = MemberOf(object, key);
  if (JsonObject* found = value.if_object()) return *found;
  return value.emplace_object();
}
inline JsonArray& EnsureArray(JsonObject& object, std::string_view key) {
  Json& value = MemberOf(object, key);
  if (JsonArray* found = value.if_array()) return *found;
  return value.emplace_array();
}
inline void SetString(JsonObject& object, std::string_view key, std::string_view text) {
  MemberOf(object, key).emplace_string().assign(text.data(), text.size());
}
inline void SetInt(JsonObject& object, std::string_view key, int64_t number) {
  MemberOf(object, key).emplace_int64() = number;
}
inline void SetBool(JsonObject& object, std::string_view key, bool flag) {
  MemberOf(object, key).emplace_bool() = flag;
}

// The Default functions set a member that is absent or null.
inline void DefaultString(JsonObject& object, std::string_view key, std::string_view text) {
  const Json* value = At(&object, key);
  const boost::json::string* present = value ? value->if_string() : nullptr;
  if (!value || (present && present->empty())) SetString(object, key, text);
}
inline void DefaultInt(JsonObject& object, std::string_view key, int64_t number) {
  if (!At(&object, key)) SetInt(object, key, number);
}
inline void DefaultBool(JsonObject& object, std::string_view key, bool flag) {
  if (!At(&object, key)) SetBool(object, key, flag);
}
inline void DefaultObject(JsonObject& object, std::string_view key) {
  if (!At(&object, key)) MemberOf(object, key).emplace_object();
}

// Reports whether the members `key` are equal; an empty list, object or string equals an absent
// one.
bool SameAt(const JsonObject* a, const JsonObject* b, std::string_view key);
// Reports whether `value` is absent, null, or an empty string, list or object.
bool IsEmpty(const Json* value);

// Removes the members for which `unwanted` returns true, in linear time. Preserves the order of the
// others.
template <typename Predicate>
void EraseMembersIf(JsonObject& object, Predicate unwanted) {
  if (std::ranges::none_of(object, unwanted)) return;
  JsonObject others(object.storage());
  others.reserve(object.size());
  for (auto& member : object) {
    if (!unwanted(member)) others.emplace(member.key(), std::move(member.value()));
  }
  object = std::move(others);
}

// Removes a member if present; to remove many, EraseMembersIf is faster. Preserves the order of the
// others, except in very large objects, where that is too expensive.
inline void EraseMember(JsonObject& object, std::string_view name) {
  constexpr size_t kLarge = 1'000;
  if (object.size() <= kLarge) {
    object.stable_erase(name);
  } else {
    object.erase(name);
  }
}

// Reports whether every number in `document` is finite. The parser turns 1e999 and 0e999 into
// infinity and NaN, which JSON cannot represent.
bool HasFiniteNumbers(const Json& document);

// Returns the members as strings; an empty map for null.
StringMap StringMapOf(const JsonObject* map);
LabelSelector LabelSelectorOf(const JsonObject& selector);

}  // namespace berth::api
