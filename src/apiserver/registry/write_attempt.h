// Attempt is one attempt to change a stored object, and helpers of the write operations.
#pragma once

#include <boost/json/value.hpp>

#include "api/json/document.h"
#include "apiserver/registry/api.h"

namespace berth::apiserver::registry {

// The documents may be allocated in a Scratch of the caller.
struct Api::Attempt {
  const api::scheme::Kind& kind;
  ObjectPtr seen;  // The stored object that the change is based on.
  api::Json before;
  api::Json after;
  bool applied = false;  // By server-side apply.

  const api::JsonObject& old_object() const { return before.get_object(); }
  api::JsonObject& new_object() { return after.get_object(); }
};

// The number of attempts to change an object that others write to at the same time.
inline constexpr int kMaxAttempts = 100;

// Returns the kind in whose form objects of `kind` are stored: core events for events.k8s.io.
const api::scheme::Kind& StoredKind(const api::scheme::Kind& kind);

// Returns the API error for an error of the store.
api::scheme::ApiError ToApiError(const store::Store& store, const api::scheme::Kind& kind,
                                 std::string_view name, store::WriteError error);

// Returns the error after kMaxAttempts conflicts.
api::scheme::ApiError TooManyConflicts(const api::scheme::Kind& kind, std::string_view name);

}  // namespace berth::apiserver::registry
