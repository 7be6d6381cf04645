// The decoder of Kubernetes objects from JSON.
//
// Unknown fields are ignored, and objects of kinds that are not in api::Object are skipped; the API
// group counts too, if there is one, since a Service may be Knative's. A wrong type, a bad
// quantity or a bad timestamp is an error that names the object, the path of the field and the
// value, for example:
//   Node "worker-1": status.allocatable.cpu: invalid quantity "4 cores": quantities must match ...
// A null field counts as absent, as in Kubernetes.
//
// A ResourceClaim retains its JSON, as StripTypeAndManagedFields returns it.
//
// The functions that take UndecodableFields are tolerant if it is not null: they leave out what
// they cannot read and describe it there. Use them for the objects of an API server; a wrong field
// in a user's file is an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace berth::api {

class UndecodableFields;

// Decodes one JSON document: an object, or a List (kind "List" or "<Kind>List") whose items are
// appended in order. Objects of unknown kinds are skipped. A document without a kind is an error.
Result<std::vector<Object>> DecodeJson(std::string_view json);

// Decodes like DecodeJson a document that is part of a larger text: line numbers in errors begin at
// `first_line`.
Result<std::vector<Object>> DecodeDocument(std::string_view json, size_t first_line);

// Decodes a JSON object that must be a T, for each T in Object. The kind may be missing.
template <typename T>
Result<Ref<T>> DecodeJsonAs(std::string_view json, UndecodableFields* undecodable = nullptr);

// Decodes a Pod or a Node and retains `json` in it as raw JSON.
template <typename T>
Result<Ref<T>> DecodeJsonWithRaw(std::string json, UndecodableFields* undecodable = nullptr);

// Decodes a Pod or a Node and retains StripTypeAndManagedFields(json) in it as raw JSON.
template <typename T>
Result<Object> DecodeWithRawJson(std::string_view json, UndecodableFields* undecodable = nullptr);

// Returns an object's JSON without apiVersion, kind and metadata.managedFields, which
// kube-scheduler's cached objects and its requests to extenders lack too. Returns text that is not
// an object unchanged.
std::string StripTypeAndManagedFields(std::string_view object);

}  // namespace berth::api
