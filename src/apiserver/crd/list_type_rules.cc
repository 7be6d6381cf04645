#include "apiserver/crd/list_type_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "api/json/document.h"
#include "apiserver/admission/field_errors.h"

namespace berth::apiserver::crd {
namespace {

using admission::FieldErrors;
using admission::FieldPath;

std::string_view SchemaTypeName(const api::JsonObject& schema) {
  return api::StringAt(&schema, "type");
}

void CheckSet(const api::JsonObject* items, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kWhy =
      "must be atomic as item of a list with "
      "x-kubernetes-list-type=set";
  if (items == nullptr) return;
  const std::string_view list = api::StringAt(items, "x-kubernetes-list-type");
  if (SchemaTypeName(*items) == "array" && !list.empty() && list != "atomic") {
    errors.Invalid(path / "x-kubernetes-list-type", list, kWhy);
  }
  const std::string_view map = api::StringAt(items, "x-kubernetes-map-type");
  if (SchemaTypeName(*items) == "object" && map != "atomic") {
    errors.Invalid(path / "x-kubernetes-map-type", map, kWhy);
  }
  if (api::BoolAt(items, "nullable")) {
    errors.Forbidden(path / "nullable", "cannot be nullable when x-kubernetes-list-type is set");
  }
}

void CheckKeyProperties(const api::JsonArray& keys, const api::JsonObject& items,
                        const FieldPath& list, const FieldPath& path, FieldErrors& errors) {
  const FieldPath keys_path = list / "x-kubernetes-list-map-keys";
  const api::JsonObject* properties = api::ObjectAt(&items, "properties");
  const api::JsonArray* required = api::ArrayAt(&items, "required");
  std::set<std::string_view> seen;
  for (const api::Json& element : keys) {
    const std::string_view key = api::AsString(element);
    if (!seen.insert(key).second) {
      errors.InvalidValue(keys_path, keys, "must not contain duplicate entries");
    }
    const api::JsonObject* property = api::ObjectAt(properties, key);
    if (property == nullptr) {
      errors.InvalidValue(keys_path, keys, "entries must all be names of item properties");
      continue;
    }
    const FieldPath at = path.Key(key);
    if (SchemaTypeName(*property) == "array" || SchemaTypeName(*property) == "object") {
      errors.Invalid(at / "type", SchemaTypeName(*property),
                     "must be a scalar type if parent array's x-kubernetes-list-type is map");
    }
    const bool is_required =
        required != nullptr && std::ranges::find(*required, element) != required->end();
    if (!is_required && api::At(property, "default") == nullptr) {
      errors.Required(at / "default",
                      "this property is in x-kubernetes-list-map-keys, so it must have a default "
                      "or be a required property");
    }
    if (api::BoolAt(property, "nullable")) {
      errors.Forbidden(at / "nullable",
                       "this property is in x-kubernetes-list-map-keys, so it cannot be "
                       "nullable");
    }
  }
}

void CheckMapKeys(const api::JsonObject& schema, std::string_view list_type,
                  const api::JsonObject* items, const FieldPath& path, FieldErrors& errors) {
  const api::JsonArray* keys = api::ArrayAt(&schema, "x-kubernetes-list-map-keys");
  const bool has_keys = keys != nullptr && !keys->empty();
  if (has_keys && list_type != "map") {
    constexpr std::string_view kWhy = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (list_type.empty()) return errors.Required(path / "x-kubernetes-list-type", kWhy);
    return errors.Invalid(path / "x-kubernetes-list-type", list_type, kWhy);
  }
  if (list_type != "map") return;
  if (!has_keys) {
    errors.Required(path / "x-kubernetes-list-map-keys",
                    "must not be empty if x-kubernetes-list-type is map");
  }
  const FieldPath items_path = path / "items";
  if (items == nullptr) {
    return errors.Required(items_path, "must have a schema if x-kubernetes-list-type is map");
  }
  if (SchemaTypeName(*items) != "object") {
    return errors.Invalid(items_path / "type", SchemaTypeName(*items),
                          "must be object if parent array's x-kubernetes-list-type is map");
  }
  if (api::BoolAt(items, "nullable")) {
    errors.Forbidden(items_path / "nullable",
                     "cannot be nullable when x-kubernetes-list-type is map");
  }
  if (has_keys) CheckKeyProperties(*keys, *items, path, items_path / "properties", errors);
}

}  // namespace

void RequireType(const api::JsonObject& schema, const FieldPath& path, std::string_view wanted,
                 std::string_view why, FieldErrors& errors) {
  const std::string_view type = SchemaTypeName(schema);
  if (type == wanted) return;
  const std::string detail = fmt::format("must be {} if {}", wanted, why);
  if (type.empty()) {
    errors.Required(path / "type", detail);
  } else {
    errors.Invalid(path / "type", type, detail);
  }
}

void CheckListType(const api::JsonObject& schema, const FieldPath& path, FieldErrors& errors) {
  const std::string_view list_type = api::StringAt(&schema, "x-kubernetes-list-type");
  if (!list_type.empty()) {
    RequireType(schema, path, "array", "x-kubernetes-list-type is specified", errors);
    if (list_type != "atomic" && list_type != "set" && list_type != "map") {
      errors.NotSupported(path / "x-kubernetes-list-type", list_type, {"atomic", "set", "map"});
    }
  }
  const api::JsonObject* items = api::ObjectAt(&schema, "items");
  if (list_type == "set") CheckSet(items, path / "items", errors);
  CheckMapKeys(schema, list_type, items, path, errors);
}

}  // namespace berth::apiserver::crd
