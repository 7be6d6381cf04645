// ValidateSchema: what the schema of a kind requires of its values.
#include <algorithm>
#include <string_view>
#include <vector>

#include "api/json/document.h"
#include "api/scheme/schema.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"

namespace berth::apiserver::admission {
namespace {

using api::scheme::Schema;
using api::scheme::SchemaField;

// Returns the parts of "A|B".
std::vector<std::string_view> ValuesOf(const SchemaField& field) {
  std::vector<std::string_view> values;
  for (std::string_view rest = field.values; !rest.empty();) {
    const size_t end = std::min(rest.find('|'), rest.size());
    values.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return values;
}

// Reports whether zero, which is what a missing value decodes to, means that there is none.
bool HasNoZero(const SchemaField& field) {
  return field.shape != SchemaField::Shape::kOne ||
         (field.type != SchemaField::Type::kInt && field.type != SchemaField::Type::kLong &&
          field.type != SchemaField::Type::kDouble && field.type != SchemaField::Type::kBool &&
          field.type != SchemaField::Type::kTime && field.type != SchemaField::Type::kMicroTime);
}

bool IsStruct(const SchemaField& field) {
  return field.type == SchemaField::Type::kSchema && field.shape == SchemaField::Shape::kOne &&
         !field.keep_zero;
}

// An empty object is not missing: its own fields may be.
bool IsMissing(const api::Json* value) {
  return value == nullptr || (!value->is_object() && api::IsEmpty(value));
}

// Whether a list of objects may be empty differs between kinds: a node may have no CSI drivers.
bool IsListOfObjects(const SchemaField& field) {
  return field.shape == SchemaField::Shape::kList && field.type == SchemaField::Type::kSchema;
}

// SchemaValidator walks a document and its schema. The nesting of schemas bounds the recursion,
// except that of documents whose schema is recursive, which a document bounds itself.
class SchemaValidator {
 public:
  explicit SchemaValidator(FieldErrors& errors) : errors_(errors) {}

  void Object(const Schema& schema, const api::JsonObject& object, const FieldPath* path) {
    for (const SchemaField& field : schema.fields) {
      // Metadata has rules of its own; the server writes the status.
      if (path == nullptr && (field.name == "metadata" || field.name == "status")) continue;
      const FieldPath at = path == nullptr ? FieldPath(field.name) : *path / field.name;
      const api::Json* value = api::At(&object, field.name);
      if (value == nullptr && IsStruct(field)) {
        // Go has it nonetheless, with no values.
        if (field.required || path == nullptr) Object(*field.schema, {}, &at);
      } else if (field.required && HasNoZero(field) && !IsListOfObjects(field) &&
                 IsMissing(value)) {
        errors_.Required(at);
      } else if (value != nullptr) {
        Field(field, *value, at);
      }
    }
  }

 private:
  void Field(const SchemaField& field, const api::Json& value, const FieldPath& path) {
    if (field.type != SchemaField::Type::kSchema && field.values.empty()) return;
    if (field.shape == SchemaField::Shape::kOne) return Element(field, value, path);
    if (const api::JsonArray* list = value.if_array();
        list && field.shape == SchemaField::Shape::kList) {
      for (size_t i = 0; i < list->size(); ++i) Element(field, (*list)[i], path[i]);
    }
    if (const api::JsonObject* map = value.if_object();
        map && field.shape == SchemaField::Shape::kMap) {
      for (const auto& member : *map) Element(field, member.value(), path.Key(member.key()));
    }
  }

  void Element(const SchemaField& field, const api::Json& value, const FieldPath& path) {
    if (field.schema != nullptr) {
      if (const api::JsonObject* object = value.if_object()) Object(*field.schema, *object, &path);
      return;
    }
    const std::string_view text = api::AsString(value);
    const std::vector<std::string_view> values = ValuesOf(field);
    if (text.empty() && !field.required) return;
    if (std::ranges::find(values, text) == values.end()) errors_.NotSupported(path, text, values);
  }

  FieldErrors& errors_;
};

}  // namespace

void ValidateSchema(const api::scheme::Kind& kind, const api::JsonObject& document,
                    FieldErrors& errors) {
  const Schema* schema = api::scheme::SchemaOf(kind.api_version(), kind.kind);
  if (schema != nullptr) SchemaValidator(errors).Object(*schema, document, nullptr);
}

}  // namespace berth::apiserver::admission
