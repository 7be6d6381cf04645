// Reading and writing documents whose shape nobody promised: what is absent or of another type
// reads as null, empty or nothing.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/json/json.h"
#include "api/meta.h"

namespace berth::api {

inline std::string_view ViewOf(const boost::json::string& text) {
  return {text.data(), text.size()};
}

// The member `key`; null if `object` is null or has none. JSON's null counts as none.
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
    // 2.0 is whole: that is how YAML's floats arrive.
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

// The member `key`, made if there is none. A member that is there stays where it is, and so do its
// neighbours; object[key] would make room before it looks.
inline Json& MemberOf(JsonObject& object, std::string_view key) {
  Json* value = object.if_contains(key);
  return value ? *value : object[key];
}

// The object at `key`, which is made if absent or of another type.
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

// The same where the member is absent or null.
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

// True if both are absent or both are equal; an empty list, object or text equals an absent one.
bool SameAt(const JsonObject* a, const JsonObject* b, std::string_view key);
// Nothing there: null, an empty text, list or object.
bool IsEmpty(const Json* value);

// Members of JSON objects.
// Removes a member if it is there. The others keep their order, except in very large objects: there
// it would cost more than the order is worth.
inline void EraseMember(JsonObject& object, std::string_view name) {
  constexpr size_t kLarge = 1'000;
  if (object.size() <= kLarge) {
    object.stable_erase(name);
  } else {
    object.erase(name);
  }
}

// What the parser of JSON makes of numbers that no double can hold.
// Whether no number in `document` is infinite or none at all: the parser makes 1e999 and 0e999 so,
// and they could not be written again.
bool HasFiniteNumbers(const Json& document);

// Label selectors and label maps out of documents.
// Null gives an empty map.
StringMap StringMapOf(const JsonObject* map);
LabelSelector LabelSelectorOf(const JsonObject& selector);

}  // namespace berth::api
