// FieldReader is the visitor of fields.h that reads: it holds one field of a JSON object and stores
// it in the struct's field of the same name.
//
// Of values that a tolerant reader leaves out, entries of lists and maps vanish, and fields keep
// their default.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/json/fields.h"
#include "api/json/reader.h"

namespace berth::api {

// Applies the API server's defaults to a decoded struct. Types with defaults overload it beside
// their Fields function.
template <typename T>
void ApplyDefaults(T&) {}

class FieldReader {
 public:
  using Value = JsonReader::Value;

  FieldReader(JsonReader& json, std::string_view key, Value value)
      : json_(json), key_(key), value_(value) {}

  // Reports whether the struct has the field.
  bool taken() const { return taken_; }

  // Inlined, the comparisons with a struct's names become a handful of instructions each.
  template <typename T>
  [[gnu::always_inline]] void operator()(std::string_view name, T& field) {
    if (Take(name)) ReadValue(json_, value_, field);
  }

  template <typename T>
  [[gnu::always_inline]] void Required(std::string_view name, T& field) {
    (*this)(name, field);
  }

  template <typename FieldsOfGroup>
  void Group(std::string_view name, FieldsOfGroup fields) {
    if (!Take(name)) return;
    json_.ReadObject(value_, [&](std::string_view key, Value value) {
      FieldReader reader(json_, key, value);
      fields(reader);
      return reader.taken();
    });
  }

  template <typename T>
  void Wrapped(std::string_view name, std::string_view inner, std::optional<T>& field) {
    if (!Take(name)) return;
    field.emplace();
    const bool readable = json_.ReadObject(value_, [&](std::string_view key, Value value) {
      if (key == inner) ReadValue(json_, value, *field);
      return key == inner;
    });
    if (!readable) field.reset();
  }

  void Names(std::string_view name, std::string_view inner, std::vector<std::string>& names) {
    if (!Take(name)) return;
    json_.ReadArray(value_, [&](Value element) {
      std::string& entry = names.emplace_back();
      if (json_.IsNull(element)) return;
      json_.ReadObject(element, [&](std::string_view key, Value value) {
        if (key == inner) json_.Read(value, entry);
        return key == inner;
      });
    });
  }

  void Keys(std::string_view name, std::set<std::string, std::less<>>& keys) {
    if (!Take(name)) return;
    json_.ReadMap(value_, [&](std::string_view key, Value) { return keys.emplace(key).second; });
  }

  void Choice(std::string_view name, std::string& field) {
    if (!Take(name)) return;
    if (!json_.IsObject(value_)) {
      json_.Read(value_, field);
      return;
    }
    json_.ReadObject(value_, [&](std::string_view key, Value) {
      field = key;
      return false;
    });
  }

  template <typename Variant, typename T>
  void Alternative(std::string_view name, Variant& variant, As<T>) {
    if (Take(name) && !ReadValue(json_, value_, variant.template emplace<T>())) variant = {};
  }

  template <typename T>
  static void ReadStruct(JsonReader& json, JsonReader::Object& object, T& out) {
    json.ReadFields(object, [&](std::string_view key, Value value) {
      FieldReader reader(json, key, value);
      Fields(reader, out);
      return reader.taken();
    });
    ApplyDefaults(out);
  }

 private:
  [[gnu::always_inline]] bool Take(std::string_view name) {
    if (taken_ || key_ != name) return false;
    return taken_ = true;
  }

  // JsonReader reads scalars; the overloads below read compound types. All return false if the
  // value is to be left out.
  static bool ReadValue(JsonReader& json, Value value, auto& out)
    requires requires { json.Read(value, out); }
  {
    return json.Read(value, out);
  }

  template <typename T>
  static bool ReadValue(JsonReader& json, Value value, std::optional<T>& out) {
    const bool readable = ReadValue(json, value, out.emplace());
    // An object with a deletion time is being deleted, whether or not the time can be read.
    if (!readable && !std::is_same_v<T, Instant>) out.reset();
    return readable;
  }

  template <typename T>
  static bool ReadValue(JsonReader& json, Value value, std::vector<T>& out) {
    return json.ReadArray(value, [&](Value element) {
      T& entry = out.emplace_back();
      if (!json.IsNull(element) && !ReadValue(json, element, entry)) out.pop_back();
    });
  }

  static bool ReadValue(JsonReader& json, Value value, std::vector<bool>& out) {
    return json.ReadArray(value, [&](Value element) {
      bool entry = false;
      if (json.IsNull(element) || json.Read(element, entry)) out.push_back(entry);
    });
  }

  template <typename T>
  static bool ReadValue(JsonReader& json, Value value, std::map<std::string, T, std::less<>>& out) {
    return json.ReadMap(value, [&](std::string_view key, Value element) {
      // API servers send maps sorted: the hint is nearly always right.
      const size_t size = out.size();
      const auto entry = out.emplace_hint(out.end(), key, T());
      if (out.size() == size) return false;
      if (!json.IsNull(element) && !ReadValue(json, element, entry->second)) out.erase(entry);
      return true;
    });
  }

  template <typename T>
  static bool ReadValue(JsonReader& json, Value value, T& out) {
    std::optional<JsonReader::Object> object = json.AsObject(value);
    if (object) ReadStruct(json, *object, out);
    return object.has_value();
  }

  JsonReader& json_;
  std::string_view key_;
  Value value_;
  bool taken_ = false;
};

}  // namespace berth::api
