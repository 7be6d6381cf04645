// FieldReader and FieldWriter are the visitors of configuration_fields.h that decode a struct from
// a JSON object and encode it. Decoding is strict: it reports every value of the wrong type, every
// duplicate field and every unknown field.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_errors.h"
#include "api/json/document.h"
#include "scheduler/config/configuration_fields.h"
#include "scheduler/config/strict_json.h"

namespace berth::scheduler::config {

// The errors of a document, in the order found.
struct DecodeProblems {
  std::vector<std::string> values;  // json: cannot unmarshal string into field a.b of type int32
  std::vector<std::string> strict;  // unknown field "a.b"; duplicate field "a.b"
};

// Decode scalars. Null leaves `out` unchanged; a value that does not fit is a problem.
void Read(const StrictJson& json, const api::FieldPath& path, std::string& out,
          DecodeProblems& problems);
void Read(const StrictJson& json, const api::FieldPath& path, bool& out, DecodeProblems& problems);
void Read(const StrictJson& json, const api::FieldPath& path, int32_t& out,
          DecodeProblems& problems);
void Read(const StrictJson& json, const api::FieldPath& path, int64_t& out,
          DecodeProblems& problems);
void Read(const StrictJson& json, const api::FieldPath& path, float& out, DecodeProblems& problems);
void Read(const StrictJson& json, const api::FieldPath& path, Duration& out,
          DecodeProblems& problems);
void Read(const StrictJson& json, const api::FieldPath& path, framework::Bytes& out,
          DecodeProblems& problems);
// Stores the StrictJson itself: which struct it is depends on the plugin's name.
void Read(const StrictJson& json, const api::FieldPath& path, framework::PluginArgs& out,
          DecodeProblems& problems);

class FieldReader {
 public:
  // `object` must be an object, or null for one without fields, and outlive the reader.
  FieldReader(const StrictJson& object, api::FieldPath path, DecodeProblems& problems)
      : object_(object), path_(std::move(path)), problems_(problems) {}

  template <typename T>
  void operator()(std::string_view name, T& field) {
    if (const StrictJson* json = Lookup(name)) ReadAny(*json, path_ / name, field, problems_);
  }

  template <typename T>
  void Required(std::string_view name, T& field) {
    (*this)(name, field);
  }

  template <typename FieldsOfGroup>
  void Group(std::string_view name, FieldsOfGroup fields) {
    const StrictJson* json = Lookup(name);
    if (json == nullptr || !IsObject(*json, path_ / name, problems_)) return;
    FieldReader reader(*json, path_ / name, problems_);
    fields(reader);
    reader.Finish();
  }

  void PluginNames(std::string_view name, std::vector<std::string>& names);

  template <typename T>
  void Within(std::string_view name, std::string_view inner, std::optional<T>& field) {
    Group(name, [&](FieldReader& reader) { reader(inner, field.emplace()); });
  }

  // Accepts a field that is read elsewhere.
  void Ignore(std::string_view name) { Lookup(name); }

  // Reports unknown and duplicate fields. Must be called after all fields.
  void Finish();

  // Reads `json` into `out`, a struct that has Fields.
  template <typename T>
  static void ReadStruct(const StrictJson& json, const api::FieldPath& path, T& out,
                         DecodeProblems& problems) {
    if (!IsObject(json, path, problems)) return;
    StartReading(out);
    FieldReader reader(json, path, problems);
    Fields(reader, out);
    reader.Finish();
  }

 private:
  // Reports whether `json` is an object; anything but null is a problem.
  static bool IsObject(const StrictJson& json, const api::FieldPath& path,
                       DecodeProblems& problems);
  static bool IsArray(const StrictJson& json, const api::FieldPath& path, DecodeProblems& problems);

  const StrictJson* Lookup(std::string_view name);

  static void ReadAny(const StrictJson& json, const api::FieldPath& path, auto& out,
                      DecodeProblems& problems)
    requires requires { Read(json, path, out, problems); }
  {
    Read(json, path, out, problems);
  }

  template <typename T>
  static void ReadAny(const StrictJson& json, const api::FieldPath& path, std::optional<T>& out,
                      DecodeProblems& problems) {
    if (!json.IsNull()) ReadAny(json, path, out.emplace(), problems);
  }

  template <typename T>
  static void ReadAny(const StrictJson& json, const api::FieldPath& path, std::vector<T>& out,
                      DecodeProblems& problems) {
    if (!IsArray(json, path, problems)) return;
    out.clear();
    for (const StrictJson& item : json.items) {
      T& element = out.emplace_back();
      ReadAny(item, path[out.size() - 1], element, problems);
    }
  }

  template <typename T>
  static void ReadAny(const StrictJson& json, const api::FieldPath& path,
                      std::map<std::string, T, std::less<>>& out, DecodeProblems& problems) {
    if (!IsObject(json, path, problems)) return;
    for (const StrictJsonMember& member : json.members) {
      const auto [entry, is_new] = out.try_emplace(member.name);
      const api::FieldPath member_path = path / member.name;
      if (!is_new) problems.strict.push_back("duplicate field \"" + member_path.text + "\"");
      ReadAny(member.value, member_path, entry->second, problems);
    }
  }

  template <typename T>
  static void ReadAny(const StrictJson& json, const api::FieldPath& path, T& out,
                      DecodeProblems& problems) {
    ReadStruct(json, path, out, problems);
  }

  const StrictJson& object_;
  api::FieldPath path_;
  DecodeProblems& problems_;
  std::vector<std::string_view> known_fields_;
};

// FieldWriter is the visitor of fields.h that turns a struct into a JSON object.
api::Json ToJson(float number);
api::Json ToJson(Duration duration);
api::Json ToJson(const framework::Bytes& bytes);
inline api::Json ToJson(const std::string& text) { return api::Json(text); }
inline api::Json ToJson(bool value) { return api::Json(value); }
inline api::Json ToJson(int32_t number) { return api::Json(number); }
inline api::Json ToJson(int64_t number) { return api::Json(number); }

// With apiVersion and kind for an in-tree plugin's struct; null if there are none.
api::Json ArgsToJson(const framework::PluginArgs& args);

class FieldWriter {
 public:
  // Appends to `object`, which must outlive the writer.
  explicit FieldWriter(api::JsonObject& object) : object_(object) {}

  template <typename T>
  void operator()(std::string_view name, const T& field) {
    if (!IsZero(field)) Required(name, field);
  }

  template <typename T>
  void Required(std::string_view name, const T& field) {
    object_.emplace(name, Write(field));
  }

  template <typename FieldsOfGroup>
  void Group(std::string_view name, FieldsOfGroup fields) {
    api::JsonObject group;
    FieldWriter writer(group);
    fields(writer);
    object_.emplace(name, std::move(group));
  }

  void PluginNames(std::string_view name, const std::vector<std::string>& names) {
    std::vector<framework::PluginChoice> plugins;
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
  static bool IsZero(const framework::Bytes& bytes) { return bytes.bytes.empty(); }
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

  static api::Json Write(const auto& value)
    requires requires { ToJson(value); }
  {
    return ToJson(value);
  }

  static api::Json Write(const framework::PluginArgs& args) { return ArgsToJson(args); }

  template <typename T>
  static api::Json Write(const std::optional<T>& value) {
    return Write(value ? *value : T());
  }

  template <typename T>
  static api::Json Write(const std::vector<T>& list) {
    api::JsonArray array;
    for (const T& element : list) array.push_back(Write(element));
    return array;
  }

  template <typename T>
  static api::Json Write(const std::map<std::string, T, std::less<>>& map) {
    api::JsonObject object;
    for (const auto& [key, value] : map) object.emplace(key, Write(value));
    return object;
  }

  template <typename T>
  static api::Json Write(const T& value) {
    api::JsonObject object;
    FieldWriter writer(object);
    Fields(writer, value);
    return object;
  }

  api::JsonObject& object_;
};

}  // namespace berth::scheduler::config
