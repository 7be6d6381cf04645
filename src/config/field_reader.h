// FieldReader is the visitor of fields.h that fills a struct from a JSON object, strictly: it notes
// every value of the wrong type, every repeated field and every field that the struct does not
// have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/field_path.h"
#include "config/fields.h"
#include "config/json_value.h"

namespace berth::config {

// What is wrong with a document, in the order found.
struct DecodeProblems {
  std::vector<std::string> values;  // json: cannot unmarshal string into field a.b of type int32
  std::vector<std::string> strict;  // unknown field "a.b"; duplicate field "a.b"
};

// Scalars. Null leaves `out` as it is; a value that does not fit is a problem.
void Read(const JsonValue& json, const FieldPath& path, std::string& out, DecodeProblems& problems);
void Read(const JsonValue& json, const FieldPath& path, bool& out, DecodeProblems& problems);
void Read(const JsonValue& json, const FieldPath& path, int32_t& out, DecodeProblems& problems);
void Read(const JsonValue& json, const FieldPath& path, int64_t& out, DecodeProblems& problems);
void Read(const JsonValue& json, const FieldPath& path, float& out, DecodeProblems& problems);
void Read(const JsonValue& json, const FieldPath& path, Duration& out, DecodeProblems& problems);
void Read(const JsonValue& json, const FieldPath& path, Bytes& out, DecodeProblems& problems);
// Keeps the JsonValue itself: which struct it is depends on the plugin's name.
void Read(const JsonValue& json, const FieldPath& path, PluginArgs& out, DecodeProblems& problems);

class FieldReader {
 public:
  // `object` must be an object, or null for one without fields, and outlive the reader.
  FieldReader(const JsonValue& object, FieldPath path, DecodeProblems& problems)
      : object_(object), path_(std::move(path)), problems_(problems) {}

  template <typename T>
  void operator()(std::string_view name, T& field) {
    if (const JsonValue* json = Take(name)) ReadAny(*json, path_ / name, field, problems_);
  }

  template <typename T>
  void Required(std::string_view name, T& field) {
    (*this)(name, field);
  }

  template <typename FieldsOfGroup>
  void Group(std::string_view name, FieldsOfGroup fields) {
    const JsonValue* json = Take(name);
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
  void Ignore(std::string_view name) { Take(name); }

  // To be called after all fields: notes those that nobody took.
  void Finish();

  // Reads `json` into `out`, a struct that has Fields.
  template <typename T>
  static void ReadStruct(const JsonValue& json, const FieldPath& path, T& out,
                         DecodeProblems& problems) {
    if (!IsObject(json, path, problems)) return;
    StartReading(out);
    FieldReader reader(json, path, problems);
    Fields(reader, out);
    reader.Finish();
  }

 private:
  // Whether `json` is an object; null is not one, anything else is a problem.
  static bool IsObject(const JsonValue& json, const FieldPath& path, DecodeProblems& problems);
  static bool IsArray(const JsonValue& json, const FieldPath& path, DecodeProblems& problems);

  const JsonValue* Take(std::string_view name);

  static void ReadAny(const JsonValue& json, const FieldPath& path, auto& out,
                      DecodeProblems& problems)
    requires requires { Read(json, path, out, problems); }
  {
    Read(json, path, out, problems);
  }

  template <typename T>
  static void ReadAny(const JsonValue& json, const FieldPath& path, std::optional<T>& out,
                      DecodeProblems& problems) {
    if (!json.IsNull()) ReadAny(json, path, out.emplace(), problems);
  }

  template <typename T>
  static void ReadAny(const JsonValue& json, const FieldPath& path, std::vector<T>& out,
                      DecodeProblems& problems) {
    if (!IsArray(json, path, problems)) return;
    out.clear();
    for (const JsonValue& item : json.items) {
      T& element = out.emplace_back();
      ReadAny(item, path[out.size() - 1], element, problems);
    }
  }

  template <typename T>
  static void ReadAny(const JsonValue& json, const FieldPath& path,
                      std::map<std::string, T, std::less<>>& out, DecodeProblems& problems) {
    if (!IsObject(json, path, problems)) return;
    for (const JsonMember& member : json.members) {
      const auto [entry, is_new] = out.try_emplace(member.name);
      const FieldPath place = path / member.name;
      if (!is_new) problems.strict.push_back("duplicate field \"" + place.text + "\"");
      ReadAny(member.value, place, entry->second, problems);
    }
  }

  template <typename T>
  static void ReadAny(const JsonValue& json, const FieldPath& path, T& out,
                      DecodeProblems& problems) {
    ReadStruct(json, path, out, problems);
  }

  const JsonValue& object_;
  FieldPath path_;
  DecodeProblems& problems_;
  std::vector<std::string_view> taken_;
};

}  // namespace berth::config
