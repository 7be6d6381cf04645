#include "config/json_value.h"

#include <algorithm>
#include <ranges>

#include "api/json_writer.h"

namespace berth::config {

JsonValue JsonValue::Bool(bool value) {
  JsonValue json;
  json.kind = Kind::kBool;
  json.boolean = value;
  return json;
}

JsonValue JsonValue::Number(std::string text) {
  JsonValue json;
  json.kind = Kind::kNumber;
  json.text = std::move(text);
  return json;
}

JsonValue JsonValue::Number(int64_t value) { return Number(std::to_string(value)); }

JsonValue JsonValue::String(std::string_view text) {
  JsonValue json;
  json.kind = Kind::kString;
  json.text = text;
  return json;
}

JsonValue JsonValue::Array() {
  JsonValue json;
  json.kind = Kind::kArray;
  return json;
}

JsonValue JsonValue::Object() {
  JsonValue json;
  json.kind = Kind::kObject;
  return json;
}

const JsonValue* JsonValue::Find(std::string_view name) const {
  for (const JsonMember& member : std::views::reverse(members)) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

void JsonValue::Add(std::string_view name, JsonValue value) {
  members.push_back({std::string(name), std::move(value)});
}

std::string_view ToString(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBool:
      return "bool";
    case JsonValue::Kind::kNumber:
      return "number";
    case JsonValue::Kind::kString:
      return "string";
    case JsonValue::Kind::kArray:
      return "array";
    case JsonValue::Kind::kObject:
      return "object";
  }
  return "";
}

namespace {

void AppendJson(const JsonValue& value, std::string& out) {
  switch (value.kind) {
    case JsonValue::Kind::kNull:
      out += "null";
      return;
    case JsonValue::Kind::kBool:
      out += value.boolean ? "true" : "false";
      return;
    case JsonValue::Kind::kNumber:
      out += value.text;
      return;
    case JsonValue::Kind::kString:
      api::AppendJsonString(out, value.text);
      return;
    case JsonValue::Kind::kArray:
      out += '[';
      for (const JsonValue& item : value.items) {
        if (&item != &value.items.front()) out += ',';
        AppendJson(item, out);
      }
      out += ']';
      return;
    case JsonValue::Kind::kObject:
      out += '{';
      for (const JsonMember& member : value.members) {
        if (&member != &value.members.front()) out += ',';
        api::AppendJsonString(out, member.name);
        out += ':';
        AppendJson(member.value, out);
      }
      out += '}';
      return;
  }
}

}  // namespace

std::string ToJsonText(const JsonValue& value) {
  std::string out;
  AppendJson(value, out);
  return out;
}

}  // namespace berth::config
