// Scratch is the memory of the documents of one request: they are made there and forgotten at once.
#pragma once

#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/storage_ptr.hpp>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "apiserver/store/stored_object.h"

namespace berth::apiserver::store {

// Declared before the documents that live in it. Copies of a document live where it does: what is
// to outlast the request is copied out with `Json(document, {})`.
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

}  // namespace berth::apiserver::store

namespace berth::api::scheme {

// From a document to what the store keeps: text in a stable order, labels, selectable_fields
// fields.
struct Kind;
}  // namespace berth::api::scheme

namespace berth::apiserver::store {

// Deeper documents are refused, by whoever parses them and here, since a patch may nest one in
// another.
inline constexpr size_t kMaxDepth = 128;

// kind, apiVersion and metadata come first, and the resourceVersion in metadata is left out: the
// store puts in its own. The name, namespace and uid are the document's.
api::scheme::ApiResult<Draft> MakeDraft(const api::scheme::Kind& kind,
                                        const api::JsonObject& document);

// What the store would make of `draft`, had it given it `version`: for a dry run.
ObjectPtr Finish(Draft draft, Version version);

// True if a write that turns `before` into `after` would say nothing new: they are equal but for
// the resourceVersion and the times in managedFields. The order of keys does not matter.
bool SameDocument(const api::JsonObject& before, const api::JsonObject& after);

// The value that a field selector sees at `path` ("spec.nodeName") of `document`.
std::string SelectableField(const api::scheme::Kind& kind, const api::JsonObject& document,
                            std::string_view path);

// The stored object as a document, in `storage` or on the heap.
api::Json ParseIn(const Object& object, boost::json::storage_ptr storage);
api::Json Parse(const Object& object);

}  // namespace berth::apiserver::store
