// Validation of objects by their schema, with the error messages of kube-apiserver.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/json/json.h"

namespace berth::apiserver::admission {
class FieldErrors;
}

namespace berth::apiserver::crd {

struct Schema;

// The limit of comparisons of a value with a schema, where allOf, anyOf, oneOf and not count each
// of their schemas. The largest object has some hundred thousand values; this many take about 0.2
// s.
inline constexpr size_t kMaxValidationSteps = 5'000'000;
// The limit of matching strings with patterns: each counts its bytes times the instructions of
// the pattern, which is what matching takes at worst (about 1 s in all). Ordinary objects need some
// 100,000.
inline constexpr size_t kMaxPatternWork = 100'000'000;

// Validates types and constraints. `old` is the value before an update, or null: parts that are
// equal in both are valid, so that an object can be updated although the schema has become
// stricter. `prefix` is the field of the value itself, such as "status"; empty for the whole
// object. Ends with an error at kMaxValidationSteps, kMaxPatternWork or the end of the thread's
// ValidationWork, and silently if `errors` is full.
void ValidateValue(const Schema& schema, const api::Json& value, const api::Json* old,
                   std::string_view prefix, admission::FieldErrors& errors);

// Returns a value as errors quote it.
std::string Shown(const api::Json& value);

// Validates what the structure requires beyond that: lists of type set and map have no duplicates,
// and embedded resources have a kind and an apiVersion.
void ValidateStructure(const Schema& schema, const api::JsonObject& object,
                       admission::FieldErrors& errors);

}  // namespace berth::apiserver::crd
