// One try to change a stored object: what was seen, what it said, and what it shall say.
#pragma once

#include <boost/json/value.hpp>

#include "apiserver/api.h"
#include "apiserver/json_access.h"

namespace berth::apiserver {

// The documents may live in a Scratch of the caller's.
struct Api::Attempt {
  const Kind& kind;
  ObjectPtr seen;
  Json before;
  Json after;
  bool applied = false;  // By server-side apply.

  const JsonObject& old_object() const { return before.get_object(); }
  JsonObject& new_object() { return after.get_object(); }
};

// How often a change is tried again when others write in between.
inline constexpr int kMaxAttempts = 100;

// The stored object as a document in `storage`.
Json ParseIn(const store::Object& object, boost::json::storage_ptr storage);

// The kind in whose form objects of `kind` are stored: events.k8s.io's are core events.
const Kind& StoredKind(const Kind& kind);

// Why the store did not take a write.
ApiError RefusedWrite(const store::Store& store, const Kind& kind, std::string_view name,
                      store::WriteError error);

// What is left to say when kMaxAttempts were not enough.
ApiError TooContended(const Kind& kind, std::string_view name);

}  // namespace berth::apiserver
