// Checks of values that claims, classes and slices of devices share; see devices.h.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/json/json.h"
#include "apiserver/admission/field_errors.h"

namespace berth::apiserver::admission {

inline constexpr size_t kNoLimit = SIZE_MAX;

// Calls check(element, path) for each element, or adds an error if there are more than `limit`.
template <typename Check>
void CheckEach(const api::JsonArray* list, size_t limit, const FieldPath& path, FieldErrors& errors,
               Check check) {
  if (list == nullptr) return;
  if (list->size() > limit) return errors.TooMany(path, list->size(), limit);
  for (size_t i = 0; i < list->size(); ++i) check((*list)[i], path[i]);
}

// Calls check(element, path) like CheckEach, then adds an error for each element whose key_of is
// that of an earlier one.
template <typename Check, typename KeyOf>
void CheckSet(const api::JsonArray* list, size_t limit, const FieldPath& path, FieldErrors& errors,
              Check check, KeyOf key_of) {
  CheckEach(list, limit, path, errors, check);
  if (list == nullptr || list->size() > limit) return;
  std::set<std::string, std::less<>> keys;
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string key(key_of((*list)[i]));
    if (!keys.insert(key).second) errors.Duplicate(path[i], key);
  }
}

// The key of elements with a name, for CheckSet.
inline std::string_view NameOfElement(const api::Json& element) {
  return api::StringAt(api::AsObject(element), "name");
}
inline std::string_view TextOfElement(const api::Json& element) { return api::AsString(element); }

void CheckDriverName(std::string_view driver, const FieldPath& path, FieldErrors& errors);
void CheckPoolName(std::string_view pool, const FieldPath& path, FieldErrors& errors);
// Names of devices, requests and counters.
void CheckLabelText(std::string_view name, const FieldPath& path, FieldErrors& errors);
// A qualified name with an optional prefix: a key of a label.
void CheckLabelName(std::string_view name, const FieldPath& path, FieldErrors& errors);
void CheckShareId(std::string_view id, const FieldPath& path, FieldErrors& errors);
// The name of an attribute or a capacity: "model" or "gpu.example.com/model".
void CheckAttributeName(std::string_view name, const FieldPath& path, FieldErrors& errors);
void CheckQualifiedAttributeName(std::string_view name, const FieldPath& path, FieldErrors& errors);

void CheckTolerations(const api::JsonObject* holder, const FieldPath& path, FieldErrors& errors);
void CheckTaintEffect(std::string_view effect, const FieldPath& path, FieldErrors& errors);
void CheckLabelValue(std::string_view value, const FieldPath& path, FieldErrors& errors);
void CheckBindingConditions(const api::JsonObject* holder, const FieldPath& path,
                            FieldErrors& errors);
// A node selector, of which any number of terms is valid.
void CheckNodeSelector(const api::JsonObject* selector, const FieldPath& path, FieldErrors& errors);
// Parameters for a driver, which are an object of limited size. `is_stored`: they were accepted
// before, and their size does not matter.
void CheckParameters(const api::Json* parameters, bool is_stored, const FieldPath& path,
                     FieldErrors& errors);
// The `selectors` of a request or class.
void CheckSelectors(const api::JsonObject* holder, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::apiserver::admission
