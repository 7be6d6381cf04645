// The mapping of HTTP status codes to results of writes.
#pragma once

#include "scheduler/framework/writes.h"

namespace berth::runtime {

// Returns the outcome of a write that the API server refused with `code`.
constexpr scheduler::framework::WriteResult::Kind ResultKindOf(int code) {
  using enum scheduler::framework::WriteResult::Kind;
  switch (code) {
    case 404:
      return kNotFound;
    case 409:
      return kConflict;
    case 504:
      return kTimeout;
    case 429:
    case 500:
    case 503:
      return kUnavailable;
    default:
      return kRejected;
  }
}

}  // namespace berth::runtime
