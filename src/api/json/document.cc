#include "api/json/document.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cmath>

namespace berth::api {

bool IsEmpty(const Json* value) {
  if (!value || value->is_null()) return true;
  if (const boost::json::string* text = value->if_string()) return text->empty();
  if (const JsonArray* array = value->if_array()) return array->empty();
  if (const JsonObject* object = value->if_object()) return object->empty();
  return false;
}

bool SameAt(const JsonObject* a, const JsonObject* b, std::string_view key) {
  const Json* left = At(a, key);
  const Json* right = At(b, key);
  if (!left || !right) return IsEmpty(left) && IsEmpty(right);
  return *left == *right;
}

bool HasFiniteNumbers(const Json& document) {
  if (const double* number = document.if_double()) return std::isfinite(*number);
  if (const JsonArray* array = document.if_array()) {
    return std::ranges::all_of(*array, HasFiniteNumbers);
  }
  if (const JsonObject* object = document.if_object()) {
    return std::ranges::all_of(*object,
                               [](const auto& field) { return HasFiniteNumbers(field.value()); });
  }
  return true;
}

StringMap StringMapOf(const JsonObject* map) {
  StringMap out;
  if (!map) return out;
  for (const auto& [key, value] : *map) out.emplace(key, AsString(value));
  return out;
}

LabelSelector LabelSelectorOf(const JsonObject& selector) {
  LabelSelector out;
  out.match_labels = StringMapOf(ObjectAt(&selector, "matchLabels"));
  const JsonArray* expressions = ArrayAt(&selector, "matchExpressions");
  for (size_t i = 0; expressions && i < expressions->size(); ++i) {
    const JsonObject* expression = AsObject((*expressions)[i]);
    LabelSelectorRequirement requirement;
    requirement.key = StringAt(expression, "key");
    requirement.op = StringAt(expression, "operator");
    if (const JsonArray* values = ArrayAt(expression, "values")) {
      for (const Json& value : *values) requirement.values.emplace_back(AsString(value));
    }
    out.match_expressions.push_back(std::move(requirement));
  }
  return out;
}

}  // namespace berth::api
