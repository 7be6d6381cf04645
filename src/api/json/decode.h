// Decodes Kubernetes objects from JSON.
//
// Unknown fields are ignored, and so are kinds that Berth does not schedule by (they decode to
// nothing). A wrong type, a bad quantity or a bad timestamp is an error that names the object, the
// path of the field and the value, for example:
//   Node "worker-1": status.allocatable.cpu: invalid quantity "4 cores": quantities must match ...
// A null field counts as absent, as in Kubernetes.
#pragma once

#include <cstddef>
#include <string>
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
Result<Ref<T>> DecodeJsonWithRaw(std::string json);

// DecodeJson for a document that is part of a larger text.
// As DecodeJson; line numbers in errors begin at `first_line`.
Result<std::vector<Object>> DecodeDocument(std::string_view json, size_t first_line);

// Reads pods and nodes whose text is kept for extenders (api/kept_text.h).
// A Pod or a Node from an API server's JSON, with that JSON less what StripTypeAndManagedFields
// takes.
template <typename T>
Result<Object> DecodeWithRawJson(std::string_view json);

// An object's JSON without apiVersion, kind and metadata.managedFields: kube-scheduler's own copies
// lack them, and so does what it tells extenders. Text that is no object is given back as it is.
std::string StripTypeAndManagedFields(std::string_view object);

}  // namespace berth::api
