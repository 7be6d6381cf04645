#include "admission/validate_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "admission/field_errors.h"
#include "admission/metadata.h"
#include "admission/names.h"
#include "api/selector.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

constexpr size_t kMaxAnnotations = 256 * 1024;

void ValidateAnnotations(const JsonObject* annotations, const FieldPath& path,
                         FieldErrors& errors) {
  if (!annotations) return;
  size_t size = 0;
  for (const auto& [key, value] : *annotations) {
    std::string lower(key);
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const std::string& what : api::QualifiedNameErrors(lower)) {
      errors.Invalid(path, std::string_view(key), what);
    }
    size += key.size() + AsString(value).size();
  }
  if (size > kMaxAnnotations) errors.TooLong(path, kMaxAnnotations);
}

void ValidateOwners(const JsonArray* owners, const FieldPath& path, FieldErrors& errors) {
  if (!owners) return;
  std::string_view controller;
  for (size_t i = 0; i < owners->size(); ++i) {
    const JsonObject* owner = AsObject((*owners)[i]);
    const FieldPath at = path[i];
    for (const std::string_view key : {"apiVersion", "kind", "name", "uid"}) {
      if (!StringAt(owner, key).empty()) continue;
      errors.Invalid(at / key, "",
                     fmt::format("{} must not be empty", key == "apiVersion" ? "version" : key));
    }
    if (!BoolAt(owner, "controller")) continue;
    if (!controller.empty()) {
      errors.InvalidValue(path, Json(*owners),
                          fmt::format("Only one reference can have Controller set to true. Found "
                                      "\"true\" in references for {} and {}",
                                      controller, StringAt(owner, "name")));
    }
    controller = StringAt(owner, "name");
  }
}

void ValidateRequirement(const JsonObject* requirement, const FieldPath& path,
                         FieldErrors& errors) {
  const std::string_view key = StringAt(requirement, "key");
  const std::string_view op = StringAt(requirement, "operator");
  const bool has_values = !EmptyAt(requirement, "values");
  if (op == "In" || op == "NotIn") {
    if (!has_values) {
      errors.Required(path / "values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (has_values) {
      errors.Forbidden(path / "values",
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    errors.Invalid(path / "operator", op, "not a valid selector operator");
  }
  for (const std::string& what : api::QualifiedNameErrors(key)) {
    errors.Invalid(path / "key", key, what);
  }
  const FieldPath values = path / "values";
  if (const JsonArray* list = ArrayAt(requirement, "values")) {
    for (size_t i = 0; i < list->size(); ++i) {
      const std::string_view value = AsString((*list)[i]);
      if (const auto what = api::ValidateLabelValue(value)) {
        errors.Invalid(values[i], value, *what);
      }
    }
  }
}

}  // namespace

void ValidateLabels(const Json* labels, const FieldPath& path, FieldErrors& errors) {
  const JsonObject* map = AsObject(labels);
  if (!map) return;
  for (const auto& [key, value] : *map) {
    for (const std::string& what : api::QualifiedNameErrors(key)) {
      errors.Invalid(path, std::string_view(key), what);
    }
    const std::string_view text = AsString(value);
    if (const auto what = api::ValidateLabelValue(text)) errors.Invalid(path, text, *what);
  }
}

void ValidateLabelSelector(const JsonObject* selector, const FieldPath& path, FieldErrors& errors) {
  if (!selector) return;
  ValidateLabels(At(selector, "matchLabels"), path / "matchLabels", errors);
  const FieldPath expressions = path / "matchExpressions";
  if (const JsonArray* list = ArrayAt(selector, "matchExpressions")) {
    for (size_t i = 0; i < list->size(); ++i) {
      ValidateRequirement(AsObject((*list)[i]), expressions[i], errors);
    }
  }
}

void ValidateMetadata(const Kind& kind, const JsonObject& document, FieldErrors& errors) {
  const FieldPath path("metadata");
  const JsonObject* metadata = MetadataOf(document);
  const std::string_view name = StringAt(metadata, "name");
  const std::string_view prefix = StringAt(metadata, "generateName");
  if (name.empty() && prefix.empty()) {
    errors.Required(path / "name", "name or generateName is required");
  } else if (!name.empty()) {
    if (const auto what = CheckName(kind, name)) errors.Invalid(path / "name", name, *what);
  }
  ValidateLabels(At(metadata, "labels"), path / "labels", errors);
  ValidateAnnotations(ObjectAt(metadata, "annotations"), path / "annotations", errors);
  ValidateOwners(ArrayAt(metadata, "ownerReferences"), path / "ownerReferences", errors);
  const FieldPath finalizers = path / "finalizers";
  if (const JsonArray* list = ArrayAt(metadata, "finalizers")) {
    for (const Json& finalizer : *list) {
      for (const std::string& what : api::QualifiedNameErrors(AsString(finalizer))) {
        errors.Invalid(finalizers, AsString(finalizer), what);
      }
    }
  }
}

void ValidateMetadataUpdate(const JsonObject& before, const JsonObject& after,
                            FieldErrors& errors) {
  if (!IsDeleting(before)) return;
  const JsonArray* old_list = ArrayAt(MetadataOf(before), "finalizers");
  const JsonArray* new_list = ArrayAt(MetadataOf(after), "finalizers");
  if (!new_list) return;
  std::string added;
  for (const Json& finalizer : *new_list) {
    if (old_list && std::ranges::find(*old_list, finalizer) != old_list->end()) continue;
    if (!added.empty()) added += ", ";
    added += Quote(AsString(finalizer));
  }
  if (added.empty()) return;
  const FieldPath path("metadata");
  errors.Forbidden(path / "finalizers",
                   fmt::format("no new finalizers can be added if the object is being deleted, "
                               "found new finalizers []string{{{}}}",
                               added));
}

}  // namespace berth::apiserver
