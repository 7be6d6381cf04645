// The codec converts between JSON documents and stored objects.
#pragma once

#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/storage_ptr.hpp>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "apiserver/store/stored_object.h"

namespace berth::api::scheme {
struct Kind;
}  // namespace berth::api::scheme

namespace berth::apiserver::store {

// Scratch is the arena of the documents of one request, released as a whole.
//
// Must be declared before its documents. A copy of a document uses the same arena: a document that
// outlives the request must be copied with `Json(document, {})`.
class Scratch {
 public:
  Scratch() : resource_(buffer_.data(), buffer_.size()) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  boost::json::storage_ptr storage() { return &resource_; }

 private:
  std::array<unsigned char, 24 * 1024> buffer_;
  boost::json::monotonic_resource resource_;
};

// The maximum nesting of a document. Parsers reject deeper ones, and so does MakeDraft, since a
// patch may nest one document in another.
inline constexpr size_t kMaxDepth = 128;

// Returns the stored form of `document`: JSON in a stable order (kind, apiVersion and metadata
// first), labels and selectable fields. Omits metadata.resourceVersion, which the store sets. Fails
// if the document is nested too deeply.
api::scheme::ApiResult<Draft> MakeDraft(const api::scheme::Kind& kind,
                                        const api::JsonObject& document);

// Returns the object that the store would make of `draft` at `version`, for dry runs.
ObjectPtr Finish(Draft draft, Version version);

// Reports whether `before` and `after` are equal except for resourceVersion and the times in
// managedFields, so that a write changes nothing. Ignores the order of keys. Top-level fields that
// are empty equal absent ones unless `exact`: those of custom kinds may mean something.
bool SameDocument(const api::JsonObject& before, const api::JsonObject& after, bool exact = false);

// Returns the value that a field selector matches at `path` ("spec.nodeName") of `document`.
std::string SelectableField(const api::scheme::Kind& kind, const api::JsonObject& document,
                            std::string_view path);

// Parses a stored object into `storage`, or onto the heap.
api::Json ParseIn(const Object& object, boost::json::storage_ptr storage);
api::Json Parse(const Object& object);

}  // namespace berth::apiserver::store
