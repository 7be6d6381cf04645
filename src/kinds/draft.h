// From a document to what the store keeps: text in a stable order, labels, selectable fields.
#pragma once

#include <string>
#include <string_view>

#include "kinds/api_error.h"
#include "kinds/json.h"
#include "store/object.h"

namespace berth::apiserver {

struct Kind;

// Deeper documents are refused, by whoever parses them and here, since a patch may nest one in
// another.
inline constexpr size_t kMaxDepth = 128;

// kind, apiVersion and metadata come first, and the resourceVersion in metadata is left out: the
// store puts in its own. The name, namespace and uid are the document's.
ApiResult<store::Draft> MakeDraft(const Kind& kind, const JsonObject& document);

// What the store would make of `draft`, had it given it `version`: for a dry run.
store::ObjectPtr Finish(store::Draft draft, store::Version version);

// Appends `value` as JSON. False if it is nested deeper than `depth` levels; `out` is useless then.
bool AppendJson(std::string& out, const Json& value, size_t depth = kMaxDepth);

// True if a write that turns `before` into `after` would say nothing new: they are equal but for
// the resourceVersion and the times in managedFields. The order of keys does not matter.
bool SameDocument(const JsonObject& before, const JsonObject& after);

// The value that a field selector sees at `path` ("spec.nodeName") of `document`.
std::string SelectableField(const Kind& kind, const JsonObject& document, std::string_view path);

// The stored object as a document, in `storage` or on the heap.
Json ParseIn(const store::Object& object, boost::json::storage_ptr storage);
Json Parse(const store::Object& object);

}  // namespace berth::apiserver
