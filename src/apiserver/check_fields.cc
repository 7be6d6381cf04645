#include "apiserver/check_fields.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "admission/field_errors.h"
#include "apiserver/api.h"
#include "kinds/json_access.h"
#include "kinds/schema.h"

namespace berth::apiserver {

namespace {

using Shape = SchemaField::Shape;
using Type = SchemaField::Type;

// Looked up once per kind.
const Schema* SchemaFor(const Kind& kind) {
  static const std::vector<const Schema*> table = [] {
    std::vector<const Schema*> all;
    for (const Kind& row : Kinds()) all.push_back(SchemaOf(row.api_version(), row.kind));
    return all;
  }();
  const ptrdiff_t index = &kind - Kinds().data();
  return index >= 0 && static_cast<size_t>(index) < table.size() ? table[index] : nullptr;
}

std::string_view JsonTypeOf(const Json& value) {
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
    case Type::kSchema:
      return "object";
    default:
      return "string";
  }
}

bool Fits(const Json& value, Type type) {
  switch (type) {
    case Type::kString:
    case Type::kBytes:
    case Type::kTime:
      return value.is_string();
    case Type::kQuantity:
      return value.is_string() || value.is_number();
    case Type::kIntOrString:
      return value.is_string() || AsInt(&value).has_value();
    case Type::kInt: {
      const std::optional<int64_t> number = AsInt(&value);
      return number && *number >= std::numeric_limits<int32_t>::min() &&
             *number <= std::numeric_limits<int32_t>::max();
    }
    case Type::kLong:
      return AsInt(&value).has_value();
    case Type::kDouble:
      return value.is_number();
    case Type::kBool:
      return value.is_bool();
    case Type::kObject:
      return true;
    case Type::kSchema:
      return value.is_object();
  }
  return true;
}

// Finds the first misfit.
class Checker {
 public:
  explicit Checker(const Kind& kind) : kind_(kind) {}

  bool Object(const JsonObject& object, const Schema& schema, const FieldPath* path,
              std::string_view only = {}) {
    for (const auto& member : object) {
      const std::string_view key = member.key();
      if (!only.empty() && key != only) continue;
      const SchemaField* field = schema.Find(key);
      if (!field || member.value().is_null()) continue;
      if (!Field(member.value(), *field, path ? *path / key : FieldPath(key))) return false;
    }
    return true;
  }

  ApiError Take() { return std::move(error_); }

 private:
  bool Field(const Json& value, const SchemaField& field, const FieldPath& path) {
    if (field.shape == Shape::kOne) return One(value, field, path);
    if (field.shape == Shape::kList) {
      const JsonArray* array = value.if_array();
      if (!array) return Misfit(value, "array", path);
      for (size_t i = 0; i < array->size(); ++i) {
        if (!One((*array)[i], field, path[i])) return false;
      }
      return true;
    }
    const JsonObject* map = value.if_object();
    if (!map) return Misfit(value, "map", path);
    for (const auto& member : *map) {
      if (member.value().is_null()) continue;
      if (!One(member.value(), field, path.Key(member.key()))) return false;
    }
    return true;
  }

  bool One(const Json& value, const SchemaField& field, const FieldPath& path) {
    if (!Fits(value, field.type)) return Misfit(value, NameOf(field.type), path);
    if (field.type != Type::kSchema || !field.schema) return true;
    return Object(value.get_object(), *field.schema, &path);
  }

  bool Misfit(const Json& value, std::string_view want, const FieldPath& path) {
    error_ = BadRequest(fmt::format(
        "{0} in version \"{1}\" cannot be handled as a {0}: json: cannot unmarshal {2} into field "
        "{3} of type {4}",
        kind_.kind, kind_.version, JsonTypeOf(value), path.ToString(), want));
    return false;
  }

  const Kind& kind_;
  ApiError error_;
};

}  // namespace

ApiResult<void> CheckFieldTypes(const Kind& kind, const JsonObject& document,
                                std::string_view only) {
  const Schema* schema = SchemaFor(kind);
  if (!schema) return {};
  Checker checker(kind);
  if (checker.Object(document, *schema, nullptr, only)) return {};
  return std::unexpected(checker.Take());
}

ApiResult<void> CheckUnknownFields(const Kind& kind, const Json& document,
                                   const WriteOptions& options) {
  if (options.field_validation == FieldValidation::kIgnore) return {};
  std::vector<std::string> unknown = UnknownFields(kind, document);
  if (unknown.empty()) return {};
  if (options.field_validation == FieldValidation::kStrict) {
    return std::unexpected(BadRequest(
        fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: strict decoding error: {2}",
                    kind.kind, kind.version, fmt::join(unknown, ", "))));
  }
  if (options.warnings) {
    for (std::string& field : unknown) options.warnings->push_back(std::move(field));
  }
  return {};
}

}  // namespace berth::apiserver
