// RequestInfo is what a request is about, as method and path tell it: a collection, an object, a
// subresource, or a path that is none of these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/query.h"
#include "kinds/api_error.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

enum class Verb : uint8_t {
  kGet,
  kList,
  kWatch,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kDeleteCollection,
};
// "deletecollection", as in discovery and metrics.
std::string_view VerbName(Verb verb);

struct RequestInfo {
  std::string path;            // Decoded, without a slash at its end; "/" alone stays.
  const Kind* kind = nullptr;  // Null: the path is not about objects.
  std::string namespace_;      // Empty: cluster-scoped, or all namespaces.
  std::string name;            // Empty: the whole collection.
  std::string subresource;
  Verb verb = Verb::kGet;
  Query query;

  store::ObjectName object() const { return {namespace_, name}; }
};

// `target` is a path with an optional query, as sent. Malformed escapes and paths with "." or ".."
// are BadRequest. A path under /api/<version>/ or /apis/<group>/<version>/ that names no known
// resource is NotFound, one that the method does not fit MethodNotAllowed.
ApiResult<RequestInfo> ReadRequest(std::string_view method, std::string_view target);

}  // namespace berth::apiserver
