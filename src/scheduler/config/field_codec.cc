#include "scheduler/config/field_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "api/json/json_text.h"
#include "base/base64.h"
#include "base/go_duration.h"

namespace berth::scheduler::config {
namespace {

using Kind = StrictJson::Kind;

// `shown` is what the error calls the value.
void AddTypeError(std::string_view shown, const api::FieldPath& path, std::string_view type,
                  DecodeProblems& problems) {
  problems.values.push_back(
      fmt::format("json: cannot unmarshal {} into field {} of type {}", shown, path.text, type));
}

// Reports whether `json` is of `kind`; anything but null is a problem.
bool IsKind(const StrictJson& json, Kind kind, const api::FieldPath& path, std::string_view type,
            DecodeProblems& problems) {
  if (json.kind != kind && !json.IsNull()) {
    AddTypeError(ToString(json.kind), path, type, problems);
  }
  return json.kind == kind;
}

template <typename Int>
void ReadInt(const StrictJson& json, const api::FieldPath& path, std::string_view type, Int& out,
             DecodeProblems& problems) {
  if (!IsKind(json, Kind::kNumber, path, type, problems)) return;
  const auto number = api::ParseJsonInteger(json.text);
  if (!number || number->overflow || !std::in_range<Int>(number->value)) {
    return AddTypeError("number " + json.text, path, type, problems);
  }
  out = static_cast<Int>(number->value);
}

}  // namespace

void Read(const StrictJson& json, const api::FieldPath& path, std::string& out,
          DecodeProblems& problems) {
  if (IsKind(json, Kind::kString, path, "string", problems)) out = json.text;
}

void Read(const StrictJson& json, const api::FieldPath& path, bool& out, DecodeProblems& problems) {
  if (IsKind(json, Kind::kBool, path, "bool", problems)) out = json.boolean;
}

void Read(const StrictJson& json, const api::FieldPath& path, int32_t& out,
          DecodeProblems& problems) {
  ReadInt(json, path, "int32", out, problems);
}

void Read(const StrictJson& json, const api::FieldPath& path, int64_t& out,
          DecodeProblems& problems) {
  ReadInt(json, path, "int64", out, problems);
}

void Read(const StrictJson& json, const api::FieldPath& path, float& out,
          DecodeProblems& problems) {
  if (!IsKind(json, Kind::kNumber, path, "float32", problems)) return;
  double number = 0;
  const auto result =
      std::from_chars(json.text.data(), json.text.data() + json.text.size(), number);
  const auto narrow = static_cast<float>(number);
  if (result.ec != std::errc() || !std::isfinite(narrow)) {
    return AddTypeError("number " + json.text, path, "float32", problems);
  }
  out = narrow;
}

void Read(const StrictJson& json, const api::FieldPath& path, Duration& out,
          DecodeProblems& problems) {
  if (!IsKind(json, Kind::kString, path, "string", problems)) return;
  const Result<Duration> duration = ParseGoDuration(json.text);
  if (duration) {
    out = *duration;
  } else {
    problems.values.push_back(path.text + ": " + duration.error().message);
  }
}

void Read(const StrictJson& json, const api::FieldPath& path, framework::Bytes& out,
          DecodeProblems& problems) {
  if (!IsKind(json, Kind::kString, path, "[]byte", problems)) return;
  if (auto bytes = DecodeBase64(json.text)) {
    out.bytes = *std::move(bytes);
  } else {
    problems.values.push_back(path.text + ": illegal base64 data");
  }
}

void Read(const StrictJson& json, const api::FieldPath&, framework::PluginArgs& out,
          DecodeProblems&) {
  out = json;
}

bool FieldReader::IsObject(const StrictJson& json, const api::FieldPath& path,
                           DecodeProblems& problems) {
  return IsKind(json, Kind::kObject, path, "object", problems);
}

bool FieldReader::IsArray(const StrictJson& json, const api::FieldPath& path,
                          DecodeProblems& problems) {
  return IsKind(json, Kind::kArray, path, "array", problems);
}

const StrictJson* FieldReader::Lookup(std::string_view name) {
  known_fields_.push_back(name);
  return object_.Find(name);
}

void FieldReader::PluginNames(std::string_view name, std::vector<std::string>& names) {
  std::vector<framework::PluginChoice> plugins;
  (*this)(name, plugins);
  names.clear();
  for (framework::PluginChoice& plugin : plugins) names.push_back(std::move(plugin.name));
}

void FieldReader::Finish() {
  std::set<std::string_view> seen;
  for (const StrictJsonMember& member : object_.members) {
    const bool is_first = seen.insert(member.name).second;
    const bool is_known = std::ranges::find(known_fields_, member.name) != known_fields_.end();
    if (is_first && is_known) continue;
    problems_.strict.push_back(fmt::format("{} field \"{}\"", is_known ? "duplicate" : "unknown",
                                           (path_ / member.name).text));
  }
}

}  // namespace berth::scheduler::config
