#include "kinds/json_numbers.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cmath>

namespace berth::apiserver {

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

}  // namespace berth::apiserver
