// Query is the decoded query of a request: names and values, in the order given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/scheme/api_error.h"
#include "api/scheme/scheme.h"
#include "apiserver/store/stored_object.h"

namespace berth::apiserver {

// `text` with %XX decoded; nothing if an escape is malformed or the result is not UTF-8. In a
// query,
// '+' is a space.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);

class Query {
 public:
  Query() = default;
  // What follows the '?'. A malformed escape is BadRequest.
  static api::scheme::ApiResult<Query> Parse(std::string_view text);

  // The first value of `name`; nothing if it is not given.
  std::optional<std::string_view> Find(std::string_view name) const;
  // The same, empty if it is not given.
  std::string_view Get(std::string_view name) const { return Find(name).value_or(""); }
  // Every value of `name`.
  std::vector<std::string_view> All(std::string_view name) const;

  // As Kubernetes reads it: not given, "0" and "false" in any case are false, all else is true.
  bool Bool(std::string_view name) const;
  // Nothing if it is not given or empty; BadRequest if it is not a whole number.
  api::scheme::ApiResult<std::optional<int64_t>> Int(std::string_view name) const;

  void Add(std::string name, std::string value);

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

// RequestInfo is what a request is about, as method and path tell it: a collection, an object, a
// subresource, or a path that is none of these.
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
  std::string path;                         // Decoded, without a slash at its end; "/" alone stays.
  const api::scheme::Kind* kind = nullptr;  // Null: the path is not about objects.
  std::string namespace_;                   // Empty: cluster-scoped, or all namespaces.
  std::string name;                         // Empty: the whole collection.
  std::string subresource;
  Verb verb = Verb::kGet;
  Query query;

  store::ObjectName object() const { return {namespace_, name}; }
};

// `target` is a path with an optional query, as sent. Malformed escapes and paths with "." or ".."
// are BadRequest. A path under /api/<version>/ or /apis/<group>/<version>/ that names no known
// resource is NotFound, one that the method does not fit MethodNotAllowed.
api::scheme::ApiResult<RequestInfo> ReadRequest(std::string_view method, std::string_view target);

}  // namespace berth::apiserver
