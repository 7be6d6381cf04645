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
  bool deletes = false;

  const api::JsonObject& old_object() const { return before.get_object(); }
  api::JsonObject& new_object() { return after.get_object(); }
};

// The number of attempts to change an object that others write to at the same time.
inline constexpr int kMaxAttempts = 100;

// The limit of an object's JSON: etcd's --max-request-bytes (1.5 MiB), which limits an object of a
// kube-apiserver. What the store, watches and clients hold is a multiple of it.
// DIFFERS: kube-apiserver stores most kinds as protobuf, which is smaller than JSON.
inline constexpr size_t kMaxObjectBytes = 3 << 19;

// Returns an error if the object is too large, unless it was at least as large before.
api::scheme::ApiResult<void> CheckSize(const store::Draft& draft, size_t size_before = 0);

// Returns the API error for an error of the store.
api::scheme::ApiError ToApiError(const store::Store& store, const api::scheme::Kind& kind,
                                 std::string_view name, store::WriteError error);

// Returns the error after kMaxAttempts conflicts.
api::scheme::ApiError TooManyConflicts(const api::scheme::Kind& kind, std::string_view name);

}  // namespace berth::apiserver::registry
