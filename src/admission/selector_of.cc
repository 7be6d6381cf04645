#include "admission/selector_of.h"

#include "kinds/json_access.h"

namespace berth::apiserver {

api::StringMap StringMapOf(const JsonObject* map) {
  api::StringMap out;
  if (!map) return out;
  for (const auto& [key, value] : *map) out.emplace(key, AsString(value));
  return out;
}

api::LabelSelector LabelSelectorOf(const JsonObject& selector) {
  api::LabelSelector out;
  out.match_labels = StringMapOf(ObjectAt(&selector, "matchLabels"));
  const JsonArray* expressions = ArrayAt(&selector, "matchExpressions");
  for (size_t i = 0; expressions && i < expressions->size(); ++i) {
    const JsonObject* expression = AsObject((*expressions)[i]);
    api::LabelSelectorRequirement requirement;
    requirement.key = StringAt(expression, "key");
    requirement.op = StringAt(expression, "operator");
    if (const JsonArray* values = ArrayAt(expression, "values")) {
      for (const Json& value : *values) requirement.values.emplace_back(AsString(value));
    }
    out.match_expressions.push_back(std::move(requirement));
  }
  return out;
}

}  // namespace berth::apiserver
