// What a client hears about a patch, an applied configuration or a body that cannot be used.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kinds/api_error.h"

namespace berth::apiserver {

inline ApiError MakeError(int code, std::string_view reason, std::string message) {
  ApiError error;
  error.code = code;
  error.reason = reason;
  error.message = std::move(message);
  return error;
}

// The patch itself makes no sense.
inline ApiError MalformedPatch(std::string message) {
  return MakeError(400, "BadRequest", std::move(message));
}

// The patch is well formed but does not fit the document.
inline ApiError UnfitPatch(std::string message) {
  return MakeError(422, "Invalid", std::move(message));
}

}  // namespace berth::apiserver
