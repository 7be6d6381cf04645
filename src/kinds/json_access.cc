#include "kinds/json_access.h"

namespace berth::apiserver {

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

}  // namespace berth::apiserver
