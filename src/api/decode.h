// Decodes Kubernetes objects from JSON.
//
// Unknown fields are ignored, and so are kinds that Berth does not schedule by (they decode to
// nothing). A wrong type, a bad quantity or a bad timestamp is an error that names the object, the
// path of the field and the value, for example:
//   Node "worker-1": status.allocatable.cpu: invalid quantity "4 cores": quantities must match ...
// A null field counts as absent, as in Kubernetes.
#pragma once

#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace berth::api {

// Decodes one JSON document: an object, or a List (kind "List" or "<Kind>List") whose items are
// appended in order. Objects of unknown kinds are skipped. A document without a kind is an error.
Result<std::vector<Object>> DecodeJson(std::string_view json);

// Decodes a JSON object that must be a Pod; for callers that know what they have. Likewise for any
// T in Object.
template <typename T>
Result<Ref<T>> DecodeJsonAs(std::string_view json);

// A Pod or a Node that keeps `json` (kept_text.h).
template <typename T>
Result<Ref<T>> DecodeJsonKept(std::string json);

}  // namespace berth::api
