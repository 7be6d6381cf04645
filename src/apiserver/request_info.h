// RequestInfo is the parsed target of a request: a collection, an object, a subresource, or a
// non-resource path; Query is its decoded query.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/scheme/api_error.h"
#include "api/scheme/kind_set.h"
#include "apiserver/store/stored_object.h"

namespace berth::apiserver {

// Decodes %XX escapes. Returns nullopt if an escape is malformed or the result is not UTF-8. In a
// query '+' is a space.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);

class Query {
 public:
  Query() = default;
  // Parses the text after the '?'. Returns BadRequest for a malformed escape.
  static api::scheme::ApiResult<Query> Parse(std::string_view text);

  // Returns the first value of `name`, or nullopt.
  std::optional<std::string_view> Find(std::string_view name) const;
  // Returns the first value of `name`, or "".
  std::string_view Get(std::string_view name) const { return Find(name).value_or(""); }
  // Returns every value of `name`.
  std::vector<std::string_view> All(std::string_view name) const;

  // Parses like Kubernetes: absent, "0" and "false" in any case are false, all else is true.
  bool Bool(std::string_view name) const;
  // Returns nullopt if it is absent or empty; BadRequest if it is not an integer.
  api::scheme::ApiResult<std::optional<int64_t>> Int(std::string_view name) const;

  void Add(std::string name, std::string value);

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

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
// Returns the name in discovery and metrics: "deletecollection".
std::string_view VerbName(Verb verb);

struct RequestInfo {
  std::string path;           // Decoded, without a trailing slash except in "/".
  api::scheme::KindPtr kind;  // Null for a non-resource path.
  std::string namespace_;     // Empty: cluster-scoped, or all namespaces.
  std::string name;           // Empty: the whole collection.
  std::string subresource;
  Verb verb = Verb::kGet;
  Query query;

  store::ObjectName object() const { return {namespace_, name}; }
};

// Parses a method and a target, which is a path with an optional query. Returns BadRequest for
// malformed escapes and paths with "." or "..", NotFound for a path under /api/<version>/ or
// /apis/<group>/<version>/ that is not a resource in `kinds`, and MethodNotAllowed for a verb that
// the resource does not support.
api::scheme::ApiResult<RequestInfo> ReadRequest(std::string_view method, std::string_view target,
                                                const api::scheme::KindSet& kinds);

}  // namespace berth::apiserver
