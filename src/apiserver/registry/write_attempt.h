// One try to change a stored object: what was seen, what it said, and what it shall say.
#pragma once

#include <boost/json/value.hpp>

#include "api/json/document.h"
#include "apiserver/registry/api.h"

namespace berth::apiserver::registry {

// The documents may live in a Scratch of the caller's.
struct Api::Attempt {
  const api::scheme::Kind& kind;
  ObjectPtr seen;
  api::Json before;
  api::Json after;
  bool applied = false;  // By server-side apply.

  const api::JsonObject& old_object() const { return before.get_object(); }
  api::JsonObject& new_object() { return after.get_object(); }
};

// How often a change is tried again when others write in between.
inline constexpr int kMaxAttempts = 100;

// The kind in whose form objects of `kind` are stored: events.k8s.io's are core events.
const api::scheme::Kind& StoredKind(const api::scheme::Kind& kind);

// Why the store did not take a write.
api::scheme::ApiError ToApiError(const store::Store& store, const api::scheme::Kind& kind,
                                 std::string_view name, store::WriteError error);

// What is left to say when kMaxAttempts were not enough.
api::scheme::ApiError TooManyConflicts(const api::scheme::Kind& kind, std::string_view name);

}  // namespace berth::apiserver::registry
