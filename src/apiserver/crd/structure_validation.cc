// ValidateStructure of validation.h.
#include <algorithm>
#include <map>
#include <string>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"
#include "apiserver/crd/definition.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/validation.h"

namespace berth::apiserver::crd {
namespace {

using admission::FieldErrors;
using admission::FieldPath;

class StructureValidator {
 public:
  explicit StructureValidator(FieldErrors& errors) : errors_(errors) {}

  void ValidateMembers(const Schema& schema, const api::JsonObject& object, const FieldPath* path) {
    for (const auto& member : object) {
      if (errors_.full()) return;
      const std::string_view name = member.key();
      const Schema* property = schema.FindProperty(name);
      if (property != nullptr) {
        Validate(*property, member.value(), path != nullptr ? *path / name : FieldPath(name));
      } else if (schema.additional_schema != nullptr && path != nullptr) {
        Validate(*schema.additional_schema, member.value(), path->Key(name));
      }
    }
  }

 private:
  void Validate(const Schema& schema, const api::Json& value, const FieldPath& path) {
    if (const api::JsonObject* object = value.if_object()) {
      if (schema.embedded_resource) ValidateResource(*object, path);
      ValidateMembers(schema, *object, &path);
      return;
    }
    const api::JsonArray* array = value.if_array();
    if (array == nullptr) return;
    if (schema.list_type == Schema::ListType::kSet) ValidateSet(*array, path);
    if (schema.list_type == Schema::ListType::kMap) ValidateMap(schema, *array, path);
    for (size_t i = 0; schema.items != nullptr && i < array->size(); ++i) {
      if (errors_.full()) return;
      Validate(*schema.items, (*array)[i], path[i]);
    }
  }

  // Reports the second occurrence of each key.
  void ReportRepeats(const std::vector<std::string>& keys, const FieldPath& path) {
    std::map<std::string_view, size_t> seen;  // Ordered, since clients choose the keys.
    for (size_t i = 0; i < keys.size() && !errors_.full(); ++i) {
      if (++seen[keys[i]] == 2) errors_.DuplicateText(path[i], keys[i]);
    }
  }

  void ValidateSet(const api::JsonArray& array, const FieldPath& path) {
    std::vector<std::string> keys;
    for (const api::Json& item : array) keys.push_back(api::ToCanonicalJson(item));
    ReportRepeats(keys, path);
  }

  void ValidateMap(const Schema& schema, const api::JsonArray& array, const FieldPath& path) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < array.size(); ++i) {
      if (!array[i].is_object() && !array[i].is_null()) {
        return errors_.InvalidValue(path[i], array[i],
                                    "must be an object for an array of list-type map");
      }
      api::JsonObject identity;
      for (const std::string& key : schema.map_keys) {
        const api::JsonObject* object = array[i].if_object();
        const api::Json* value = object != nullptr ? object->if_contains(key) : nullptr;
        if (value != nullptr) identity[key] = *value;
      }
      keys.push_back(api::ToCanonicalJson(identity));
    }
    ReportRepeats(keys, path);
  }

  void ValidateResource(const api::JsonObject& object, const FieldPath& path) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const api::Json* value = object.if_contains(name);
      if (value == nullptr) {
        errors_.Required(path / name);
      } else if (!value->is_string()) {
        errors_.InvalidValue(path / name, *value, "must be a string");
      } else if (value->get_string().empty()) {
        errors_.Invalid(path / name, "", "must not be empty");
      } else if (name == "kind") {
        const std::string_view kind = api::AsString(*value);
        if (const auto what = admission::CheckDns1035Label(ToLower(kind))) {
          errors_.Invalid(path / name, kind,
                          "may have mixed case, but should otherwise match: " + *what);
        }
      }
    }
    const FieldPath metadata = path / "metadata";
    const api::Json* given = api::At(&object, "metadata");
    if (given == nullptr) return;
    if (!given->is_object()) {
      return errors_.InvalidValue(metadata, *given, "must be an object");
    }
    admission::ValidateLabels(api::At(given->if_object(), "labels"), metadata / "labels", errors_);
  }

  FieldErrors& errors_;
};

}  // namespace

void ValidateStructure(const Schema& schema, const api::JsonObject& object, FieldErrors& errors) {
  StructureValidator(errors).ValidateMembers(schema, object, nullptr);
}

}  // namespace berth::apiserver::crd
