// OpenApiV2Protobuf of openapi.h.
#include <cstdint>
#include <string_view>

#include "api/json/document.h"
#include "api/json/view.h"
#include "api/json/writer.h"
#include "apiserver/openapi/openapi.h"

namespace berth::apiserver::openapi {
namespace {

void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Appends a string or message field.
void AppendBytes(std::string& out, uint32_t number, std::string_view bytes) {
  AppendVarint(out, number << 3 | 2);
  AppendVarint(out, bytes.size());
  out += bytes;
}

void AppendText(std::string& out, uint32_t number, api::JsonView text) {
  if (!text.text().empty()) AppendBytes(out, number, text.text());
}

// Encodes an entry of a map: a name (1) and a value (2).
std::string Named(std::string_view name, std::string_view value) {
  std::string out;
  AppendBytes(out, 1, name);
  AppendBytes(out, 2, value);
  return out;
}

// Appends the fields that start with "x-"; their values are YAML, of which JSON is a subset.
void AppendExtensions(std::string& out, uint32_t number, api::JsonView object) {
  for (const auto& [key, value] : object.fields()) {
    if (!key.starts_with("x-")) continue;
    std::string any;
    AppendBytes(any, 2, api::ToJsonText(*value.value()));
    AppendBytes(out, number, Named(key, any));
  }
}

std::string SchemaMessage(api::JsonView schema);

std::string SchemaMap(api::JsonView schemas) {
  std::string out;
  for (const auto& [name, schema] : schemas.fields()) {
    AppendBytes(out, 1, Named(name, SchemaMessage(schema)));
  }
  return out;
}

std::string SchemaMessage(api::JsonView schema) {
  const auto wrapped = [](std::string_view inner) {
    std::string out;
    AppendBytes(out, 1, inner);
    return out;
  };
  std::string out;
  AppendText(out, 1, schema["$ref"]);
  AppendText(out, 2, schema["format"]);
  AppendText(out, 4, schema["description"]);
  for (const api::JsonView name : schema["required"].items()) AppendText(out, 19, name);
  if (const api::JsonView values = schema["additionalProperties"]) {
    AppendBytes(out, 21, wrapped(SchemaMessage(values)));
  }
  if (const api::JsonView type = schema["type"]) AppendBytes(out, 22, wrapped(type.text()));
  if (const api::JsonView items = schema["items"]) {
    AppendBytes(out, 23, wrapped(SchemaMessage(items)));
  }
  if (const api::JsonView properties = schema["properties"]) {
    AppendBytes(out, 25, SchemaMap(properties));
  }
  AppendExtensions(out, 31, schema);
  return out;
}

// Encodes a query parameter, wrapped in ParametersItem, Parameter and NonBodyParameter.
std::string QueryParameter(api::JsonView parameter) {
  std::string query;
  AppendText(query, 2, parameter["in"]);
  AppendText(query, 4, parameter["name"]);
  AppendText(query, 6, parameter["type"]);
  std::string non_body;
  AppendBytes(non_body, 3, query);
  std::string any;
  AppendBytes(any, 2, non_body);
  std::string item;
  AppendBytes(item, 1, any);
  return item;
}

std::string OperationMessage(api::JsonView operation) {
  std::string out;
  for (const api::JsonView parameter : operation["parameters"].items()) {
    AppendBytes(out, 8, QueryParameter(parameter));
  }
  AppendExtensions(out, 13, operation);
  return out;
}

std::string PathsMessage(api::JsonView paths) {
  std::string out;
  for (const auto& [path, item] : paths.fields()) {
    std::string operations;
    AppendBytes(operations, 8, OperationMessage(item["patch"]));
    AppendBytes(out, 2, Named(path, operations));
  }
  return out;
}

}  // namespace

std::string OpenApiV2Protobuf(const api::JsonObject& document) {
  const auto part = [&](std::string_view key) {
    const api::Json* value = document.if_contains(key);
    return value == nullptr ? api::JsonView() : api::JsonView(*value);
  };
  std::string info;
  AppendText(info, 1, part("info")["title"]);
  AppendText(info, 2, part("info")["version"]);
  std::string out;
  AppendText(out, 1, part("swagger"));
  AppendBytes(out, 2, info);
  AppendBytes(out, 8, PathsMessage(part("paths")));
  AppendBytes(out, 9, SchemaMap(part("definitions")));
  return out;
}

}  // namespace berth::apiserver::openapi
