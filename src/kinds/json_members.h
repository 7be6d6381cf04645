// Members of JSON objects.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string_view>

#include "kinds/json.h"

namespace berth::apiserver {

// Removes a member if it is there. The others keep their order, except in very large objects: there
// it would cost more than the order is worth.
inline void EraseMember(JsonObject& object, std::string_view name) {
  constexpr size_t kLarge = 1'000;
  if (object.size() <= kLarge) {
    object.stable_erase(name);
  } else {
    object.erase(name);
  }
}

}  // namespace berth::apiserver
