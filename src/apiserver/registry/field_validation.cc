#include "apiserver/registry/field_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "api/json/document.h"
#include "api/scheme/schema.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/crd/coercion.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/registry/api.h"

namespace berth::apiserver::registry {

namespace {

using Shape = api::scheme::SchemaField::Shape;
using Type = api::scheme::SchemaField::Type;

// Returns the schema of a kind from a table that is built once.
const api::scheme::Schema* SchemaFor(const api::scheme::Kind& kind) {
  if (kind.custom != nullptr) return nullptr;
  static const std::vector<const api::scheme::Schema*> table = [] {
    std::vector<const api::scheme::Schema*> all;
    for (const api::scheme::Kind& row : api::scheme::Kinds())
      all.push_back(api::scheme::SchemaOf(row.api_version(), row.kind));
    return all;
  }();
  const ptrdiff_t index = &kind - api::scheme::Kinds().data();
  return index >= 0 && static_cast<size_t>(index) < table.size() ? table[index] : nullptr;
}

std::string_view JsonTypeOf(const api::Json& value) {
  switch (value.kind()) {
    case boost::json::kind::bool_:
      return "bool";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::object:
      return "object";
    default:
      return "number";
  }
}

std::string_view NameOf(Type type) {
  switch (type) {
    case Type::kInt:
      return "int32";
    case Type::kLong:
      return "int64";
    case Type::kDouble:
      return "float64";
    case Type::kBool:
      return "bool";
    case Type::kStrings:
      return "[]string";
    case Type::kSchema:
      return "object";
    default:
      return "string";
  }
}

bool HasType(const api::Json& value, Type type) {
  switch (type) {
    case Type::kString:
    case Type::kBytes:
    case Type::kTime:
    case Type::kMicroTime:
      return value.is_string();
    case Type::kQuantity:
      return value.is_string() || value.is_number();
    case Type::kIntOrString:
      return value.is_string() || api::AsInt(&value).has_value();
    case Type::kInt: {
      const std::optional<int64_t> number = api::AsInt(&value);
      return number && *number >= std::numeric_limits<int32_t>::min() &&
             *number <= std::numeric_limits<int32_t>::max();
    }
    case Type::kLong:
      return api::AsInt(&value).has_value();
    case Type::kDouble:
      return value.is_number();
    case Type::kBool:
      return value.is_bool();
    case Type::kStrings:
      return value.is_array() && std::ranges::all_of(value.get_array(), [](const api::Json& text) {
               return text.is_string();
             });
    case Type::kObject:
    case Type::kAny:
      return true;
    case Type::kSchema:
      return value.is_object();
  }
  return true;
}

bool IsAlternative(const api::Json& value, const api::scheme::SchemaField& field) {
  using Alternative = api::scheme::SchemaField::Alternative;
  if (field.alternative == Alternative::kNone) return false;
  return field.alternative == Alternative::kBool ? value.is_bool() : value.is_array();
}

// TypeChecker finds the first value of a wrong type. Methods return false if there is one.
class TypeChecker {
 public:
  explicit TypeChecker(const api::scheme::Kind& kind) : kind_(kind) {}

  bool CheckObject(const api::JsonObject& object, const api::scheme::Schema& schema,
                   const admission::FieldPath* path, std::string_view only = {}) {
    for (const auto& member : object) {
      const std::string_view key = member.key();
      if (!only.empty() && key != only) continue;
      const api::scheme::SchemaField* field = schema.Find(key);
      if (!field || member.value().is_null()) continue;
      if (!CheckField(member.value(), *field, path ? *path / key : admission::FieldPath(key)))
        return false;
    }
    return true;
  }

  api::scheme::ApiError Take() { return std::move(error_); }

 private:
  bool CheckField(const api::Json& value, const api::scheme::SchemaField& field,
                  const admission::FieldPath& path) {
    if (field.shape == Shape::kOne) return CheckElement(value, field, path);
    if (field.shape == Shape::kList) {
      const api::JsonArray* array = value.if_array();
      if (!array) return WrongType(value, "array", path);
      for (size_t i = 0; i < array->size(); ++i) {
        if (!CheckElement((*array)[i], field, path[i])) return false;
      }
      return true;
    }
    const api::JsonObject* map = value.if_object();
    if (!map) return WrongType(value, "map", path);
    for (const auto& member : *map) {
      if (member.value().is_null()) continue;
      if (!CheckElement(member.value(), field, path.Key(member.key()))) return false;
    }
    return true;
  }

  bool CheckElement(const api::Json& value, const api::scheme::SchemaField& field,
                    const admission::FieldPath& path) {
    if (IsAlternative(value, field)) return true;
    if (!HasType(value, field.type)) return WrongType(value, NameOf(field.type), path);
    if (field.type != Type::kSchema || !field.schema) return true;
    return CheckObject(value.get_object(), *field.schema, &path);
  }

  bool WrongType(const api::Json& value, std::string_view want, const admission::FieldPath& path) {
    error_ = api::scheme::BadRequest(fmt::format(
        "{0} in version \"{1}\" cannot be handled as a {0}: json: cannot unmarshal {2} into field "
        "{3} of type {4}",
        kind_.kind, kind_.version, JsonTypeOf(value), path.ToString(), want));
    return false;
  }

  const api::scheme::Kind& kind_;
  api::scheme::ApiError error_;
};

std::vector<std::string> UnknownFieldsOf(const api::scheme::Kind& kind, const api::Json& document) {
  const crd::CustomVersion* version = crd::VersionOf(kind);
  if (version == nullptr) return api::scheme::UnknownFields(kind, document);
  std::vector<std::string> unknown = crd::UnknownFields(version->schema, document.get_object());
  for (std::string& path : unknown) path = fmt::format("unknown field \"{}\"", path);
  return unknown;
}

}  // namespace

api::scheme::ApiResult<void> CheckFieldTypes(const api::scheme::Kind& kind,
                                             const api::JsonObject& document,
                                             std::string_view only) {
  const api::scheme::Schema* schema = SchemaFor(kind);
  if (!schema) return {};
  TypeChecker checker(kind);
  if (checker.CheckObject(document, *schema, nullptr, only)) return {};
  return std::unexpected(checker.Take());
}

api::scheme::ApiResult<void> CheckUnknownFields(const api::scheme::Kind& kind,
                                                const api::Json& document,
                                                const WriteOptions& options) {
  if (options.field_validation == FieldValidation::kIgnore) return {};
  std::vector<std::string> unknown = UnknownFieldsOf(kind, document);
  std::ranges::copy(options.duplicate_fields, std::back_inserter(unknown));
  if (unknown.empty()) return {};
  if (options.field_validation == FieldValidation::kStrict) {
    return std::unexpected(api::scheme::BadRequest(
        fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: strict decoding error: {2}",
                    kind.kind, kind.version, fmt::join(unknown, ", "))));
  }
  if (options.warnings) {
    for (std::string& field : unknown) options.warnings->push_back(std::move(field));
  }
  return {};
}

api::scheme::ApiResult<void> CheckAppliedFields(const api::scheme::Kind& kind,
                                                const store::ObjectName& name,
                                                const api::Json& patch,
                                                const WriteOptions& options) {
  if (options.field_validation != FieldValidation::kStrict) return {};
  std::vector<std::string> unknown = UnknownFieldsOf(kind, patch);
  if (unknown.empty()) return {};
  for (std::string& field : unknown) {
    const size_t begin = field.find('"') + 1;
    field = fmt::format(".{}: field not declared in schema",
                        std::string_view(field).substr(begin, field.rfind('"') - begin));
  }
  const std::string errors = unknown.size() == 1
                                 ? unknown.front()
                                 : fmt::format("errors:\n  {}", fmt::join(unknown, "\n  "));
  const std::string object =
      name.namespace_.empty() ? name.name : fmt::format("{}/{}", name.namespace_, name.name);
  return std::unexpected(api::scheme::BadRequest(
      fmt::format("failed to create typed patch object ({}; {}, Kind={}): {}", object,
                  kind.api_version(), kind.kind, errors)));
}

}  // namespace berth::apiserver::registry
