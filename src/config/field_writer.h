// FieldWriter is the visitor of fields.h that turns a struct into a JSON object.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"
#include "config/json_value.h"

namespace berth::config {

JsonValue ToJson(float number);
JsonValue ToJson(Duration duration);
JsonValue ToJson(const Bytes& bytes);
inline JsonValue ToJson(const std::string& text) { return JsonValue::String(text); }
inline JsonValue ToJson(bool value) { return JsonValue::Bool(value); }
inline JsonValue ToJson(int32_t number) { return JsonValue::Number(number); }
inline JsonValue ToJson(int64_t number) { return JsonValue::Number(number); }

// With apiVersion and kind for an in-tree plugin's struct; null if there are none.
JsonValue ArgsToJson(const PluginArgs& args);

class FieldWriter {
 public:
  // Appends to `object`, which must outlive the writer.
  explicit FieldWriter(JsonValue& object) : object_(object) {}

  template <typename T>
  void operator()(std::string_view name, const T& field) {
    if (!IsZero(field)) Required(name, field);
  }

  template <typename T>
  void Required(std::string_view name, const T& field) {
    object_.Add(name, Write(field));
  }

  template <typename FieldsOfGroup>
  void Group(std::string_view name, FieldsOfGroup fields) {
    JsonValue group = JsonValue::Object();
    FieldWriter writer(group);
    fields(writer);
    object_.Add(name, std::move(group));
  }

  void PluginNames(std::string_view name, const std::vector<std::string>& names) {
    std::vector<PluginChoice> plugins;
    for (const std::string& plugin : names) plugins.push_back({plugin, 0});
    (*this)(name, plugins);
  }

  template <typename T>
  void Within(std::string_view name, std::string_view inner, const std::optional<T>& field) {
    if (field) Group(name, [&](FieldWriter& writer) { writer(inner, *field); });
  }

 private:
  static bool IsZero(const std::string& text) { return text.empty(); }
  static bool IsZero(int64_t number) { return number == 0; }
  static bool IsZero(bool value) { return !value; }
  static bool IsZero(const Bytes& bytes) { return bytes.bytes.empty(); }
  template <typename T>
  static bool IsZero(const std::vector<T>& list) {
    return list.empty();
  }
  template <typename T>
  static bool IsZero(const std::map<std::string, T, std::less<>>& map) {
    return map.empty();
  }
  template <typename T>
  static bool IsZero(const std::optional<T>& value) {
    return !value;
  }
  template <typename T>
  static bool IsZero(const std::optional<std::vector<T>>& list) {
    return !list || list->empty();
  }

  static JsonValue Write(const auto& value)
    requires requires { ToJson(value); }
  {
    return ToJson(value);
  }

  static JsonValue Write(const PluginArgs& args) { return ArgsToJson(args); }

  template <typename T>
  static JsonValue Write(const std::optional<T>& value) {
    return Write(value ? *value : T());
  }

  template <typename T>
  static JsonValue Write(const std::vector<T>& list) {
    JsonValue array = JsonValue::Array();
    for (const T& element : list) array.items.push_back(Write(element));
    return array;
  }

  template <typename T>
  static JsonValue Write(const std::map<std::string, T, std::less<>>& map) {
    JsonValue object = JsonValue::Object();
    for (const auto& [key, value] : map) object.Add(key, Write(value));
    return object;
  }

  template <typename T>
  static JsonValue Write(const T& value) {
    JsonValue object = JsonValue::Object();
    FieldWriter writer(object);
    Fields(writer, value);
    return object;
  }

  JsonValue& object_;
};

}  // namespace berth::config
